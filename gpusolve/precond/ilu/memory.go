package ilu

import "thermsim/gpusolve/precond"

// Memory counts the matrix by diagonals, the factor in FP64 with its diagonal, and the triangles in FP32 with a field
// between the two solves; only the triangles stay. Those of FP64 are the factor itself.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	off := int64(3) // diagonals of L, and of U where that is another
	if set.Int("order") == 1 {
		off = 6
	}
	if !s.Symmetric {
		off *= 2
	}
	factor, triangles := 8*(off+1)*s.Unknowns, 4*(off+2)*s.Unknowns
	if set.Text("precision") == "fp64" {
		triangles = factor + 8*s.Unknowns
		factor = 0
	}
	if s.GPU {
		triangles += plans * (int64(s.NY)*int64(s.NZ) + 64)
	}
	return precond.Need{SetUp: s.Diagonals() + factor + triangles, Held: triangles}
}

// plans bounds the plan and the states of tiles, in bytes per row of the grid.
const plans = 8
