package threedice

import (
	"fmt"
	"math"
	"slices"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// element appends the layers of stack element i.
func (c *converter) element(i int) {
	e := &c.project.stack[i]
	if e.cells[0] > 0 && !c.project.dimensions.nonUniform {
		c.Note(importer.NotCarried, e.pos, "discretization of %q: 3D-ICE uses it in non-uniform mode only", e.name)
	}
	switch {
	case e.channel:
		c.cavity(i)
	case e.die:
		if d := find(c, "die", c.project.dies, e.of); d != nil {
			d.used = true
			c.die(i, d)
		}
	default:
		if y := c.declaredLayer(e.of); y != nil {
			c.addLayer(origin{element: i}, e.named, y, fmt.Sprintf("layer %s (%s)", y.name, line(y.pos)))
		}
	}
}

func (c *converter) declaredLayer(r named) *layer {
	y := find(c, "layer", c.project.layers, r)
	if y != nil {
		y.used = true
	}
	return y
}

// die appends the layers of a die, bottom to top. The source layer carries the floorplan.
func (c *converter) die(i int, d *die) {
	e := &c.project.stack[i]
	for k := len(d.parts) - 1; k >= 0; k-- {
		part := &d.parts[k]
		name, role := fmt.Sprintf("%s_below%d", e.name, k-d.source), "layer"
		switch {
		case k == d.source:
			name, role = e.name+"_source", "source layer"
		case k < d.source:
			name = fmt.Sprintf("%s_above%d", e.name, d.source-k)
		}
		y := &part.layer
		if part.of != "" {
			if y = c.declaredLayer(named{part.of, part.pos}); y == nil {
				continue
			}
		}
		n := c.addLayer(origin{i, k == d.source}, named{name, part.pos}, y,
			fmt.Sprintf("%s of die %s (%s)", role, d.name, line(part.pos)))
		if k == d.source {
			c.power(n, i)
		}
	}
}

// addLayer appends a layer of one cell, as 3D-ICE has it, and returns its index.
func (c *converter) addLayer(from origin, as named, y *layer, comment string) int {
	if n := len(c.Stack.Layers); n > stack.MaxLayers {
		return n - 1 // the validation refuses one too many
	}
	name := as.name
	for name == "all" || slices.ContainsFunc(c.Stack.Layers, func(y stack.Layer) bool { return y.Name == name }) {
		name += "_"
	}
	l := stack.Layer{Name: name, Thickness: y.height.shifted(-6), Cells: 1, Pos: as.pos,
		Material: c.material(y.material, &layout{})}
	if y.layout.name != "" {
		l.Regions = c.regions(y.layout)
	}
	n := len(c.Stack.Layers)
	c.Stack.Layers = append(c.Stack.Layers, l)
	c.origins = append(c.origins, from)
	e := &c.project.stack[from.element]
	c.Comments.Layers[n] = []string{fmt.Sprintf("stack element %s: %s", e.name, comment)}
	if from.source || !e.die {
		c.outputs.Layers[e.name] = n
	}
	return n
}

// regions are the rectangles of a layout.
func (c *converter) regions(r named) (regions []stack.Region) {
	path, data, ok := c.Open(r.name, r.pos)
	if !ok {
		return nil
	}
	file, seen := c.layouts[path]
	if !seen {
		before := c.Faults.Len()
		file = parseMlt(c.Collector, path, data)
		if c.Faults.Len() > before {
			return nil
		}
		c.layouts[path] = file
		c.checkLayout(file)
	}
	if c.project.dimensions.nonUniform && c.Emulates(importer.Deviation{
		Name: "layout-corner", Pos: r.pos, Field: true,
		What: "in non-uniform mode 3D-ICE gives the whole layer the material that the layout has in the " +
			"south-west corner",
		Instead: "the layout applies",
	}) {
		c.Faults.Add(r.pos, "import it without --compat", "--compat does not emulate layouts in non-uniform mode")
		return nil
	}
	for _, patch := range file.patches {
		m := c.material(patch.named, file)
		for _, r := range patch.rects {
			region := stack.Region{Material: m, Rect: r.metres(), Pos: r.pos}
			if snapped, cut := c.snap(r); cut && !c.project.dimensions.nonUniform && c.Emulates(importer.Deviation{
				Name: "cell-centres", Pos: r.pos, Field: true,
				What:    "3D-ICE gives a cell the material of the rectangle that contains its centre",
				Instead: "cells that an edge cuts are homogenised by their shares",
			}) {
				if snapped.Width <= 0 || snapped.Height <= 0 {
					c.Note(importer.Adapted, r.pos, "no cell has its centre in this rectangle, so 3D-ICE ignores it")
					continue
				}
				region.Rect = snapped
			}
			regions = append(regions, region)
		}
	}
	return regions
}

// snap extends or reduces a rectangle to the cells whose centres it contains. cut reports whether that changes it.
func (c *converter) snap(r rectangle) (snapped stack.Rect, cut bool) {
	d := c.project.dimensions
	x, w, cutX := snapAxis(r.x.value, r.length.value, d.cellLength.value, c.Stack.Grid.X.Cells, c.Stack.Size[0])
	y, h, cutY := snapAxis(r.y.value, r.width.value, d.cellWidth.value, c.Stack.Grid.Y.Cells, c.Stack.Size[1])
	return stack.Rect{X: x, Y: y, Width: w, Height: h}, cutX || cutY
}

// snapAxis works on one axis: from, length and cell in um, the result in m.
func snapAxis(from, length, cell float64, cells int, size float64) (start, extent float64, cut bool) {
	// firstFrom is the first cell whose centre is not below an edge.
	firstFrom := func(edge float64) int {
		i := int(math.Max(0, math.Min(math.Ceil(edge/cell-0.5), float64(cells))))
		for i > 0 && float64(i-1)*cell+cell/2 >= edge {
			i--
		}
		for i < cells && float64(i)*cell+cell/2 < edge {
			i++
		}
		return i
	}
	first, end := firstFrom(from), firstFrom(from+length)
	if first >= end {
		return 0, 0, true
	}
	at := func(i int) float64 { return size * (float64(i) / float64(cells)) }
	const sliver = 1e-6 // of a cell: rounding of coordinates
	cut = math.Abs(float64(first)*cell-from) > sliver*cell || math.Abs(float64(end)*cell-from-length) > sliver*cell
	return at(first), at(end) - at(first), cut
}

// checkLayout finds rectangles that overlap, which 3D-ICE refuses.
func (c *converter) checkLayout(file *layout) {
	var all []rectangle
	for _, patch := range file.patches {
		all = append(all, patch.rects...)
	}
	if a, b, found := importer.FirstOverlap(all, (*rectangle).um); found {
		c.Faults.Add(b.pos, "", "the rectangle overlaps that of line %d; 3D-ICE refuses that", a.pos.Line)
	}
}
