package stackfile

import (
	"math"
	"strings"
	"testing"

	"thermsim/stack"
	"thermsim/stack/heatsink"
)

// The mass of the fins, times their efficiency, sits in the base; so does a capacity that the file gives.
func TestHeatSinkCapacity(t *testing.T) {
	const head = "schema = 1\nsize = [\"40 mm\", \"60 mm\"]\n[materials.al]\nk = 167\nc = 2.4e6\n[[layer]]\nname = " +
		"\"die\"\nmaterial = \"silicon\"\nthickness = \"1 mm\"\n" +
		"[heat_sink]\nmaterial = \"al\"\nbase = \"5 mm\"\n"
	base := 5e-3 * 40e-3 * 60e-3
	along := heatsink.Fins{Count: 20, Thickness: 1e-3, Height: 25e-3, Length: 40e-3, Width: 60e-3, K: 167, H: 60}
	for text, want := range map[string]float64{
		"resistance = 0.5\n":                         2.4e6,
		"resistance = 0.5\ncapacity = \"150 J/K\"\n": 2.4e6 + 150/base,
		"fins = { count = 20, thickness = \"1 mm\", height = \"25 mm\", along = " +
			"\"x\", h = 60 }\n": 2.4e6 + along.Efficiency()*2.4e6*20*1e-3*25e-3*40e-3/base,
		"capacity = 0\nfins = { count = 20, thickness = \"1 mm\", height = \"25 mm\", along = \"x\", h = 60 }\n": 2.4e6,
	} {
		s := mustParse(t, files{"stack.toml": head + text})
		y := s.Layers[1]
		if m := s.Materials[y.Material]; math.Abs(m.C/want-1) > 1e-12 || y.Name != "heat_sink" || y.Thickness != 5e-3 {
			t.Errorf("%s: c = %.10g, want %.10g", text, m.C, want)
		}
		if b := s.Boundary[stack.Top]; strings.Contains(text, "resistance") &&
			(b.Kind != stack.LumpedResistance || b.Resistance != 0.5) ||
			strings.Contains(text, "fins") && (b.Kind != stack.Convective || math.Abs(b.H/along.OnBase()-1) > 1e-12) {
			t.Errorf("%s: boundary %+v", text, b)
		}
	}
}
