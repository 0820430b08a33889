package threedice

import (
	"fmt"
	"math"
	"slices"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// In non-uniform mode 3D-ICE divides every floorplan element into separate cells, through all layers of the die, and
// every other layer of the stack into equal cells. thermsim's grid has one set of columns and rows for all layers:
// every edge of any of those cells. If all cells are aligned, the two grids are the same and so are the numbers;
// otherwise thermsim's grid is finer, and a network emulates 3D-ICE's.

// gridArea is a rectangle with separate cells.
type gridArea struct {
	element, block int           // of the stack, and of its floorplan
	rect           [2][2]float64 // um: from and to, along x and y
	cells          [2]int
	pos            stack.Pos
	what           string
}

// maxEdges is the most cell edges that are collected along an axis.
const maxEdges = 2_000_000

func (c *converter) nonUniformGrid() {
	c.areas = c.gridAreas()
	if c.Faults.Len() > 0 {
		return
	}
	d := c.project.dimensions
	edges := d.span()
	c.edges = [2][]float64{edges[0][:], edges[1][:]}
	for _, w := range c.areas {
		for a := range c.edges {
			if len(c.edges[a])+w.cells[a] > maxEdges {
				c.Faults.Add(w.pos, "", "the cells of all elements make more than %d edges along one side", maxEdges)
				return
			}
			from, to := w.rect[a][0], w.rect[a][1]
			for i := range w.cells[a] + 1 {
				c.edges[a] = append(c.edges[a], from+(to-from)*(float64(i)/float64(w.cells[a])))
			}
		}
	}
	for a, side := range [2]float64{d.length.value, d.width.value} {
		c.edges[a] = distinct(c.edges[a], side)
		const most = 100_000
		if len(c.edges[a]) > most+1 {
			c.Faults.Add(d.pos, "", "the cells of all elements make %d cells along one side, more than %d",
				len(c.edges[a])-1, most)
			return
		}
	}
	c.Stack.Grid.X = axisOf(c.edges[0], c.Stack.Size[0], d.pos)
	c.Stack.Grid.Y = axisOf(c.edges[1], c.Stack.Size[1], d.pos)
	c.Comments.Grid = []string{"every edge of the cells that floorplan elements and layers have in 3D-ICE (" +
		line(d.pos) + ")"}
	c.checkAlignment()
	c.checkNonUniformSinks()
}

// span is the chip from and to, along x and y, in um.
func (d *dimensions) span() [2][2]float64 {
	return [2][2]float64{{0, d.length.value}, {0, d.width.value}}
}

// gridAreas lists the rectangles with separate cells, stack element by stack element.
func (c *converter) gridAreas() (areas []gridArea) {
	d := c.project.dimensions
	for i := range c.project.stack {
		e := &c.project.stack[i]
		if !e.die {
			n := c.cellsOf(e, &flpElement{})
			c.outputs.LayerCells[e.name] = n
			areas = append(areas, gridArea{i, 0, d.span(), n, e.pos, "layer " + e.name})
			continue
		}
		for k := range c.floors[i] {
			x := &c.floors[i][k]
			r := x.rects[0]
			c.inside(x, r)
			if len(x.rects) > 1 {
				c.Note(importer.Warning, x.pos, "element %q has %d rectangles; in non-uniform mode 3D-ICE makes "+
					"cells for the first only", x.name, len(x.rects))
			}
			areas = append(areas, gridArea{i, k, r.span(), c.cellsOf(e, x), x.pos, fmt.Sprintf("element %q", x.name)})
		}
	}
	return areas
}

// cellsOf is the number of cells of a floorplan element, or of a layer, along x and y.
func (c *converter) cellsOf(e *element, x *flpElement) [2]int {
	switch {
	case x.cells[0] > 0:
		return x.cells
	case e.cells[0] > 0:
		return e.cells
	}
	d := c.project.dimensions
	return [2]int{clampCells(d.length.value / d.cellLength.value), clampCells(d.width.value / d.cellWidth.value)}
}

// clampCells truncates a number of cells, and keeps it from 1 to maxEdges.
func clampCells(n float64) int { return int(math.Max(1, math.Min(n, maxEdges))) }

// distinct sorts edges and removes those that differ by rounding only.
func distinct(edges []float64, side float64) []float64 {
	slices.Sort(edges)
	result := edges[:1]
	for _, e := range edges[1:] {
		if e-result[len(result)-1] > 1e-9*side {
			result = append(result, e)
		}
	}
	return result
}

// axisOf makes an axis of edges in um: runs of equal cells.
func axisOf(edges []float64, size float64, pos stack.Pos) stack.Axis {
	a := stack.Axis{Cells: len(edges) - 1, Pos: pos}
	for i := 0; i+1 < len(edges); {
		first, n := edges[i+1]-edges[i], 1
		for i+n+1 < len(edges) && math.Abs(edges[i+n+1]-edges[i+n]-first) <= 1e-9*first {
			n++
		}
		i += n
		to := edges[i] * micro
		if i+1 == len(edges) {
			to = size
		}
		a.Segments = append(a.Segments, stack.Segment{To: to, Cells: n, Ratio: 1})
	}
	if len(a.Segments) == 1 {
		a.Segments = nil
	}
	return a
}

// checkAlignment finds gaps and overlaps of floorplans, and cells that are not aligned.
func (c *converter) checkAlignment() {
	d := c.project.dimensions
	for i, e := range c.project.stack {
		area := 0.0
		for _, x := range c.floors[i] {
			area += x.rects[0].length.value * x.rects[0].width.value
		}
		_, _, overlap := importer.FirstOverlap(c.floors[i], func(x *flpElement) stack.Rect { return x.rects[0].um() })
		whole := d.length.value * d.width.value
		if e.die && (overlap || math.Abs(area-whole) > 1e-9*whole) {
			c.misaligned(e.floorplan.pos, true, "the floorplan has gaps or overlaps: 3D-ICE then has holes in the "+
				"die, or two cells at one location")
			return
		}
	}
	for _, w := range c.areas {
		for a := range c.edges {
			if lo, hi := edgesOf(c.edges[a], w.rect[a]); hi-lo != w.cells[a] {
				c.misaligned(w.pos, false,
					fmt.Sprintf("the cells of %s are not aligned with those of other elements or layers", w.what))
				return
			}
		}
	}
}

// edgesOf finds the first and the last of the edges that belong to a span.
func edgesOf(edges []float64, span [2]float64) (first, last int) {
	slack := 1e-9 * edges[len(edges)-1]
	first, _ = slices.BinarySearch(edges, span[0]-slack)
	last, _ = slices.BinarySearch(edges, span[1]-slack)
	return first, last
}

// misaligned records that 3D-ICE's grid differs from thermsim's. A direct run can emulate it by a network, unless it
// has holes.
func (c *converter) misaligned(pos stack.Pos, holes bool, what string) {
	emulate := c.Emulates(importer.Deviation{
		Name: "own-cells", Pos: pos, Field: true,
		What:    "in non-uniform mode every element has separate cells, and here " + what,
		Instead: "one finer grid with all their edges",
	})
	switch {
	case !emulate:
	case c.Request.Direct && !holes && c.networkSize() > mostNetworkCells:
		c.Faults.Add(pos, "run it without --compat", "--compat needs a network of %.3g cells here, more than %g",
			c.networkSize(), float64(mostNetworkCells))
	case c.Request.Direct && !holes:
		c.needsNetwork = true
	case c.Request.Direct:
		c.Faults.Add(pos, "run it without --compat", "--compat does not emulate this non-uniform grid: %s", what)
	default:
		c.Faults.Add(pos, "import it without --compat, or run the project itself with --compat", "a stack file cannot "+
			"represent this non-uniform grid of 3D-ICE: %s", what)
	}
}

// mostNetworkCells is the largest network that is built, in cells of the mesh it is reported on and of 3D-ICE.
const mostNetworkCells = 10_000_000

// networkSize counts those cells, all layers of all dies included.
func (c *converter) networkSize() float64 {
	plane := float64(len(c.edges[0])) * float64(len(c.edges[1]))
	total := 0.0
	for i := range c.project.stack {
		layers := 1.0
		for _, d := range c.project.dies {
			if c.project.stack[i].die && d.name == c.project.stack[i].of.name {
				layers = float64(len(d.parts))
			}
		}
		cells := plane
		for _, w := range c.areas {
			if w.element == i {
				cells += float64(w.cells[0]) * float64(w.cells[1])
			}
		}
		total += layers * cells
	}
	return total
}

// checkNonUniformSinks finds the bottom heat sink, which 3D-ICE omits in non-uniform mode.
func (c *converter) checkNonUniformSinks() {
	if c.project.bottom == nil {
		return
	}
	if c.Emulates(importer.Deviation{
		Name: "lost-sink", Pos: c.project.bottom.pos,
		What: "in non-uniform mode 3D-ICE omits the bottom heat sink from its matrix but not from its right-hand " +
			"side, which gives meaningless temperatures",
		Instead: "the sink is modelled",
	}) {
		c.Faults.Add(c.project.bottom.pos, "import it without --compat", "--compat does not emulate the bottom heat "+
			"sink in non-uniform mode, with which 3D-ICE's results are meaningless")
	}
}

// elementRegions are the separate materials of floorplan elements in non-uniform mode.
func (c *converter) elementRegions(layer int, elements []flpElement) {
	if !c.project.dimensions.nonUniform {
		return
	}
	for k := range elements {
		x := &elements[k]
		if x.material.name == "" {
			continue
		}
		m := c.material(x.material, &layout{})
		y := &c.Stack.Layers[layer]
		if m != y.Material {
			y.Regions = append(y.Regions, stack.Region{Material: m, Rect: x.rects[0].metres(), Pos: x.pos})
		}
	}
}
