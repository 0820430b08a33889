package stackfile

import (
	"math"
	"strings"
	"testing"

	"thermsim/stack"
	"thermsim/stack/heatsink"
)

// TestFilms reads faces whose coefficients follow the temperature: what the file leaves open follows from the sizes of
// the faces.
func TestFilms(t *testing.T) {
	text := strings.Replace(small, "boundary.top = { h = 1e4 }\n", `boundary.top = { convection = "natural", emissivity = 0.9 }
boundary.bottom = { h = { value = 10, exponent = -1, range = [280, 400] } }
boundary.west = { h = 3, convection = "natural" }
boundary.north = { convection = "natural", orientation = "down", length = "7 mm", ambient = "350 K" }
`, 1)
	s, err := Parse("s.toml", []byte(text), files{}.open)
	if err != nil {
		t.Fatal(err)
	}
	b, size := &s.Boundary, s.Size
	if top := b[stack.Top]; top.Natural != heatsink.Up ||
		math.Abs(top.Length-size[0]*size[1]/(2*(size[0]+size[1]))) > 1e-15 || top.H != 0 || top.Emissivity != 0.9 {
		t.Errorf("top %+v", top)
	}
	if west := b[stack.West]; west.Natural != heatsink.Vertical || west.Length != s.Height() || west.H != 3 {
		t.Errorf("west %+v", west)
	}
	if north := b[stack.North]; north.Natural != heatsink.Down || north.Length != 7e-3 || north.Temperature != 350 {
		t.Errorf("north %+v", north)
	}
	if bottom := b[stack.Bottom]; bottom.H != 0 || bottom.Law == nil || math.Abs(bottom.Law.Of(330)-11) > 1e-12 {
		t.Errorf("bottom %+v", bottom)
	}
	for f := range b {
		if b[f].TemperatureDependent() != (f != int(stack.East) && f != int(stack.South)) {
			t.Errorf("%s follows: %v", stack.Face(f), b[f].TemperatureDependent())
		}
	}
}

// TestFilmsAsCurves compares what solvers evaluate with the formulas: radiation to rounding, the table of natural
// convection to 3e-5 between its rows.
func TestFilmsAsCurves(t *testing.T) {
	for _, ambient := range []float64{230, 298.15, 400} {
		for _, o := range []heatsink.Orientation{heatsink.Up, heatsink.Down, heatsink.Vertical} {
			for _, length := range []float64{1e-3, 2e-2, 0.5} {
				b := stack.Boundary{Kind: stack.Convective, Temperature: ambient,
					Film: stack.Film{Natural: o, Length: length, Emissivity: 0.85}}
				convection, radiation := b.HCurves()
				for v := -0.95 * (ambient - 170); v < 500; v += 0.737 {
					ts := ambient + v
					want, _, err := heatsink.Natural(o, ts, ambient, length)
					if err != nil {
						continue
					}
					if got := convection.Of(ts); math.Abs(v) > 0.2 && math.Abs(got-want) > 3e-5*want {
						t.Fatalf("%s, %g m, %g K in air of %g K: %.9g, want %.9g W/(m2 K)", o, length, ts, ambient, got,
							want)
					}
					q := 0.85 * heatsink.StefanBoltzmann * (math.Pow(ts, 4) - math.Pow(ambient, 4))
					if got := radiation.Of(ts) * v; math.Abs(got-q) > 1e-11*math.Pow(ts, 4)*heatsink.StefanBoltzmann {
						t.Fatalf("%g K to %g K: %.12g, want %.12g W/m2", ts, ambient, got, q)
					}
				}
			}
		}
	}
}
