package mesh

import (
	"math"
	"testing"

	"thermsim/stack"
)

// TestSurfaceOfFilm finds the temperature of surfaces by bisection, and the derivative of the heat by differences.
func TestSurfaceOfFilm(t *testing.T) {
	s := warmStack(0)
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 5, Temperature: 310,
		Film: stack.Film{Emissivity: 0.9}}
	steep := &stack.Curve{Law: stack.PowerLaw, Value: 20, At: 300, Exponent: -12, Range: [2]float64{250, 600}}
	s.Boundary[stack.East] = stack.Boundary{Kind: stack.Convective, Temperature: 290, Film: stack.Film{Law: steep}}
	m, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	coefficient := map[stack.Face]func(float64) float64{
		stack.Top: func(ts float64) float64 {
			return 5 + 0.9*5.670374419e-8*(math.Pow(ts, 4)-math.Pow(310, 4))/(ts-310)
		},
		stack.East: steep.Of,
	}
	for f, h := range coefficient {
		law := m.faceLaw(f)
		for _, half := range []float64{1e-6, 1e-3, 0.05, 3} {
			for _, u := range []float64{-25, -1e-3, 1e-3, 4, 250} {
				heat := func(u float64) (v, q float64) {
					low, high := math.Min(u, 0), math.Max(u, 0)
					for range 200 {
						mid := (low + high) / 2
						if (u-mid)-half*h(law.Ambient+mid)*mid > 0 {
							low = mid
						} else {
							high = mid
						}
					}
					return low, h(law.Ambient+low) * low
				}
				v, q := heat(u)
				gotV, _, _ := m.Laws.surface(law, u, half)
				gotQ, g := m.Laws.exchange(law, u, half)
				if math.Abs(gotV-v) > 1e-9*math.Abs(u) || math.Abs(gotQ-q) > 1e-9*math.Abs(q) {
					t.Errorf("%s, %g above, half %g: surface %.12g, %.12g W/m2, want %.12g, %.12g", f, u, half, gotV,
						gotQ, v, q)
				}
				_, more := heat(u + 1e-4*math.Abs(u))
				_, less := heat(u - 1e-4*math.Abs(u))
				if want := math.Max(q/u, (more-less)/(2e-4*math.Abs(u))); math.Abs(g-want) > 1e-4*want {
					t.Errorf("%s, %g above, half %g: conductance %.9g, want %.9g", f, u, half, g, want)
				}
			}
		}
	}
	// A sample of a surface is the very temperature found there.
	const kelvin = 380.0
	top := m.Warmed(func(int, int) (float64, bool) { return kelvin, true }).SampleAt(1, 1, 3, stack.Below)
	got := top.Constant
	for _, term := range top.Terms {
		got += term.Weight * kelvin
	}
	own := m.Laws.Warm(m.EntryAt(1, 1, m.NZ()-1), kelvin, kelvin)
	v, _, _ := m.Laws.surface(m.faceLaw(stack.Top), kelvin-310, m.halfOf(stack.Top, 1, 1, m.NZ()-1, &own))
	if math.Abs(got-310-v) > 1e-9 {
		t.Errorf("the sample of the surface has %.10g K, want %.10g K", got, 310+v)
	}
}
