package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/samples"
	"thermsim/report/webpage"
	"thermsim/stack"
)

// swing is the rise of a heated and cooling stack at the steps: linear in x, y and z, which interpolation between cells
// of any size must reproduce.
var swing = []float64{0.25, 0.75, 1, 0.5}

func swinging(at, x, y, z float64) float64 { return 300 + (20+3e3*x+4e3*y+5e4*z)*at }

type swingField struct {
	samples.Field
	at float64
}

func (s swingField) Plane(k int, dst []float64) error {
	return samples.Field{Mesh: s.Mesh, Of: func(x, y, z float64) float64 {
		return swinging(s.at, x, y, z)
	}}.Plane(k, dst)
}

// gradedPage writes the page of a transient on an uneven grid with limits of the stack, of layers and of blocks.
func gradedPage(t *testing.T, dir string) *Run {
	t.Helper()
	s := samples.Stack(9, 7)
	s.Grid.X.Segments = []stack.Segment{{To: 4e-3, Cells: 6, Ratio: 3}, {To: 10e-3, Cells: 3, Ratio: 0.25}}
	s.Grid.Y.Segments = []stack.Segment{{To: 2e-3, Cells: 4, Ratio: 0.25}, {To: 8e-3, Cells: 3, Ratio: 3}}
	s.TMax = 350
	s.Layers[1].TMax = 365                       // laxer than the stack's
	s.Layers[2].TMax = 345                       // stricter
	s.Layers[1].Powers[0].Blocks[1].TMax = 340   // "cache"
	s.Layers[1].Powers[0].Blocks[0].TMax = 364.5 // "core"
	r := runOf(t, s, samples.Bumps)
	r.Command = "transient"
	r.Solution.Dt = 1e-3
	files := begin(t, dir, nil)
	out, err := NewRecording(files, r, len(swing), Options{}, OutputOptions{Page: true})
	if err != nil {
		t.Fatal(err)
	}
	for n, at := range swing {
		r.Solution.Field = swingField{samples.Field{Mesh: r.Mesh}, at}
		step := solution.Step{Time: float64(n+1) * 1e-3, MaxK: swinging(at, 10e-3, 8e-3, 1.25e-3), PowerW: 16,
			Converged: true}
		r.Solution.Steps = append(r.Solution.Steps, step)
		if err := out.Step(n+1, step, r.Solution.Field); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := out.Finish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// checkGraded computes what a page of uneven cells shows: the step it opens with, temperatures between cells, limits of
// cells, and the colours of the exploded view.
func checkGraded(b *browser) {
	b.t.Helper()
	dir := b.t.TempDir()
	r := gradedPage(b.t, dir)
	b.look(1280, 900, "light")
	b.open(openToTests(b.t, filepath.Join(dir, PageName)))
	const hottest = 2
	if when := b.text("#when"); when != "3 ms" {
		b.t.Errorf("the page opens at %q, not at the hottest step", when)
	}
	m := r.Mesh
	x0, y0, _ := m.Center(0, 0, 0)
	x1, y1, _ := m.Center(m.NX()-1, m.NY()-1, 0)
	for k := range m.NZ() {
		_, _, z := m.Center(0, 0, k)
		var got []float64
		b.js(fmt.Sprintf(`runs[0].get(%d, %d).then((v) => Array.from({length: 11}, (_, n) =>
			between(runs[0], v, %g + n / 10 * %g, %g + n / 10 * %g)))`, hottest, k, x0, x1-x0, y0, y1-y0), &got)
		for n, v := range got {
			u := float64(n) / 10
			near(b.t, "between cells", v, swinging(1, x0+u*(x1-x0), y0+u*(y1-y0), z), webpage.DefaultErrorK+1e-6)
		}
	}
	checkLimits(b, r)
	b.click("[data-value=exploded]")
	checkSheets(b, "shared")
	b.set("#range-lo", "40", "input")
	b.set("#range-hi", "80", "input")
	checkSheets(b, "typed")
	b.set("#colours", "viridis", "change")
	checkSheets(b, "of other colours")
	b.set("#frame", "0", "input")
	checkSheets(b, "of another step")
	b.click("[data-value=plane]")
	checkSheets(b, "of each layer")
}

// openToTests turns the page's module into a plain script, whose names an expression can use.
func openToTests(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	page += ".open.html"
	text = bytes.Replace(text, []byte(`<script type="module">`), []byte("<script>"), 1)
	if err := os.WriteFile(page, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return page
}

// checkLimits compares the limit of every cell with the least of those of the stack, its layer and its block.
func checkLimits(b *browser, r *Run) {
	b.t.Helper()
	s, m := r.Mesh.Stack, r.Mesh
	for l, layer := range s.Layers {
		var got []float64
		b.js(fmt.Sprintf(`Array.from(limitsOf(runs[0], %d), (v) => runs[0].base + (v - 0.5) * runs[0].quantum)`, l),
			&got)
		for n, v := range got {
			x, y, _ := m.Center(n%m.NX(), n/m.NX(), 0)
			want := s.TMax
			if layer.TMax > 0 {
				want = math.Min(want, layer.TMax)
			}
			for _, p := range layer.Powers {
				for _, block := range p.Blocks {
					for _, a := range block.Rects {
						if block.TMax > 0 && x > a.X && x < a.X+a.Width && y > a.Y && y < a.Y+a.Height {
							want = math.Min(want, block.TMax)
						}
					}
				}
			}
			near(b.t, layer.Name+": limit", v, want, 0.01)
		}
	}
}

// checkSheets compares the colour of every sheet at the middle of its cells with the colour that the scale gives the
// layer's hottest plane there.
func checkSheets(b *browser, what string) {
	b.t.Helper()
	var shaded bool
	if b.js(`document.getElementById("shade").checked`, &shaded); shaded {
		b.click("#shade")
	}
	var worst float64
	b.js(`(() => {
		drawExploded();
		const run = runs[0];
		let worst = 0;
		data.layers.forEach((_, l) => {
			const planes = data.planeLayer.flatMap((v, k) => (v === l ? [k] : []));
			let [lo, hi] = state.range === "typed" ? state.typed : [Infinity, -Infinity];
			if (state.range !== "typed") {
				for (const k of state.range === "plane" ? planes : data.planeLayer.keys()) {
					lo = Math.min(lo, run.kelvin(run.lo[k]));
					hi = Math.max(hi, run.kelvin(run.hi[k]));
				}
			}
			const image = sheets.images[l], pixels = image.getContext("2d").getImageData(0, 0, image.width, image.height).data;
			for (let j = 0; j < run.h; j++) for (let i = 0; i < run.w; i++) {
				const t = Math.max(...planes.map((k) => run.kelvin(run.ready(state.frame, k)[j * run.w + i])));
				const x = (run.x[i] + run.x[i + 1]) / 2 / data.size[0], y = 1 - (run.y[j] + run.y[j + 1]) / 2 / data.size[1];
				const from = 4 * (Math.floor(y * image.height) * image.width + Math.floor(x * image.width));
				const colour = expected((t - lo) / (hi - lo));
				for (let p = 0; p < 3; p++) worst = Math.max(worst, Math.abs(pixels[from + p] - colour[p]));
			}
		});
		return worst;
		function expected(u) {
			const hex = data.maps.find(([name]) => name === state.colours)[1];
			const of = (n) => [0, 2, 4].map((p) => parseInt(hex.slice(6 * n + p, 6 * n + p + 2), 16));
			const v = Math.min(1, Math.max(0, u)) * (hex.length / 6 - 1), n = Math.min(Math.floor(v), hex.length / 6 - 2);
			return of(n).map((a, p) => a + (v - n) * (of(n + 1)[p] - a));
		}
	})()`, &worst)
	if worst > 12 {
		b.t.Errorf("sheets %s differ by %g of 255 levels from the colours of the scale", what, worst)
	}
}
