package threedice

import (
	"fmt"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// readFloorplans reads the floorplans of all dies and finds how many slots their powers last.
func (c *converter) readFloorplans() {
	c.floors = make([][]flpElement, len(c.project.stack))
	for i := range c.project.stack {
		e := &c.project.stack[i]
		if !e.die {
			continue
		}
		path, data, ok := c.open(e.floorplan, e.floorplanPos)
		if !ok {
			continue
		}
		elements := parseFlp(path, data, &c.Faults, &c.Notes)
		c.floors[i] = elements
		for _, x := range elements {
			if len(x.powers) == 0 {
				c.unpowered = append(c.unpowered, x)
				continue
			}
			if c.slots < 0 || len(x.powers) < c.slots {
				c.slots = len(x.powers)
			}
		}
	}
	for _, x := range c.unpowered {
		if c.Request.Served {
			break
		}
		c.Note(importer.Warning, x.pos, "element %q has no power values: 3D-ICE then ends before its first step; "+
			"thermsim takes 0 W", x.name)
	}
	c.slots = max(c.slots, 1)
}

// power puts the floorplan of stack element i into a layer.
func (c *converter) power(layer, i int) {
	elements := c.floors[i]
	if len(elements) == 0 {
		return // reported when it was read
	}
	c.stack.Layers[layer].Powers = make([]stack.Power, 1)
	p := &c.stack.Layers[layer].Powers[0]
	*p = stack.Power{Area: c.stack.Domain(), Pos: elements[0].pos}
	trace := c.project.solver.transient
	if trace {
		p.Trace = c.slotTimes()
	}
	var all []stack.Rect // um
	var places []stack.Pos
	p.Blocks = make([]stack.Block, 0, len(elements))
	taken := map[string]bool{}
	for k := range elements {
		x := &elements[k]
		b := stack.Block{Name: c.blockName(taken, x), Pos: x.pos}
		for _, r := range x.rects {
			c.inside(x, r)
			b.Rects = append(b.Rects, r.metres())
			all = append(all, stack.Rect{X: r.x.value, Y: r.y.value, Width: r.length.value, Height: r.width.value})
			places = append(places, r.pos)
		}
		if len(x.powers) > 0 {
			b.Watts = x.powers[0].value
		}
		p.Blocks = append(p.Blocks, b)
		if trace {
			for s := range p.Trace.Watts {
				w := 0.0
				if len(x.powers) > s {
					w = x.powers[s].value
				}
				p.Trace.Watts[s] = append(p.Trace.Watts[s], w)
			}
		}
		if x.material != "" && !c.project.dimensions.nonUniform {
			c.Note(importer.NotCarried, x.materialP, "material of element %q: 3D-ICE heeds it in non-uniform mode only",
				x.name)
		}
		if x.cells[0] > 0 && !c.project.dimensions.nonUniform {
			c.Note(importer.NotCarried, x.pos, "discretization of element %q: 3D-ICE heeds it in non-uniform mode only",
				x.name)
		}
	}
	if a, b, found := importer.FirstOverlap(all); found {
		p.AllowOverlap = true
		c.Note(importer.Warning, places[b], "the rectangle overlaps that of line %d; their powers add there, as in "+
			"3D-ICE, which does not look", places[a].Line)
	}
	c.unusedPowers(elements)
	c.elementRegions(layer, elements)
	c.comments.Powers[p] = []string{"floorplan " + c.project.stack[i].floorplan}
	c.addFloorplan(i)
}

// blockName is the element's name, numbered where the floorplan has it twice.
func (c *converter) blockName(taken map[string]bool, x *flpElement) string {
	name := x.name
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s_%d", x.name, n)
	}
	taken[name] = true
	if name != x.name {
		c.Note(importer.Warning, x.pos, "a second element is called %q; it becomes %q (3D-ICE does not look, and "+
			"Tflpel finds the first)", x.name, name)
	}
	return name
}

// inside reports a rectangle beyond the chip; 3D-ICE crashes on it. With the grid cut off, the chip ends earlier.
func (c *converter) inside(x *flpElement, r rectangle) {
	const slack = 1e-9
	length, width := c.stack.Size[0]/micro, c.stack.Size[1]/micro
	if r.x.value >= -slack*length && r.y.value >= -slack*width &&
		r.x.value+r.length.value <= length*(1+slack) && r.y.value+r.width.value <= width*(1+slack) {
		return
	}
	c.Faults.Add(r.pos, "shrink or move it", "element %q reaches from x = %s, y = %s um to x = %s, y = %s um, "+
		"outside the chip of %s um by %s um", x.name,
		short(r.x.value), short(r.y.value), short(r.x.value+r.length.value), short(r.y.value+r.width.value),
		short(length), short(width))
}

// unusedPowers notes power values that 3D-ICE never comes to.
func (c *converter) unusedPowers(elements []flpElement) {
	for _, x := range elements {
		use := c.slots
		if !c.project.solver.transient {
			use = 1
		}
		if len(x.powers) <= use {
			continue
		}
		if c.project.solver.transient {
			c.Note(importer.Warning, x.powers[use].pos(x.pos.File), "element %q has powers for %d slots, but another "+
				"element for only %d: 3D-ICE ends there, and so does this", x.name, len(x.powers), use)
		} else {
			c.Note(importer.NotCarried, x.powers[use].pos(x.pos.File), "element %q: a steady state uses the first of "+
				"its %d powers", x.name, len(x.powers))
		}
	}
}

func boxes(rects []rectangle) []stack.Rect {
	var all []stack.Rect
	for _, r := range rects {
		all = append(all, stack.Rect{X: r.x.value, Y: r.y.value, Width: r.length.value, Height: r.width.value})
	}
	return all
}
