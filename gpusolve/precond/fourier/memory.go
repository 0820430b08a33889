package fourier

import (
	"thermsim/gpusolve/precond"
	"thermsim/powermap"
)

// Memory is what the preconditioner takes: a state in FP64.
func Memory(s precond.Shape, _ precond.Settings) precond.Need {
	if s.GPU {
		part := largestPart(s, 1)
		bytes := 8*s.Unknowns + gpuBytes(s, &part)
		return precond.Need{SetUp: bytes, Held: bytes}
	}
	return precond.Need{SetUp: 8 * s.Unknowns, Held: 8 * s.Unknowns}
}

// DirectMemory is what the direct solver takes, or where several ranks share the grid the one of them that takes most:
// states in modes, their planes in space, and spectra of the power; while the residual is taken, the power in space,
// and in time a plane of the state before.
func DirectMemory(s precond.Shape, size int) precond.Need {
	states := int64(1)
	if s.InTime {
		states = max(2, s.States)
	}
	modes, space := partCells(s, size)
	if s.GPU {
		return gpuDirect(s, states, size)
	}
	held, residual := 8*(states*modes+space)*int64(s.NZ), int64(0)
	if size > 1 { // planes between the transforms, and as messages out and in
		turned := 8 * int64(turnedAtOnce(s.NX, s.NY, s.NZ)) * max(modes, space)
		held, residual = held+turned, 2*turned
	}
	if s.InTime {
		residual += 8 * space
	}
	if s.Mesh != nil {
		for _, d := range drawings(s) {
			held += sourceBytes(s, &d, modes)
			if plane, _ := d.Multiple(); plane == nil {
				residual += 8 * space
			}
		}
		held += 48 * 8 * int64(s.NX+s.NY) // lines and tables of the transforms
	}
	return precond.Need{SetUp: held + residual, Held: held}
}

// sourceBytes are the spectra of a drawing, so many modes of each plane.
func sourceBytes(s precond.Shape, d *powermap.Drawing, modes int64) int64 {
	bytes := int64(0)
	if byProducts(d, s.Sheet()) {
		bytes = 8 * (int64(len(d.Footprints))*int64(s.NX+s.NY) + int64(len(d.Planes))*modes)
	}
	if bytes == 0 || len(d.Planes) > 0 || len(d.Footprints) > fewProducts {
		bytes += 8 * modes
	}
	return bytes
}
