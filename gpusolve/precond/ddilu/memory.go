package ddilu

import "thermsim/gpusolve/precond"

// Memory counts the factor in FP32 by diagonals, the pivots in FP64 and the matrix by diagonals; on a GPU rows and planes of bricks are padded. Matrices by
// rows are factored on the processor, by parts.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	if !s.Grid() {
		return partsMemory(s)
	}
	planes := int64(4)
	if !s.Symmetric {
		planes = 7
	}
	rows := s.Unknowns
	if s.GPU {
		rows = paddedRows(s, set)
	}
	held := 4 * planes * rows
	if s.GPU && set.Text("form") == "global" {
		held += 4 * rows
	}
	return precond.Need{SetUp: s.Diagonals() + held + 8*rows, Held: held}
}

// brickRows is what a brick holds where the device has not said.
const brickRows = 4096

// paddedRows counts the rows of all bricks as a GPU lays them out: lines of whole quads, planes off each other's banks.
func paddedRows(s precond.Shape, set precond.Settings) int64 {
	shape := [3]int{s.NX, s.NY, s.NZ}
	cells := shape
	launches := set.Text("form") == "levels"
	if !launches {
		rows := set.Int("rows")
		if rows == 0 {
			rows = brickRows
		}
		cells = brickOf(shape, rows)
	}
	count := int64(1)
	for a, n := range shape {
		count *= int64((n + cells[a] - 1) / cells[a])
	}
	pitch := int64(cells[0])
	if !launches {
		pitch = (pitch + 3) &^ 3
	}
	plane := pitch * int64(cells[1])
	if !launches && (plane-pitch)/4%2 == 0 {
		plane += 4
	}
	return count * ((plane*int64(cells[2]) + 3) &^ 3)
}

// partsMemory is for a matrix by rows: entries of L and U with their columns, and six numbers a row; on the processor, where parts are factored, the entries of
// the parts in FP64 beside them.
func partsMemory(s precond.Shape) precond.Need {
	held := 8*s.Entries + 52*s.Unknowns
	if s.GPU {
		return precond.Need{SetUp: held, Held: held}
	}
	return precond.Need{SetUp: held + 20*s.Entries + 64*s.Unknowns, Held: held}
}
