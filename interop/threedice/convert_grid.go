package threedice

import (
	"fmt"
	"math"
	"slices"

	"thermsim/interop/importer"
	"thermsim/stack"
)

const micro = 1e-6 // m per um

// grid sets size and lateral cells.
func (c *converter) grid() {
	d := c.project.dimensions
	c.stack.Size = [2]float64{d.length.shifted(-6), d.width.shifted(-6)}
	if d.nonUniform && slices.ContainsFunc(c.project.stack, func(e element) bool { return e.channel }) {
		c.Faults.Add(d.pos, "say non-uniform false", "channels in non-uniform mode cannot be imported")
		return
	}
	if d.nonUniform {
		c.nonUniformGrid()
		c.checkPlane(d.pos)
		return
	}
	if c.project.cavity != nil && c.project.cavity.kind == "4rm" {
		c.stack.Grid.X = c.resolvedColumns()
	} else {
		c.stack.Grid.X = c.axis(0, d.length, d.cellLength)
	}
	c.stack.Grid.Y = c.axis(1, d.width, d.cellWidth)
	c.checkPlane(d.cellLength.pos)
	c.comments.Grid = []string{fmt.Sprintf("cells of %s um by %s um (%s)", d.cellLength.text, d.cellWidth.text,
		place(d.pos))}
}

// checkPlane refuses more cells in a plane than a stack file may have.
func (c *converter) checkPlane(pos stack.Pos) {
	const most = 1_000_000_000
	if x, y := c.stack.Grid.X.Cells, c.stack.Grid.Y.Cells; float64(x)*float64(y) > most {
		c.Faults.Add(pos, "make the cells larger", "%d x %d cells are more than %d in one plane", x, y, most)
	}
}

// axis divides a side of the chip into cells. 3D-ICE takes the whole part of the quotient and leaves the rest of the
// chip out.
func (c *converter) axis(axis int, side, cell decimal) stack.Axis {
	what := [2]string{"length", "width"}[axis]
	quotient := side.value / cell.value
	const most = 100_000
	if !(quotient < most) {
		c.Faults.Add(cell.pos, "", "a chip %s of %s um in cells of %s um makes more than %d cells", what, side.text,
			cell.text, most)
		return stack.Axis{Cells: 1}
	}
	cells := max(1, int(math.Round(quotient)))
	whole := int(quotient)
	if whole == cells && math.Abs(quotient-float64(cells)) <= 1e-9*quotient {
		return stack.Axis{Cells: cells, Pos: cell.pos}
	}
	deviation := importer.Deviation{
		Name: "cut-grid", Pos: cell.pos, Field: true,
		What: fmt.Sprintf("3D-ICE makes %d cells of %s um along the chip's %s of %s um and leaves the other %s um out",
			whole, cell.text, what, side.text,
			short(side.value-float64(whole)*cell.value)),
		Instead: "cells of equal size over the whole chip",
	}
	if !c.Emulates(deviation) {
		return stack.Axis{Cells: cells, Pos: cell.pos}
	}
	if whole < 1 {
		c.Faults.Add(cell.pos, "make it smaller", "a cell of %s um is larger than the chip of %s um", cell.text,
			side.text)
		return stack.Axis{Cells: 1}
	}
	c.stack.Size[axis] = float64(whole) * cell.value * micro
	return stack.Axis{Cells: whole, Pos: cell.pos}
}

// short writes a length in um for messages.
func short(um float64) string { return fmt.Sprintf("%.6g", um) }

// outerNodes emulates the node that 3D-ICE puts on the outer face of a bottom layer without a sink, and of a top layer
// without one: the layer couples to its neighbour through its whole height. The missing half is a contact resistance of
// h/2k; where the layer has several materials it is half the vertical conductivity, which no other coupling of such a
// layer uses.
func (c *converter) outerNodes() {
	last := len(c.stack.Layers) - 1
	if last < 1 {
		return
	}
	c.outerNode(0, 0, c.project.bottom, "bottom")
	c.outerNode(last, last-1, c.project.top, "top")
}

// outerNode treats one layer; the contact to its neighbour belongs to the lower of the two.
func (c *converter) outerNode(layer, lower int, s *sink, name string) {
	if s != nil {
		return
	}
	y := &c.stack.Layers[layer]
	if !c.Emulates(importer.Deviation{
		Name: "outer-node", Pos: y.Pos, Field: true,
		What: fmt.Sprintf("3D-ICE puts the node of the %s layer, which carries no sink, on its outer face: heat "+
			"has the whole height to go", name),
		Instead: "the node is in the middle of the layer, as in all others",
	}) {
		return
	}
	if len(y.Regions) == 0 {
		c.stack.Layers[lower].ContactResistance += y.Thickness / (2 * c.stack.Materials[y.Material].K[2])
		c.comments.Contacts[lower] = "--compat: half the " + name + " layer's height more, h/2k"
		return
	}
	halved := map[int]int{}
	half := func(m int) int {
		if _, ok := halved[m]; !ok {
			h := c.stack.Materials[m]
			h.Name = c.freeMaterialName(h.Name + "_half_kz")
			h.K[2] /= 2
			halved[m] = len(c.stack.Materials)
			c.comments.Materials[len(c.stack.Materials)] = []string{"--compat: half of kz stands for the whole " +
				"height of the " + name + " layer"}
			c.stack.Materials = append(c.stack.Materials, h)
		}
		return halved[m]
	}
	y.Material = half(y.Material)
	for i := range y.Regions {
		y.Regions[i].Material = half(y.Regions[i].Material)
	}
}
