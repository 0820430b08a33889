package picture

import (
	"image/color"
	"math"
	"testing"
)

// Colours as published: matplotlib's viridis and inferno, Google's turbo, Moreland's coolwarm. The polynomials are
// fits; turbo's own is off by up to 34 levels in the blue of its very beginning.
func TestColormapsAreThePublishedOnes(t *testing.T) {
	for name, want := range map[string][3]color.RGBA{
		"inferno":  {{0, 0, 4, 255}, {188, 55, 84, 255}, {252, 255, 164, 255}},
		"viridis":  {{68, 1, 84, 255}, {33, 145, 140, 255}, {253, 231, 37, 255}},
		"turbo":    {{48, 18, 59, 255}, {163, 253, 61, 255}, {122, 4, 3, 255}},
		"coolwarm": {{59, 76, 192, 255}, {221, 221, 221, 255}, {180, 4, 38, 255}},
	} {
		tolerance := map[string]int{"turbo": 34}[name]
		m, err := NamedColormap(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			got := m.At(float64(i) / 2)
			for _, d := range [3]int{int(got.R) - int(w.R), int(got.G) - int(w.G), int(got.B) - int(w.B)} {
				if d < -max(14, tolerance) || d > max(14, tolerance) {
					t.Errorf("%s at %g is %v, want %v", name, float64(i)/2, got, w)
				}
			}
		}
	}
	if _, err := NamedColormap("jet"); err == nil {
		t.Error("jet is no map of ours")
	}
}

// The maps that order values must grow lighter all along; the diverging one darker to both sides.
func TestLightnessOrdersValues(t *testing.T) {
	lightness := func(m *Colormap, i int) float64 {
		c := m[i]
		return toOklab(float64(c.R), float64(c.G), float64(c.B))[0]
	}
	for _, m := range []*Colormap{Inferno(), Viridis()} {
		for i := 8; i < len(m); i += 4 {
			if lightness(m, i) <= lightness(m, i-4) {
				t.Errorf("lightness falls from %d to %d", i-4, i)
			}
		}
	}
	m := Coolwarm()
	for i := 4; i < 128; i += 4 {
		if lightness(m, i) <= lightness(m, i-4) || lightness(m, 255-i) <= lightness(m, 259-i) {
			t.Errorf("the diverging map is not lightest in the middle, at %d", i)
		}
	}
}

func TestOklabInverse(t *testing.T) {
	for _, c := range [][3]float64{{0, 0, 0}, {255, 255, 255}, {59, 76, 192}, {180, 4, 38}, {12, 200, 99}} {
		lab := toOklab(c[0], c[1], c[2])
		for i, v := range oklab(lab[0], lab[1], lab[2]) {
			if math.Abs(255*v-c[i]) > 0.01 {
				t.Errorf("%v comes back as %g in component %d", c, 255*v, i)
			}
		}
	}
}
