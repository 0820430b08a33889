package fourier

import (
	"math"

	"thermsim/gpusolve/precond"
	"thermsim/powermap"
)

func drawings(s precond.Shape) []powermap.Drawing {
	if s.InTime {
		if drawn, err := s.Mesh.Power.Sequence().Over(0, 1); err == nil {
			return drawn
		}
	}
	return s.Mesh.Power.Steady()
}

// fewProducts is the number of footprints up to which a row of the spectrum is formed where it is needed.
const fewProducts = 2

// byProducts says whether the footprints' products are quicker than drawing the plane and transforming it: a product is
// a multiplication and an addition a mode, the transform about four for each of the binary digits of the plane's cells.
func byProducts(d *powermap.Drawing, cells int64) bool {
	return float64(len(d.Footprints)) <= 4*math.Log2(float64(cells)+1)
}
