package picture

import (
	"bytes"
	"strings"
	"testing"
)

// A warm and a hot map in one figure have isotherms of one step: those of the warm one, of 4 K, would have a step of
// 0.5 K of its own.
func TestPanelsShareTheIsothermStep(t *testing.T) {
	hot := sampleMap(0.02, 0.015, 60, 45, hills)
	warm := sampleMap(0.02, 0.015, 60, 45, func(x, y float64) float64 { return 310 + (hills(x, y)-310)/15 })
	p := &Panels{Title: "two", Maps: []HeatMap{*hot, *warm}, Lo: hot.Lo, Hi: hot.Hi}
	step := p.isothermStep()
	if own := isothermStep(hot.Lo, hot.Hi); step != own {
		t.Errorf("the step is %g K, that of the hotter map %g", step, own)
	}
	if own := isothermStep(warm.Lo, warm.Hi); own >= step/4 {
		t.Errorf("the warm map alone has a step of %g K, no finer than %g", own, step)
	}
	var b bytes.Buffer
	if err := p.Write(&b, SVG); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), ">37.5<") || strings.Contains(b.String(), ">38<") {
		t.Error("an isotherm of the finer step is labelled")
	}
}

// Colours of as many materials as stacks have can be told apart: no two of the first 24 are the same to the eye (an
// Oklab distance of 0.02 is seen).
func TestMaterialColours(t *testing.T) {
	const materials = 24
	for a := range materials {
		for b := range a {
			p, q := okabeIto(a), okabeIto(b)
			u, v := toOklab(float64(p.R), float64(p.G), float64(p.B)), toOklab(float64(q.R), float64(q.G), float64(q.B))
			d := 0.0
			for i := range u {
				d += (u[i] - v[i]) * (u[i] - v[i])
			}
			if d < 0.02*0.02 {
				t.Errorf("materials %d and %d look alike: %v and %v", a, b, p, q)
			}
		}
	}
}
