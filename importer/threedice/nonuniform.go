package threedice

import "thermsim/importer"

// cellsOf is the grid of a floorplan element in non-uniform mode.
func (c *converter) cellsOf(e *element, x *flpElement) [2]int {
	switch {
	case x.cells[0] > 0:
		return x.cells
	case e.cells[0] > 0:
		return e.cells
	}
	d := c.project.dimensions
	return [2]int{int(d.length.value / d.cellLength.value), int(d.width.value / d.cellWidth.value)}
}

func (c *converter) nonUniformGrid() {
	c.faults.Add(c.project.dimensions.pos, "", "non-uniform grids are not read yet")
	_ = importer.Adapted
}
