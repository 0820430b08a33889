package analytic

import (
	"math"
	"testing"
)

func isotropic(k float64) [3]float64 { return [3]float64{k, k, k} }

var (
	onLayer = Plate{A: 10e-3, B: 10e-3, H: 1e4, Sheets: []Sheet{{Thickness: 1e-3, K: isotropic(20)}}}
	onTwo   = Plate{A: 10e-3, B: 10e-3, H: 2e4, Sheets: []Sheet{
		{Thickness: 200e-6, K: isotropic(398)}, {Thickness: 300e-6, K: isotropic(1.1)}}}
	small = Source{X: 5e-3, Y: 5e-3, Width: 2e-3, Height: 2e-3, Watts: 4}
	chip  = Source{X: 5e-3, Y: 5e-3, Width: 2.85e-3, Height: 2.85e-3, Watts: 1.33}
)

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Abs(want)) {
		t.Errorf("%s: got %.9g, want %.9g (relative error %.2e, tolerance %.0e)", what, got, want, got/want-1, rel)
	}
}

// The four figures were computed elsewhere with the published one- and two-layer formulas. The second, 52.4388, is the
// bare series cut off near 2000 modes per axis: the sum is 52.438995, hence a tolerance of 5e-6.
func TestPlateAgainstPublishedFormulas(t *testing.T) {
	near(t, "one layer, mean", onLayer.MeanRise(small, 500), 43.1707, 2e-6)
	near(t, "one layer, centre", onLayer.Rise(small, 5e-3, 5e-3, 400), 52.4388, 5e-6)
	near(t, "two layers, mean", onTwo.MeanRise(chip, 500), 6.28321, 2e-6)
	near(t, "two layers, centre", onTwo.Rise(chip, 5e-3, 5e-3, 400), 6.87732, 2e-6)
}

func TestPlateSeriesHaveConverged(t *testing.T) {
	near(t, "mean", onLayer.MeanRise(small, 500), onLayer.MeanRise(small, 2000), 1e-7)
	near(t, "centre", onLayer.Rise(small, 5e-3, 5e-3, 400), onLayer.Rise(small, 5e-3, 5e-3, 800), 1e-12)
	near(t, "beside the source", onLayer.Rise(small, 2e-3, 7e-3, 300), onLayer.Rise(small, 2e-3, 7e-3, 600), 1e-10)
}

// A source over the whole face leaves one-dimensional conduction.
func TestPlateFullyCoveredIsASlab(t *testing.T) {
	p := onTwo
	p.Sheets = append([]Sheet(nil), p.Sheets...)
	p.Sheets[0].Contact = 3e-6
	s := Source{X: p.A / 2, Y: p.B / 2, Width: p.A, Height: p.B, Watts: 7}
	want := SlabRise(p.Sheets, p.H, s.Watts/(p.A*p.B), 0)
	near(t, "mean", p.MeanRise(s, 50), want, 1e-13)
	near(t, "corner", p.Rise(s, 0, 0, 50), want, 1e-13)
}

// Cutting a sheet in two must not change anything; nor must turning the plate by 90 degrees.
func TestPlateInvariances(t *testing.T) {
	p := Plate{A: 8e-3, B: 5e-3, H: 3e3, Sheets: []Sheet{{Thickness: 0.6e-3, K: [3]float64{90, 40, 15}}}}
	s := Source{X: 2e-3, Y: 3e-3, Width: 1.5e-3, Height: 2e-3, Watts: 2}
	cut := p
	cut.Sheets = []Sheet{{Thickness: 0.25e-3, K: [3]float64{90, 40, 15}},
		{Thickness: 0.35e-3, K: [3]float64{90, 40, 15}}}
	near(t, "cut sheet", cut.MeanRise(s, 200), p.MeanRise(s, 200), 1e-12)

	turned := Plate{A: p.B, B: p.A, H: p.H, Sheets: []Sheet{{Thickness: 0.6e-3, K: [3]float64{40, 90, 15}}}}
	ts := Source{X: s.Y, Y: s.X, Width: s.Height, Height: s.Width, Watts: 2}
	near(t, "turned", turned.MeanRise(ts, 200), p.MeanRise(s, 200), 1e-12)
}

// On a plate much larger than the source the centre is that of a square of uniform flux q on a half-space,
// rise = 2 q c ln(1 + sqrt 2) / (pi k) for a side of c (Carslaw and Jaeger, 2nd ed., sec. 10.5).
func TestPlateTendsToHalfSpace(t *testing.T) {
	const c, k, q = 0.1e-3, 100.0, 1e8
	p := Plate{A: 10e-3, B: 10e-3, H: 1e12, Sheets: []Sheet{{Thickness: 10e-3, K: isotropic(k)}}}
	s := Source{X: 5e-3, Y: 5e-3, Width: c, Height: c, Watts: q * c * c}
	near(t, "centre", p.Rise(s, 5e-3, 5e-3, 1500), 2*q*c*math.Log(1+math.Sqrt2)/(math.Pi*k), 0.01)
}
