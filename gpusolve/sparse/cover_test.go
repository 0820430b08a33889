package sparse

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDoubleCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	d := NewDiagonals(4, 3, 2)
	for _, band := range [][]float64{d.Main, d.X, d.Y, d.Z} {
		for i := range band {
			band[i] = rng.NormFloat64()
		}
	}
	a := d.CSR()
	c, n := a.DoubleCover(), a.N()
	x, y, want := make([]float64, 2*n), make([]float64, 2*n), make([]float64, n)
	for i := range n {
		x[i] = rng.NormFloat64()
		x[n+i] = -x[i]
	}
	c.Multiply(y, x)
	a.Multiply(want, x[:n])
	for i := range n {
		if math.Abs(y[i]-want[i]) > 1e-13 || math.Abs(y[n+i]+want[i]) > 1e-13 {
			t.Errorf("row %d: %g and %g, want %g", i, y[i], y[n+i], want[i])
		}
	}
	for r := range 2 * n {
		cols, vals := c.Row(r)
		for i, col := range cols {
			if i > 0 && cols[i-1] >= col || int(col) != r && vals[i] > 0 {
				t.Errorf("row %d: columns %v, values %v", r, cols, vals)
			}
		}
	}
}
