package webpage

import (
	"math"
	"testing"

	"thermsim/gpusolve/reduction"
	"thermsim/report/field"
)

// The page's power densities are within half a step of the grid's; a coarser page shows the maximum over its cells.
func TestPowerOfThePage(t *testing.T) {
	const nx, ny = 7, 5
	density := make([]float64, nx*ny)
	for n := range density {
		density[n] = 3.7 * float64(n%nx) * float64(n/nx)
	}
	for _, factor := range []int{1, 2} {
		f := &Fields{nx: nx, factor: factor, x: coarser(line(nx), factor), y: coarser(line(ny), factor)}
		d := &Document{Layers: []Layer{{}, {Density: density}, {Density: make([]float64, nx*ny)}}, Runs: []Run{{Fields: f}}}
		got, err := d.power()
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].Layer != 1 || got[0].Lo != 0 || got[0].Hi != density[nx*ny-1] {
			t.Fatalf("%+v", got)
		}
		w, h := len(f.x)-1, len(f.y)-1
		q, err := decode(got[0].Packed, w*h, w, nil)
		if err != nil {
			t.Fatal(err)
		}
		for n, want := range reduction.Squares(density, nx, factor) {
			if v := float64(q[n]) * got[0].Quantum; math.Abs(v-want) > got[0].Quantum/2*(1+1e-9) {
				t.Errorf("factor %d, cell %d: %g, want %g", factor, n, v, want)
			}
		}
	}
	wrong := &Document{Layers: []Layer{{Density: density[:4]}}, Runs: []Run{{Fields: NewFields(&field.Grid{X: line(nx), Y: line(ny), Z: line(1)}, 300, 1, Budget{})}}}
	if _, err := wrong.power(); err == nil {
		t.Error("densities of another grid are taken")
	}
}

func line(n int) []float64 {
	out := make([]float64, n+1)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

// Indents and lines of comment go, text and comments behind code stay.
func TestLean(t *testing.T) {
	if got := string(lean([]byte("// all\nif (a) {\n  // why\n  b = \"// c\"; // d\n}\n"))); got != "if (a) {\nb = \"// c\"; // d\n}\n" {
		t.Errorf("%q", got)
	}
}
