package stack

import (
	"math"
	"testing"
)

// The integral has a closed form in exponential integrals, F = 1 - 3/(2r) (1/4 - E3(r) + E5(r)).
func TestFilmsConductAsTheirClosedForm(t *testing.T) {
	en := func(n int, x float64) float64 { // the integral of exp(-x/m) m^(n-2) over m from 0 to 1, by Simpson's rule
		const steps = 200000
		sum := 0.0
		for i := 1; i <= steps; i++ {
			m := float64(i) / steps
			weight := 2.0 + 2*float64(i%2)
			if i == steps {
				weight = 1
			}
			sum += weight * math.Exp(-x/m) * math.Pow(m, float64(n-2))
		}
		return sum / (3 * steps)
	}
	for _, r := range []float64{0.01, 0.1, 1, 10, 100} {
		want := 1 - 1.5/r*(0.25-en(3, r)+en(5, r))
		if got := alongFilm(r); math.Abs(got-want) > 1e-6*want {
			t.Errorf("a film of %g mean free paths keeps %.9g of k, want %.9g", r, got, want)
		}
	}
	// A thick film loses 3/8 of a mean free path's share.
	if got, want := alongFilm(1e4), 1-3.0/8e4; math.Abs(got-want) > 1e-8 {
		t.Errorf("a thick film keeps %.9g, want %.9g", got, want)
	}
}

// Measured in the plane at 300 K: 20 nm, W. Liu and M. Asheghi, Appl. Phys. Lett. 84 (2004) 3819; 17.5 nm, P.
// Ferrando-Villalba et al., Nanotechnology 25 (2014) 185402.
func TestFilmsOfSiliconAgainstMeasurements(t *testing.T) {
	for _, tt := range []struct{ nm, measured float64 }{{20, 22}, {17.5, 19}} {
		k, _ := ThinFilm(isotropic(148, 1.66e6), tt.nm*1e-9, 300e-9)
		if math.Abs(k[0]-tt.measured) > 0.15*tt.measured {
			t.Errorf("%g nm: %.3g W/(m K), measured %g", tt.nm, k[0], tt.measured)
		}
		t.Logf("%g nm: %.3g W/(m K) along, %.3g across, measured %g along", tt.nm, k[0], k[2], tt.measured)
	}
}
