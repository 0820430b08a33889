package threedice

import (
	"thermsim/internal/printable"
	"thermsim/interop/importer"
	"thermsim/stack"
)

// readFloorplans reads the floorplans of all dies and finds how many slots their powers last.
func (c *converter) readFloorplans() {
	c.floors = make([][]flpElement, len(c.project.stack))
	var unpowered []flpElement
	for i := range c.project.stack {
		e := &c.project.stack[i]
		if !e.die {
			continue
		}
		path, data, ok := c.Open(e.floorplan.name, e.floorplan.pos)
		if !ok {
			continue
		}
		elements := parseFlp(c.Collector, path, data)
		c.floors[i] = elements
		for _, x := range elements {
			if len(x.powers) == 0 {
				unpowered = append(unpowered, x)
				continue
			}
			if c.slots < 0 || len(x.powers) < c.slots {
				c.slots = len(x.powers)
			}
		}
	}
	if !c.Request.Served {
		for _, x := range unpowered {
			c.Note(importer.Warning, x.pos, "element %q has no power values: 3D-ICE ends before its first step; "+
				"thermsim uses 0 W", x.name)
		}
	}
	c.slots = max(c.slots, 1)
}

// power puts the floorplan of stack element i into a layer.
func (c *converter) power(layer, i int) {
	elements := c.floors[i]
	if len(elements) == 0 {
		return // reported when it was read
	}
	c.Stack.Layers[layer].Powers = make([]stack.Power, 1)
	p := &c.Stack.Layers[layer].Powers[0]
	*p = stack.Power{Area: c.Stack.Domain(), Pos: elements[0].pos}
	trace := c.project.solver.transient
	if trace {
		p.Trace = c.slotTimes()
	}
	var all []rectangle
	p.Blocks = make([]stack.Block, 0, len(elements))
	taken := map[string]bool{}
	for k := range elements {
		x := &elements[k]
		b := stack.Block{Name: c.blockName(taken, x), Pos: x.pos}
		for _, r := range x.rects {
			c.inside(x, r)
			b.Rects = append(b.Rects, r.metres())
		}
		all = append(all, x.rects...)
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
		if c.project.dimensions.nonUniform {
			continue
		}
		if x.material.name != "" {
			c.Note(importer.NotCarried, x.material.pos, "material of element %q: 3D-ICE uses it in non-uniform mode "+
				"only",
				x.name)
		}
		if x.cells[0] > 0 {
			c.Note(importer.NotCarried, x.pos, "discretization of element %q: 3D-ICE uses it in non-uniform mode only",
				x.name)
		}
	}
	if a, b, found := importer.FirstOverlap(all, (*rectangle).um); found {
		p.AllowOverlap = true
		c.Note(importer.Warning, b.pos, "the rectangle overlaps that of line %d; their powers add up there, as in "+
			"3D-ICE, which does not check", a.pos.Line)
	}
	c.unusedPowers(elements)
	c.elementRegions(layer, elements)
	c.Comments.Powers[p] = []string{"floorplan " + c.project.stack[i].floorplan.name}
	c.addFloorplan(i)
}

// blockName is the element's name, numbered if the floorplan has it twice.
func (c *converter) blockName(taken map[string]bool, x *flpElement) string {
	name := printable.Distinct(x.name, func(s string) bool { return taken[s] })
	taken[name] = true
	if name != x.name {
		c.Note(importer.Warning, x.pos, "a second element is called %q; it becomes %q (3D-ICE does not check, and "+
			"Tflpel finds the first)", x.name, name)
	}
	return name
}

// inside reports a rectangle beyond the chip, on which 3D-ICE crashes. A cut grid makes the chip smaller.
func (c *converter) inside(x *flpElement, r rectangle) {
	const slack = 1e-9
	length, width := c.Stack.Size[0]/micro, c.Stack.Size[1]/micro
	if r.x.value >= -slack*length && r.y.value >= -slack*width &&
		r.x.value+r.length.value <= length*(1+slack) && r.y.value+r.width.value <= width*(1+slack) {
		return
	}
	c.Faults.Add(r.pos, "shrink or move it", "element %q reaches from x = %s, y = %s um to x = %s, y = %s um, "+
		"outside the chip of %s um by %s um", x.name,
		short(r.x.value), short(r.y.value), short(r.x.value+r.length.value), short(r.y.value+r.width.value),
		short(length), short(width))
}

// unusedPowers notes power values that 3D-ICE never reaches.
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
				"element for only %d: 3D-ICE ends there, and so does thermsim", x.name, len(x.powers), use)
		} else {
			c.Note(importer.NotCarried, x.powers[use].pos(x.pos.File), "element %q: a steady state uses the first of "+
				"its %d powers", x.name, len(x.powers))
		}
	}
}
