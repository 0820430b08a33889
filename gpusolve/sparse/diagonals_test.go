package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

// dense writes out the definition of the diagonals.
func dense(d *Diagonals) [][]float64 {
	n := d.N()
	m := make([][]float64, n)
	for r := range m {
		m[r] = make([]float64, n)
		m[r][r] += d.Main[r]
	}
	lx, ly, lz := d.Lower()
	for _, b := range []struct {
		upper, lower []float64
		offset       int
	}{{d.X, lx, 1}, {d.Y, ly, d.NX}, {d.Z, lz, d.NX * d.NY}} {
		for c := range b.upper {
			m[c][c+b.offset] += b.upper[c]
			m[c+b.offset][c] += b.lower[c]
		}
	}
	return m
}

func TestBothFormsAreTheMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][3]int{{1, 1, 1}, {1, 1, 5}, {4, 1, 3}, {1, 4, 3}, {3, 5, 2}, {5, 4, 1}} {
		for _, symmetric := range []bool{true, false} {
			d := NewDiagonals(shape[0], shape[1], shape[2])
			if !symmetric {
				d.LowerX, d.LowerY, d.LowerZ = make([]float64, len(d.X)), make([]float64, len(d.Y)),
					make([]float64, len(d.Z))
			}
			for _, band := range [][]float64{d.Main, d.X, d.Y, d.Z, d.LowerX, d.LowerY, d.LowerZ} {
				for i := range band {
					band[i] = rng.NormFloat64()
				}
			}
			n := d.N()
			x, byDiagonals, byRows := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			d.Multiply(byDiagonals, x)
			a := d.CSR()
			a.Multiply(byRows, x)
			for r, row := range dense(d) {
				want := 0.0
				for c, v := range row {
					want += v * x[c]
					if math.Abs(a.At(r, c)-v) > 1e-15 {
						t.Fatalf("%v: entry %d,%d is %g, want %g", shape, r, c, a.At(r, c), v)
					}
				}
				if math.Abs(byDiagonals[r]-want) > 1e-13 || math.Abs(byRows[r]-want) > 1e-13 {
					t.Fatalf("%v: row %d gives %g by diagonals and %g by rows, want %g", shape, r, byDiagonals[r],
						byRows[r], want)
				}
			}
			for r := range n {
				cols, _ := a.Row(r)
				for i := 1; i < len(cols); i++ {
					if cols[i] <= cols[i-1] {
						t.Fatalf("%v: columns of row %d are %v", shape, r, cols)
					}
				}
			}
		}
	}
}
