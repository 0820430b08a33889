package packaging

import "fmt"

// edge is the distance of the planes of a test board from its edge, JESD51-9 and JESD51-11, table 4.
const edge = 1 * mm

// CopperMaterial names the material of a copper layer of the board, counted from 1 at the bottom.
func CopperMaterial(n int) string { return fmt.Sprintf("board_copper_%d", n) }

// wiredBoard lays out the board: its copper layers and the dielectric between them. A single copper layer is on top.
// Otherwise the outermost are the faces of the board, and the next ones are at the distance of the prepreg from them.
func (l *layouter) wiredBoard() {
	b := l.p.Board
	gaps := b.gaps()
	for n := range len(b.Copper) + 1 {
		if gap := gaps[n]; gap > 0 {
			y := Layer{Name: fmt.Sprintf("board_%d", n+1), Key: "board", Material: b.Dielectric, Thickness: gap,
				Cells: b.Cells}
			if b.Vias > 0 {
				y.Parts = []Part{l.body("vias", "board_vias")}
			}
			l.add(y)
		}
		if n < len(b.Copper) {
			l.copper(n)
		}
	}
}

// gaps are the thicknesses of dielectric below the first copper layer, between the layers and above the last.
func (b *Board) gaps() []float64 {
	n := len(b.Copper)
	gaps := make([]float64, n+1)
	rest := b.Thickness
	for _, c := range b.Copper {
		rest -= c.Thickness
	}
	switch {
	case n < 2:
		gaps[0] = rest
	case n == 2:
		gaps[1] = rest
	case n == 3:
		gaps[1], gaps[2] = rest/2, rest/2
	default:
		outer := min(prepreg, rest/float64(n-1))
		gaps[1], gaps[n-1] = outer, outer
		for i := 2; i < n-1; i++ {
			gaps[i] = (rest - 2*outer) / float64(n-3)
		}
	}
	return gaps
}

// prepreg is the smallest distance of the planes from the faces, 0.25 mm in JESD51-7 and JESD51-9.
const prepreg = 0.25 * mm

// copper is a copper layer: traces around the body, or a plane that ends short of the edge.
func (l *layouter) copper(n int) {
	b := l.p.Board
	c := b.Copper[n]
	y := Layer{Name: fmt.Sprintf("copper_%d", n+1), Key: "board", Material: CopperMaterial(n + 1),
		Thickness: c.Thickness, Cells: 1}
	domain := Rect{0, 0, l.Width, l.Height}
	outer := n == 0 && len(b.Copper) > 1 || n == len(b.Copper)-1
	where := domain
	switch {
	case b.FanOut > 0 && outer:
		where = grown(l.Body, b.FanOut, domain)
	case b.Planes:
		side := min(l.Width, l.Height)
		where = Rect{edge, l.Height - side + edge, side - 2*edge, side - 2*edge}
	}
	if where != domain {
		y.Material = b.Dielectric
		y.Parts = []Part{{y.Name, CopperMaterial(n + 1), where, -1, 0, false}}
	}
	l.add(y)
}
