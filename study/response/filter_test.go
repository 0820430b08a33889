package response

import (
	"math"
	"testing"
)

// The bound holds for a single time constant wherever it lies, and so for every sum of them with positive parts.
func TestInversionKeepsItsBound(t *testing.T) {
	worst, amplification := 0.0, 0.0
	for p, f := range filters() {
		for u := -12.0; u <= 12; u += 0.0137 {
			tau, sum, noise := math.Pow(10, u), 0.0, 0.0
			for j, w := range f.w {
				part := w / (1 + sigma(f.first+j, float64(p)/phases)*tau)
				sum += part
				noise += math.Abs(part)
			}
			exact := -math.Expm1(-1 / tau)
			worst = max(worst, math.Abs(sum/exact-1))
			amplification = max(amplification, noise/exact)
		}
	}
	t.Logf("largest relative error %.2g, errors of solves are magnified up to %.3g times", worst, amplification)
	if worst > FilterBound || amplification > 2000 {
		t.Errorf("relative error %g, amplification %g; want at most %g and 2000", worst, amplification, FilterBound)
	}
}

// Times and shifts are on one grid: two time constants 9 decades apart.
func TestInversionOverNineDecades(t *testing.T) {
	exact := func(at float64) float64 { return -1e-4*math.Expm1(-at/1e-8) - math.Expm1(-at/0.5) }
	times := newSpan(1e-9, 10)
	if times.count != 201 || math.Abs(times.at(200)-10) > 1e-12 {
		t.Fatalf("%d times up to %g", times.count, times.at(times.count-1))
	}
	var h []float64
	for _, s := range times.shifts() {
		h = append(h, 1e-4/(1+s*1e-8)+1/(1+s*0.5))
	}
	for n, z := range times.response(h) {
		if want := exact(times.at(n)); math.Abs(z/want-1) > FilterBound {
			t.Errorf("%g at %g s, want %g", z, times.at(n), want)
		}
	}
}
