package picture

import (
	"image/color"
	"math"
	"testing"
)

// Anchors of matplotlib's inferno, from its published table. The polynomial is within a few levels of it.
func TestInfernoAgainstItsTable(t *testing.T) {
	anchors := map[int]color.RGBA{
		0: {0, 0, 4, 255}, 64: {87, 16, 110, 255}, 128: {188, 55, 84, 255}, 192: {249, 142, 9, 255},
		255: {252, 255, 164, 255},
	}
	m := Inferno()
	for i, want := range anchors {
		got := m[i]
		for c, d := range [3]int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
			if d < -6 || d > 6 {
				t.Errorf("entry %d, channel %d: %v, published %v", i, c, got, want)
			}
		}
	}
}

// lightness is L* of CIELAB.
func lightness(c color.RGBA) float64 {
	y := luminance(c)
	if y <= 216.0/24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

// In a perceptually uniform map, lightness changes evenly: no entry may turn back or jump.
func TestLightnessIsMonotonicAndEven(t *testing.T) {
	for name, m := range map[string]*Colormap{"inferno": Inferno(), "density": Density()} {
		sign := 1.0
		if lightness(m[255]) < lightness(m[0]) {
			sign = -1
		}
		mean := sign * (lightness(m[255]) - lightness(m[0])) / 255
		const run = 16 // single entries are rounded to bytes
		for i := 0; i+run < 256; i++ {
			step := sign * (lightness(m[i+run]) - lightness(m[i])) / run
			if step < 0.4*mean || step > 1.7*mean {
				t.Errorf("%s: lightness step %.3f at entry %d, mean %.3f", name, step, i, mean)
				break
			}
		}
	}
}

func TestColorOfOutsidersAndNaN(t *testing.T) {
	m := Inferno()
	if m.At(-1) != m[0] || m.At(2) != m[255] {
		t.Error("values beyond the range must take the end colours")
	}
	if c := m.At(math.NaN()); c.R != c.G || c.G != c.B {
		t.Errorf("NaN has the colour %v, want grey", c)
	}
}
