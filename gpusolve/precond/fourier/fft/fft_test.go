package fft

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// Lengths of small factors have passes of their own, others go through gonum or Bluestein's chirp, whichever is
// quicker.
func TestLengthsTakeTheQuickerWay(t *testing.T) {
	for n, want := range map[int]string{512: "stockham", 1000: "stockham", 1871: "bluestein", 10000: "stockham",
		7: "plain", 14: "plain", 4099: "bluestein"} {
		got := "stockham"
		switch New(n).(type) {
		case *plain:
			got = "plain"
		case *bluestein:
			got = "bluestein"
		}
		if got != want {
			t.Errorf("length %d by %s, want %s", n, got, want)
		}
	}
}

// Every way is the sum that defines the transform.
func TestComplexTransforms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 20, 25, 27, 30, 32, 36, 45, 48, 60, 64, 75, 100,
		125, 128, 180, 240, 256, 300, 7, 11, 91, 101, 211} {
		x, want := make([]complex128, n), make([]complex128, n)
		for i := range x {
			x[i] = complex(rng.NormFloat64(), rng.NormFloat64())
		}
		for k := range want {
			for i, v := range x {
				sin, cos := math.Sincos(2 * math.Pi * float64(i*k%n) / float64(n))
				want[k] += v * complex(cos, -sin)
			}
		}
		New(n).Transform(x)
		for k := range want {
			if cmplx.Abs(x[k]-want[k]) > 1e-13*float64(n) {
				t.Fatalf("length %d: coefficient %d is %v, want %v", n, k, x[k], want[k])
			}
		}
	}
}
