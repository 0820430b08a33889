package ddilu

import "thermsim/gpusolve/precond"

// Memory counts the factor by diagonals, in FP32 or FP64, the pivots in FP64 and the matrix by diagonals; on a GPU rows
// and planes of bricks are padded. Matrices by rows are factored on the processor, by parts.
func Memory(s precond.Shape, set precond.Settings) precond.Need {
	if !s.Grid() {
		return partsMemory(s, set)
	}
	planes := int64(4)
	if !s.Symmetric {
		planes = 7
	}
	rows := s.Unknowns
	if s.GPU {
		rows = paddedRows(s, set)
	}
	width := int64(4)
	if double(set) {
		width = 8
	}
	held := width * planes * rows
	if !s.GPU && double(set) {
		held += width * rows
	}
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
			if double(set) {
				rows /= 2
			}
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

// partsMemory is for a matrix by rows: entries of L and U with their columns, and their rows where edges are added, and
// some numbers a row; while it is set up the entries of the parts in FP64 beside them, on a processor twice.
func partsMemory(s precond.Shape, set precond.Settings) precond.Need {
	entry := int64(8)
	if double(set) {
		entry = 12
	}
	if s.GPU && traversal(set) == ByEdges {
		entry += 4
	}
	held := entry*s.Entries + 52*s.Unknowns
	if s.GPU {
		return precond.Need{SetUp: held + 12*s.Entries + 16*s.Unknowns, Held: held}
	}
	return precond.Need{SetUp: held + 24*s.Entries + 80*s.Unknowns, Held: held}
}
