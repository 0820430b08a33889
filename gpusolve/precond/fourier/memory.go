package fourier

import (
	"math"

	"thermsim/gpusolve/precond"
	"thermsim/powermap"
)

// Memory is what the preconditioner takes: a state in FP64.
func Memory(s precond.Shape, _ precond.Settings) precond.Need {
	if s.GPU {
		bytes := 8*s.Unknowns + gpuBytes(s)
		return precond.Need{SetUp: bytes, Held: bytes}
	}
	return precond.Need{SetUp: 8 * s.Unknowns, Held: 8 * s.Unknowns}
}

// DirectMemory is what the direct solver takes: states in modes, their planes in space, and spectra of the power; while the residual is taken,
// the power in space, and in time a plane of the state before.
func DirectMemory(s precond.Shape) precond.Need {
	states := int64(1)
	if s.InTime {
		states = max(2, s.States)
	}
	if s.GPU {
		return gpuDirect(s, states)
	}
	held, residual := 8*(states+1)*s.Unknowns, int64(0)
	if s.InTime {
		residual += 8 * s.Sheet()
	}
	if s.Mesh != nil {
		for _, d := range drawings(s) {
			held += sourceBytes(s, &d)
			if plane, _ := d.Multiple(); plane == nil {
				residual += 8 * s.Sheet()
			}
		}
		held += 48 * 8 * int64(s.NX+s.NY) // lines and tables of the transforms
	}
	return precond.Need{SetUp: held + residual, Held: held}
}

func drawings(s precond.Shape) []powermap.Drawing {
	if s.InTime {
		if drawn, err := s.Mesh.Power.Sequence().Over(0, 1); err == nil {
			return drawn
		}
	}
	return s.Mesh.Power.Steady()
}

// sourceBytes are the spectra of a drawing.
func sourceBytes(s precond.Shape, d *powermap.Drawing) int64 {
	bytes := int64(0)
	if byProducts(d, s.Sheet()) {
		bytes = 8 * (int64(len(d.Footprints))*int64(s.NX+s.NY) + int64(len(d.Planes))*s.Sheet())
	}
	if bytes == 0 || len(d.Planes) > 0 || len(d.Footprints) > fewProducts {
		bytes += 8 * s.Sheet()
	}
	return bytes
}

// fewProducts is the number of footprints up to which a row of the spectrum is formed where it is needed.
const fewProducts = 2

// byProducts says whether the footprints' products are quicker than drawing the plane and transforming it: a product is a multiplication and an addition a
// mode, the transform about four for each of the binary digits of the plane's cells.
func byProducts(d *powermap.Drawing, cells int64) bool {
	return float64(len(d.Footprints)) <= 4*math.Log2(float64(cells)+1)
}
