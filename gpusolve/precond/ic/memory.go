package ic

import "thermsim/gpusolve/precond"

// Memory counts the matrix by diagonals, the factor in FP64 with its diagonal, and the triangles in FP32 with a field between the two solves; only
// the triangles stay.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	off := int64(3) // diagonals of L
	if set.Int("order") == 1 {
		off = 6
	}
	triangles := 4 * (off + 2) * s.Unknowns
	if s.GPU {
		triangles += plans * (int64(s.NY)*int64(s.NZ) + 64)
	}
	return precond.Need{SetUp: s.Diagonals() + 8*(off+1)*s.Unknowns + triangles, Held: triangles}
}

// plans bounds the plan and the states of tiles, in bytes per row of the grid.
const plans = 8
