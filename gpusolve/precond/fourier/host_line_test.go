package fourier

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// basis is the function of wave number k at cell i, from its definition.
func basis(ends Ends, n, k, i int) float64 {
	x := math.Pi * (float64(i) + 0.5) / float64(n)
	switch ends {
	case Held:
		return math.Sin(float64(k+1) * x)
	case HeldLow:
		return math.Sin((float64(k) + 0.5) * x)
	case HeldHigh:
		return math.Cos((float64(k) + 0.5) * x)
	}
	return math.Cos(float64(k) * x)
}

// Coefficients reproduce the values, and values the coefficients, at lengths of all kinds of factors and by both ways
// of transform.
func TestLinesAreSumsOfBasisFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 13))
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 21, 31, 46, 49, 64, 97, 101, 127, 202, 211, 243,
		257} {
		for ends := Adiabatic; ends <= HeldHigh; ends++ {
			t.Run(fmt.Sprint(n, ends), func(t *testing.T) {
				l := newLine(n, ends)
				a, b := make([]float64, n), make([]float64, n)
				for i := range a {
					a[i], b[i] = rng.NormFloat64(), rng.NormFloat64()
				}
				va, vb := make([]float64, n), make([]float64, n)
				for i := range n {
					for k := range n {
						va[i] += a[k] * basis(ends, n, k, i)
						vb[i] += b[k] * basis(ends, n, k, i)
					}
				}
				x, y := append([]float64(nil), a...), append([]float64(nil), b...)
				l.inverse(x, y)
				closeTo(t, "inverse", x, va)
				closeTo(t, "inverse of the second row", y, vb)
				l.forward(x, y)
				closeTo(t, "forward", x, a)
				closeTo(t, "forward of the second row", y, b)
				l.inverse(x, nil)
				closeTo(t, "a row alone", x, va)
			})
		}
	}
}

func closeTo(t *testing.T, what string, got, want []float64) {
	t.Helper()
	scale := 1e-300
	for _, v := range want {
		scale = math.Max(scale, math.Abs(v))
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-13*scale {
			t.Fatalf("%s: value %d is %g, want %g", what, i, got[i], want[i])
		}
	}
}
