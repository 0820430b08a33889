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
		c.Note(importer.NotCarried, e.pos, "discretization of %q: 3D-ICE heeds it in non-uniform mode only", e.name)
	}
	if e.channel {
		c.cavity(i)
		return
	}
	if !e.die {
		for _, y := range c.project.layers {
			if y.name == e.of {
				c.used["layer "+y.name] = true
				n := c.addLayer(e.name, e.pos, y.height, y.material, y.materialP, y.layout, y.layoutPos)
				c.origins = append(c.origins, origin{element: i})
				c.comments.Layers[n] = []string{fmt.Sprintf("stack element %s: layer %s (%s)", e.name, y.name,
					place(y.pos))}
				c.outputs.layers[e.name] = n
				return
			}
		}
		var have []string
		for _, y := range c.project.layers {
			have = append(have, y.name)
		}
		c.Faults.Add(e.ofPos, didYouMean(e.of, have), "no layer is called %q", e.of)
		return
	}
	for d := range c.project.dies {
		if c.project.dies[d].name == e.of {
			c.used["die "+e.of] = true
			c.die(i, &c.project.dies[d])
			return
		}
	}
	var have []string
	for _, d := range c.project.dies {
		have = append(have, d.name)
	}
	c.Faults.Add(e.ofPos, didYouMean(e.of, have), "no die is called %q", e.of)
}

// die appends the layers of a die, bottom to top. The source layer carries the floorplan.
func (c *converter) die(i int, d *die) {
	e := &c.project.stack[i]
	for k := len(d.parts) - 1; k >= 0; k-- {
		part := &d.parts[k]
		name := fmt.Sprintf("%s_below%d", e.name, k-d.source)
		switch {
		case k == d.source:
			name = e.name + "_source"
		case k < d.source:
			name = fmt.Sprintf("%s_above%d", e.name, d.source-k)
		}
		height, mat, matPos, layout, layoutPos := part.height, part.material, part.materialP, "", stack.Pos{}
		if part.layer != "" {
			at := slices.IndexFunc(c.project.layers, func(y layer) bool { return y.name == part.layer })
			if at < 0 {
				c.Faults.Add(part.pos, "", "no layer is called %q", part.layer)
				continue
			}
			y := &c.project.layers[at]
			c.used["layer "+y.name] = true
			height, mat, matPos, layout, layoutPos = y.height, y.material, y.materialP, y.layout, y.layoutPos
		}
		n := c.addLayer(name, part.pos, height, mat, matPos, layout, layoutPos)
		c.origins = append(c.origins, origin{i, k == d.source})
		role := "layer"
		if k == d.source {
			role = "source layer"
			c.outputs.layers[e.name] = n
			c.power(n, i)
		}
		c.comments.Layers[n] = []string{fmt.Sprintf("stack element %s: %s of die %s (%s)", e.name, role, d.name,
			place(part.pos))}
	}
}

// addLayer appends a layer of one cell, as 3D-ICE has it, and returns its index.
func (c *converter) addLayer(name string, pos stack.Pos, height decimal, mat string, matPos stack.Pos,
	layoutName string, layoutPos stack.Pos) int {
	if n := len(c.stack.Layers); n > stack.MaxLayers {
		return n - 1 // refused by the validation, which sees one too many
	}
	for name == "all" || slices.ContainsFunc(c.stack.Layers, func(y stack.Layer) bool { return y.Name == name }) {
		name += "_"
	}
	y := stack.Layer{Name: name, Thickness: height.shifted(-6), Cells: 1, Pos: pos,
		Material: c.material(mat, matPos, layoutFile{}, "")}
	if layoutName != "" {
		y.Regions = c.regions(layoutName, layoutPos)
	}
	c.stack.Layers = append(c.stack.Layers, y)
	return len(c.stack.Layers) - 1
}

// regions are the rectangles of a layout.
func (c *converter) regions(name string, pos stack.Pos) (regions []stack.Region) {
	path, data, ok := c.open(name, pos)
	if !ok {
		return nil
	}
	file, seen := c.patches[path]
	if !seen {
		before := c.Faults.Len()
		file.materials, file.patches = parseMlt(path, data, &c.Faults, &c.Notes)
		if c.Faults.Len() > before {
			return nil
		}
		c.patches[path] = file
		c.checkLayout(file)
	}
	if c.project.dimensions.nonUniform && c.Emulates(importer.Deviation{
		Name: "layout-corner", Pos: pos, Field: true,
		What: "in non-uniform mode 3D-ICE gives the whole layer the material that the layout has in the " +
			"south-west corner",
		Instead: "the layout holds",
	}) {
		c.Faults.Add(pos, "import it without --compat", "--compat does not emulate what 3D-ICE makes of a layout in "+
			"non-uniform mode")
		return nil
	}
	for _, patch := range file.patches {
		m := c.material(patch.material, patch.pos, file, path)
		for _, r := range patch.rects {
			region := stack.Region{Material: m, Rect: r.metres(), Pos: r.pos}
			if snapped, cut := c.snap(r); cut && !c.project.dimensions.nonUniform && c.Emulates(importer.Deviation{
				Name: "cell-centres", Pos: r.pos, Field: true,
				What:    "3D-ICE gives a cell the material of the rectangle that its centre lies in",
				Instead: "cells that an edge cuts are homogenised by their shares",
			}) {
				if snapped.Width <= 0 || snapped.Height <= 0 {
					c.Note(importer.Adapted, r.pos, "no cell has its centre in this rectangle, so 3D-ICE "+
						"passes over it")
					continue
				}
				region.Rect = snapped
			}
			regions = append(regions, region)
		}
	}
	return regions
}

// metres is the rectangle in thermsim's units.
func (r rectangle) metres() stack.Rect {
	return stack.Rect{X: r.x.shifted(-6), Y: r.y.shifted(-6), Width: r.length.shifted(-6), Height: r.width.shifted(-6)}
}

// snap grows or shrinks a rectangle to the cells whose centres it holds. cut tells whether that changes it.
func (c *converter) snap(r rectangle) (snapped stack.Rect, cut bool) {
	d := c.project.dimensions
	x, w, cutX := snapAxis(r.x.value, r.length.value, d.cellLength.value, c.stack.Grid.X.Cells, c.stack.Size[0])
	y, h, cutY := snapAxis(r.y.value, r.width.value, d.cellWidth.value, c.stack.Grid.Y.Cells, c.stack.Size[1])
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
func (c *converter) checkLayout(file layoutFile) {
	var all []rectangle
	for _, patch := range file.patches {
		all = append(all, patch.rects...)
	}
	if a, b, found := importer.FirstOverlap(boxes(all)); found {
		c.Faults.Add(all[b].pos, "", "the rectangle overlaps that of line %d; 3D-ICE refuses that", all[a].pos.Line)
	}
}
