package hotspot

import (
	"fmt"
	"math"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// checkFloorplan warns of gaps, and of properties that are not used.
func (c *converter) checkFloorplan(s *slab) {
	for _, u := range s.units {
		if u.resistivity > 0 && !c.detailed {
			c.Note(importer.NotCarried, u.pos, "heat capacity and resistivity of block %q: HotSpot uses them with "+
				"detailed_3D only", u.name)
		}
	}
	area := 0.0
	for _, u := range s.units {
		area += u.width * u.height
	}
	_, _, overlap := importer.FirstOverlap(s.units, (*unit).box)
	if gap := 1 - area/(c.width*c.height); gap > 1e-6 && !overlap {
		c.checkGap(s, gap)
	}
}

// checkGap reports where a floorplan has no block. With detailed_3D HotSpot crashes on cells that no block touches, and
// on no others.
func (c *converter) checkGap(s *slab, gap float64) {
	shares := c.shares(s)
	first, empty := -1, -1
	for i, v := range shares {
		if first < 0 && v < 1-delta {
			first = i
		}
		if v == 0 {
			empty = i
			break
		}
	}
	if empty >= 0 && c.detailed && c.Request.Compat {
		cell, next := c.cellAt(s, empty)
		c.Faults.Add(next.pos, "fill the gap with a block without power, or omit --compat",
			"next to block %q nothing covers the %s; %s",
			stack.Shorten(next.name), cell, c.without())
		return
	}
	if first < 0 { // too small in every cell
		return
	}
	cell, next := c.cellAt(s, first)
	effect := "it is treated as unpowered"
	switch {
	case !c.detailed:
		effect += ", as in HotSpot"
	case c.Compat && c.pact == nil:
		effect = "it conducts no heat, as in HotSpot with detailed_3D"
	}
	c.NoteOnce(importer.Warning, next.pos,
		"%.3g %% of the floorplan has no block (first gap: next to %q in the %s); %s",
		100*gap, stack.Shorten(next.name), cell, effect)
}

// without is what the simulator does without a block.
func (c *converter) without() string {
	if c.pact != nil {
		return "PACT divides by zero there"
	}
	return "HotSpot crashes on a cell without a block if detailed_3D is on"
}

// mostShares is the maximum number of cells for which floorplans are checked cell by cell.
const mostShares = 1 << 26

// shares is the covered part of every cell of a slab, rows from the south; overlaps count twice. It is nil for grids
// too large to solve.
func (c *converter) shares(s *slab) []float64 {
	if c.rows*c.cols > mostShares {
		return nil
	}
	shares := make([]float64, c.rows*c.cols)
	for i := range s.units {
		c.eachCell(&s.units[i], func(row, col int, share float64) { shares[row*c.cols+col] += share })
	}
	return shares
}

// cellAt describes a cell, and finds the block nearest to its middle.
func (c *converter) cellAt(s *slab, i int) (cell string, nearest *unit) {
	cw, ch := c.cell()
	x, y := float64(i%c.cols)*cw, float64(i/c.cols)*ch
	least := math.Inf(1)
	for n := range s.units {
		u := &s.units[n]
		dx := math.Max(0, math.Max(u.x-(x+cw/2), x+cw/2-(u.x+u.width)))
		dy := math.Max(0, math.Max(u.y-(y+ch/2), y+ch/2-(u.y+u.height)))
		if d := math.Hypot(dx, dy); d < least {
			least, nearest = d, u
		}
	}
	return fmt.Sprintf("cell from x = %.6g to %.6g and y = %.6g to %.6g mm", x*1e3, (x+cw)*1e3, y*1e3, (y+ch)*1e3),
		nearest
}

// sharedCells reports whether blocks of different conductivity cover some cell of a layer, or blocks cover it in part
// only: HotSpot's detailed_3D treats those in a special way.
func (c *converter) sharedCells() (pos stack.Pos, found bool) {
	for i := range c.slabs {
		s := &c.slabs[i]
		if s.plate {
			continue
		}
		whole := true
		for _, v := range c.shares(s) {
			whole = whole && math.Abs(v-1) <= 1e-9
		}
		cut := false
		for u := range s.units {
			c.eachCell(&s.units[u], func(_, _ int, share float64) {
				cut = cut || share != 1 && s.units[u].k(s) != s.units[0].k(s)
			})
		}
		if !whole || cut {
			return s.units[0].pos, true
		}
	}
	return stack.Pos{}, false
}

// k is the conductivity of a block with detailed_3D.
func (u *unit) k(s *slab) float64 {
	if u.resistivity > 0 {
		return 1 / u.resistivity
	}
	return s.k
}
