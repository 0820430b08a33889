package powermap

import (
	"math"
	"testing"
)

// Recursive summation of n terms errs by at most (n-1) u times the sum of their magnitudes, u = 2^-53. What errs by
// more has lost power.
func TestConservationIsRounding(t *testing.T) {
	const u = 0x1p-53
	for _, terms := range []int{1, 1000, 20_000_000} {
		rounding := u * float64(terms)
		if err := checkConserved(100, 100*(1+rounding), 100, terms); err != nil {
			t.Errorf("%d terms: %v", terms, err)
		}
		if checkConserved(100, 100*(1+2*rounding+1.1e-12), 100, terms) == nil {
			t.Errorf("%d terms: twice the rounding passes", terms)
		}
	}
	for _, lost := range []float64{1e-11, 1e-6, 1e-3, 1, math.NaN(), math.Inf(1)} {
		if checkConserved(100, 100-lost*100, 100, 1) == nil {
			t.Errorf("a share of %g was lost unseen", lost)
		}
	}
}
