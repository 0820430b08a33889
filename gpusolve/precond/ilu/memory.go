package ilu

import "thermsim/gpusolve/precond"

// Memory counts the matrix by diagonals, the factor in FP64 with its diagonal, and the triangles in FP32 or FP64 with a field between the two solves; only the
// triangles stay. On a processor those of FP64 are the factor itself; on a GPU patches are padded, and have L and U apart.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	how := Options{Order: set.Int("order"), Double: set.Text("precision") == "fp64", Form: FormOf(set.Text("form"))}
	side, sides, width := int64(len(Neighbours(how.Order))), int64(1), int64(4)
	if how.Double {
		width = 8
	}
	if !s.Symmetric {
		sides = 2
	}
	factor, triangles := 8*(sides*side+1)*s.Unknowns, width*(sides*side+2)*s.Unknowns
	switch {
	case !s.GPU && how.Double:
		factor = 0
	case s.GPU && how.Form == ByTiles:
		shape, _ := squeezed(s.NX, s.NY, s.NZ)
		triangles = width * (2*side + 2) * newPatchPlan(shape[0], shape[1], shape[2], how).padded()
	}
	if s.GPU {
		triangles += plans * (int64(s.NY)*int64(s.NZ) + 64)
	}
	return precond.Need{SetUp: s.Diagonals() + factor + triangles, Held: triangles}
}

// plans bounds the plan and the states of tiles, in bytes per row of the grid.
const plans = 8
