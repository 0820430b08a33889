package ilu

import "thermsim/gpusolve/precond"

// Memory counts the matrix by diagonals, the factor in FP64 with its diagonal, and the triangles in FP32 or FP64 with a field between the two solves; only the
// triangles stay. Those of FP64 are the factor itself, but for patches on a GPU, which are padded.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	off, cells, width := int64(3), s.Unknowns, int64(4) // diagonals of L, and of U where that is another
	if set.Int("order") == 1 {
		off = 6
	}
	if !s.Symmetric {
		off *= 2
	}
	patches := s.GPU && set.Int("order") == 0 && set.Text("form") == forms[ByTiles]
	if patches {
		shape, _ := squeezed(s.NX, s.NY, s.NZ)
		cells = newPatchPlan(shape[0], shape[1], shape[2], Options{}).padded()
	}
	factor := 8 * (off + 1) * s.Unknowns
	if set.Text("precision") == "fp64" {
		if width = 8; !patches {
			factor = 0
		}
	}
	triangles := width * (off + 2) * cells
	if s.GPU {
		triangles += plans * (int64(s.NY)*int64(s.NZ) + 64)
	}
	return precond.Need{SetUp: s.Diagonals() + factor + triangles, Held: triangles}
}

// plans bounds the plan and the states of tiles, in bytes per row of the grid.
const plans = 8
