package mesh

import "thermsim/stack"

// PatchedFace is a face with patches, cell by cell: a counts along its first coordinate and fastest, (x, y), (y, z) or
// (x, z).
//
// Where edges of patches cut a cell, its parts lead to their temperatures side by side, each behind half of the cell:
//
//	G = sum of A_p / (R"_p + half)      G T = sum of A_p T_p / (R"_p + half)      q = sum of q_p A_p / A
//
// The cell then counts as one of the resistance R" = A/G - half, the temperature T and the flux q. half is that of the
// materials at 300 K.
type PatchedFace struct {
	face   stack.Face
	NA, NB int
	// Of the cells: the resistance in m2K/W, negative where no temperature drives the cell, the temperature in K, and
	// the flux in W/m2 that enters.
	Resistance, Temperature, Flux []float64

	owner []int32         // the patch that covers a cell, unpatched where none does; overruled by parts
	parts map[int][]piece // of the cells that edges or tiles of maps cut
	area  []float64       // m2 that are seen of each patch, and last of what they leave
	mean  float64         // resistance of the face, m2K/W; negative where no temperature drives it
}

// unpatched is the owner of what no patch covers.
const unpatched = -1

// piece is a part of a cell's surface.
type piece struct {
	patch int32
	share float64
	h     float64 // of a map
}

func (p *PatchedFace) at(i, j, k int) int {
	switch p.face {
	case stack.Bottom, stack.Top:
		return j*p.NA + i
	case stack.West, stack.East:
		return k*p.NA + j
	}
	return k*p.NA + i
}

func (p *PatchedFace) drive(n int) Drive {
	return Drive{Resistance: p.Resistance[n], Temperature: p.Temperature[n], Flux: p.Flux[n]}
}

// Drive is what a face does to one of its cells: the temperature behind a resistance, and heat that enters.
type Drive struct {
	// between the surface and Temperature in m2K/W, the typical one where it follows the temperature; negative where no
	// temperature drives the cell
	Resistance  float64
	Temperature float64 // K
	Flux        float64 // W/m2 that enter
}

// Driven says whether a temperature drives the cell.
func (d *Drive) Driven() bool { return d.Resistance >= 0 }
