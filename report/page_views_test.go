package report

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/picture"
	"thermsim/report/samples"
	"thermsim/stack"
)

// Of the steps of this transient the page shows every fourth; the hottest is none of these.
const (
	viewSteps = 801
	viewPeak  = 457
)

// viewPage writes the page of a transient with one block, whose lid has a hole.
func viewPage(t *testing.T, dir string) *Run {
	t.Helper()
	s := samples.Stack(30, 24)
	s.Layers[1].Powers[0].Blocks = s.Layers[1].Powers[0].Blocks[:1]
	s.Materials = append(s.Materials, stack.Material{Name: "air", K: [3]float64{0.026, 0.026, 0.026}, C: 1200})
	s.Layers[3].Regions = []stack.Region{{Name: "hole", Material: 3,
		Rect: stack.Rect{X: 7e-3, Y: 1e-3, Width: 2e-3, Height: 4e-3}}}
	r := runOf(t, s, samples.Bumps)
	r.Command = "transient"
	r.Solution.Dt = 1e-3
	files := begin(t, dir, nil)
	out, err := NewRecording(files, r, viewSteps, Options{}, OutputOptions{Page: true})
	if err != nil {
		t.Fatal(err)
	}
	top := hottestOf(t, r.Mesh, r.Solution.Field)
	for n := 1; n <= viewSteps; n++ {
		at := 1 - math.Abs(float64(n-viewPeak))/viewSteps
		r.Solution.Field = heating{r.Mesh, at}
		step := solution.Step{Time: float64(n) * 1e-3, MaxK: 300 + (top-300)*at, PowerW: 12, Converged: true}
		r.Solution.Steps = append(r.Solution.Steps, step)
		if err := out.Step(n, step, r.Solution.Field); err != nil {
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

// checkViews looks at what the page opens with, at its labels, and at the solids.
func checkViews(b *browser) {
	b.t.Helper()
	dir := b.t.TempDir()
	viewPage(b.t, dir)
	page := openToTests(b.t, filepath.Join(dir, PageName))
	b.look(1280, 900, "light")
	b.load(page)
	checkOpening(b)
	for _, width := range []int64{390, 1280} {
		b.look(width, 900, "light")
		checkLabels(b)
		b.click("#zoom-all")
		checkLabels(b)
		b.click("#zoom-dies")
	}
	checkSolids(b)
}

// checkOpening compares the first view with the block and the headline.
func checkOpening(b *browser) {
	b.t.Helper()
	// The block touches 11 x 10 cells of 1/3 mm; the margin is a tenth of the longer side.
	var part struct{ X, Y, W, H, Zoom float64 }
	b.js(`(({x, y, w, h}) => ({X: x, Y: y, W: w, H: h, Zoom: state.zoom}))(shownPart())`, &part)
	near(b.t, "zoom", part.Zoom, 8/((10+2*1.1)/3), 1e-6)
	near(b.t, "middle in x", part.X+part.W/2, 8.5e-3/3, 1e-9)
	near(b.t, "middle in y", part.Y+part.H/2, 7e-3/3, 1e-9)
	if when, want := b.text("#when"), fmt.Sprintf("%d ms", viewPeak); when != want {
		b.t.Errorf("the page opens at %q, not at the peak, %s", when, want)
	}
	peak := strings.Fields(b.text(".lead"))[1] // Peak 96.00 °C
	var shown string
	b.js(`(() => { let now = current(); return valueText(now, hottestOf(now).cell); })()`, &shown)
	if shown != peak+" °C" || b.text("#hotspots tbody tr td:nth-child(2)") != peak {
		b.t.Errorf("the headline says %s, the map %s and the hot spots %s", peak, shown,
			b.text("#hotspots tbody tr td:nth-child(2)"))
	}
}

// checkLabels records what is written and marked on the map: nothing overlaps.
func checkLabels(b *browser) {
	b.t.Helper()
	var got struct {
		Labels  int
		Overlap []string
	}
	b.js(`(() => {
		const boxes = [], was = [label, disc];
		label = (c, content, x, y, align) => {
			const w = c.measureText(content).width / 2;
			boxes.push({content, x0: x - w, x1: x + w, y0: y - 5, y1: y + 5});
			was[0](c, content, x, y, align);
		};
		disc = (c, x, y, r) => {
			boxes.push({content: "peak", x0: x - r, x1: x + r, y0: y - r, y1: y + r});
			was[1](c, x, y, r);
		};
		drawMap();
		[label, disc] = was;
		const overlap = [];
		boxes.forEach((a, n) => boxes.slice(0, n).forEach((b) => {
			if (a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1) overlap.push(a.content + " and " + b.content);
		}));
		return {Labels: boxes.length, Overlap: overlap};
	})()`, &got)
	if got.Labels < 5 || len(got.Overlap) > 0 { // A, B, the peak's mark and temperature, the block or an isotherm
		b.t.Errorf("of %d labels %q overlap", got.Labels, got.Overlap)
	}
}

// checkSolids compares colours on a cut with those of the field there, and looks through the hole in the lid.
func checkSolids(b *browser) {
	b.t.Helper()
	b.click("[data-value=solid]")
	b.click("#outlines")
	const y = 3.05e-3
	b.set("#at-y", fmt.Sprint(1000*y/8e-3), "input")
	points := [][3]float64{{1.5e-3, y, 0.75e-3}, {2.8e-3, y, 0.07e-3}, {4.5e-3, y, 0.75e-3}, {6.5e-3, y, 0.15e-3},
		{8e-3, y, 0.75e-3}}
	var got struct {
		Pixels [][4]float64
		Range  [2]float64
		Cut    [5]int // surfaces at each point
	}
	list, _ := json.Marshal(points)
	b.js(fmt.Sprintf(`(() => {
		const gl = scene.gl, v = viewOf(600, 400), pixel = new Uint8Array(4);
		render(runs[0], v, 1200, 800);
		const { position } = cutSurfaces(scene.model).of(5);
		const corners = (n) => [0, 2].map((axis) => [0, 3, 6, 9, 12, 15].map((c) => position[18 * n + c + axis]));
		const surfaces = Array.from({length: position.length / 18}, (_, n) => corners(n));
		const inside = (v, all) => v > Math.min(...all) && v < Math.max(...all);
		const at = ([x, , z]) => surfaces.filter(([xs, zs]) => inside(x, xs) && inside(z, zs)).length;
		return {Range: rangeOf(runs[0], state.plane), Cut: %[1]s.map(at), Pixels: %[1]s.map((p) => {
			const [x, y] = project(v, p);
			gl.readPixels(Math.round(2 * x), Math.round(800 - 2 * y), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
			return [...pixel];
		})};
	})()`, list), &got)
	colours, err := picture.NamedColormap(picture.Colormaps()[0])
	if err != nil {
		b.t.Fatal(err)
	}
	for n, p := range points[:4] {
		want := colours[int(math.Round(255*(samples.Bumps(p[0], p[1], p[2])-got.Range[0])/(got.Range[1]-got.Range[0])))]
		for c, v := range []uint8{want.R, want.G, want.B, 255} {
			near(b.t, fmt.Sprintf("channel %d at %v", c, p), got.Pixels[n][c], float64(v), 12)
		}
	}
	if want := [5]int{1, 1, 1, 1, 0}; got.Cut != want {
		b.t.Errorf("surfaces of the cut at the points: %v, want %v", got.Cut, want)
	}
	b.changes("turning the solids", "#solid", func() { b.key("#solid", "ArrowRight", false) })
	b.changes("another cut", "#solid", func() { b.click("#cut-x") })
	b.changes("stretching", "#solid", func() { b.set("#stretch", "60", "input") })
	b.changes("zooming in", "#solid", func() { b.key("#solid", "+", false) })
	// Without WebGL a message takes its place.
	b.js(`(() => { scene = null; openScene = () => null; })()`, nil)
	b.changes("a browser without WebGL", "#solid", func() { b.js("drawSolid()", nil) })
}
