package webpage

import (
	"math"
	"testing"

	"thermsim/gpusolve/reduction"
)

// The page's power densities are within half a step of the grid's; a coarser page shows the maximum over its cells.
func TestPowerOfThePage(t *testing.T) {
	const nx, ny = 7, 5
	density := make([]float64, nx*ny)
	for n := range density {
		density[n] = 3.7 * float64(n%nx) * float64(n/nx)
	}
	for _, factor := range []int{1, 2} {
		f := &Fields{nx: nx, ny: ny, factor: factor, x: coarser(line(nx), factor), y: coarser(line(ny), factor)}
		d :=
			&Document{Layers: []Layer{{}, {Density: rowsOf(density, nx)},
				{Density: rowsOf(make([]float64, nx*ny), nx)}}, Runs: []Run{{Fields: f}}}
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
}

// Of many rows, each is drawn once, and what was packed for other cells is packed again.
func TestPowerPackedBefore(t *testing.T) {
	const nx, ny = 3, 101
	density := make([]float64, nx*ny)
	for n := range density {
		density[n] = float64(n * 31 % 97)
	}
	f := &Fields{nx: nx, ny: ny, factor: 1, x: line(nx), y: line(ny)}
	before, err := f.PackPower(rowsOf(density, nx))
	if err != nil {
		t.Fatal(err)
	}
	d := &Document{Layers: []Layer{{Density: rowsOf(density, nx), Power: before}}, Runs: []Run{{Fields: f}}}
	for _, factor := range []int{1, 3} {
		f.factor, f.x, f.y = factor, coarser(line(nx), factor), coarser(line(ny), factor)
		got, err := d.power()
		if err != nil {
			t.Fatal(err)
		}
		q, err := decode(got[0].Packed, (len(f.x)-1)*(len(f.y)-1), len(f.x)-1, nil)
		if err != nil {
			t.Fatal(err)
		}
		for n, want := range reduction.Squares(density, nx, factor) {
			if v := float64(q[n]) * got[0].Quantum; math.Abs(v-want) > got[0].Quantum/2*(1+1e-9) {
				t.Errorf("factor %d, cell %d: %g, want %g", factor, n, v, want)
			}
		}
	}
}

func rowsOf(density []float64, nx int) Rows {
	return func(lo, hi int, dst []float64) { copy(dst, density[lo*nx:hi*nx]) }
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
	if got := string(lean([]byte("// all\nif (a) {\n  // why\n  b = \"// c\"; // d\n}\n"))); got !=
		"if (a) {\nb = \"// c\"; // d\n}\n" {
		t.Errorf("%q", got)
	}
}
