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
	c.Stack.Size = [2]float64{d.length.shifted(-6), d.width.shifted(-6)}
	if d.nonUniform && slices.ContainsFunc(c.project.stack, func(e element) bool { return e.channel }) {
		c.Faults.Add(d.pos, "set non-uniform false", "channels in non-uniform mode are not supported")
		return
	}
	if d.nonUniform {
		c.nonUniformGrid()
		c.checkPlane(d.pos)
		return
	}
	if c.project.cavity != nil && c.project.cavity.kind == "4rm" {
		c.Stack.Grid.X = c.resolvedColumns()
	} else {
		c.Stack.Grid.X = c.axis(0, d.length, d.cellLength)
	}
	c.Stack.Grid.Y = c.axis(1, d.width, d.cellWidth)
	c.checkPlane(d.cellLength.pos)
	c.Comments.Grid = []string{fmt.Sprintf("cells of %s um by %s um (%s)", d.cellLength.text, d.cellWidth.text,
		line(d.pos))}
}

// checkPlane refuses more cells in a plane than a stack file may have.
func (c *converter) checkPlane(pos stack.Pos) {
	const most = 1_000_000_000
	if x, y := c.Stack.Grid.X.Cells, c.Stack.Grid.Y.Cells; float64(x)*float64(y) > most {
		c.Faults.Add(pos, "make the cells larger", "%d x %d cells are more than %d in one plane", x, y, most)
	}
}

// axis divides a side of the chip into cells. 3D-ICE truncates the quotient and omits the rest of the chip.
func (c *converter) axis(axis int, side, cell decimal) stack.Axis {
	what := [2]string{"length", "width"}[axis]
	quotient := side.value / cell.value
	const most = 100_000
	if !(quotient < most) {
		c.Faults.Add(cell.pos, "", "a chip %s of %s um in cells of %s um makes more than %d cells", what, side.text,
			cell.text, most)
		return stack.Axis{Cells: 1}
	}
	whole := int(quotient)
	equal := stack.Axis{Cells: max(1, int(math.Round(quotient))), Pos: cell.pos}
	if whole == equal.Cells && math.Abs(quotient-float64(whole)) <= 1e-9*quotient {
		return equal
	}
	if !c.Emulates(importer.Deviation{
		Name: "cut-grid", Pos: cell.pos, Field: true,
		What: fmt.Sprintf("3D-ICE makes %d cells of %s um along the chip's %s of %s um and omits the remaining %s um",
			whole, cell.text, what, side.text, short(side.value-float64(whole)*cell.value)),
		Instead: "cells of equal size over the whole chip",
	}) {
		return equal
	}
	if whole < 1 {
		c.Faults.Add(cell.pos, "make it smaller", "a cell of %s um is larger than the chip of %s um", cell.text,
			side.text)
	}
	c.Stack.Size[axis] = float64(whole) * cell.value * micro
	return stack.Axis{Cells: whole, Pos: cell.pos}
}

// short writes a length in um for messages.
func short(um float64) string { return fmt.Sprintf("%.6g", um) }

// outerNodes emulates the node that 3D-ICE puts on the outer face of a bottom or top layer without a sink: the layer
// couples to its neighbour through its whole height. The missing half is a contact resistance of h/2k. In a layer of
// several materials it is half the vertical conductivity instead, which only this coupling uses.
func (c *converter) outerNodes() {
	last := len(c.Stack.Layers) - 1
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
	y := &c.Stack.Layers[layer]
	if !c.Emulates(importer.Deviation{
		Name: "outer-node", Pos: y.Pos, Field: true,
		What: fmt.Sprintf("3D-ICE puts the node of the %s layer, which has no sink, on its outer face: heat "+
			"crosses the whole height", name),
		Instead: "the node is in the middle of the layer, as in all others",
	}) {
		return
	}
	if len(y.Regions) == 0 {
		c.Stack.Layers[lower].ContactResistance += y.Thickness / (2 * c.Stack.Materials[y.Material].K[2])
		c.Comments.Contacts[lower] = "--compat: half the " + name + " layer's height more, h/2k"
		return
	}
	halved := map[int]int{}
	half := func(m int) int {
		if _, ok := halved[m]; !ok {
			h := c.Stack.Materials[m]
			h.Name = c.freeMaterialName(h.Name + "_half_kz")
			h.K[2] /= 2
			halved[m] = len(c.Stack.Materials)
			c.Comments.Materials[len(c.Stack.Materials)] = []string{"--compat: half of kz, which represents the " +
				"whole height of the " + name + " layer"}
			c.Stack.Materials = append(c.Stack.Materials, h)
		}
		return halved[m]
	}
	y.Material = half(y.Material)
	for i := range y.Regions {
		y.Regions[i].Material = half(y.Regions[i].Material)
	}
}
