package threedice

import (
	"fmt"
	"path/filepath"
	"slices"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// converter turns a project into a stack.
type converter struct {
	*importer.Collector
	project *project
	outputs *Outputs

	slots   int            // number of slots for which every floorplan element has a power; -1 before the first is seen
	floors  [][]flpElement // by stack element, nil for layers
	origins []origin       // of the stack's layers

	// Of non-uniform mode: the cells of every element, all their edges in um, and whether a network emulates them.
	areas        []gridArea
	edges        [2][]float64
	needsNetwork bool

	layouts map[string]*layout // by path
}

// origin is the source of a layer of the stack.
type origin struct {
	element int // of the project's stack
	source  bool
}

func newConverter(c *importer.Collector) *converter {
	return &converter{Collector: c, slots: -1, layouts: map[string]*layout{}}
}

func (c *converter) convert() {
	p := c.project
	c.Transient = p.solver.transient
	c.readFloorplans()
	c.sinks()
	c.prepareOutputs()
	if c.Faults.Len() > 0 {
		return
	}
	c.grid()
	if c.Faults.Len() > 0 {
		return // the next checks compare with the chip
	}
	for i := len(p.stack) - 1; i >= 0; i-- {
		c.element(i)
	}
	c.unused()
	if c.Faults.Len() > 0 {
		return
	}
	if c.needsNetwork {
		c.Network = c.cellNetwork()
	}
	c.outerNodes()
	c.solver()
	c.convertOutputs()
}

// sinks sets top and bottom boundaries. The ambient is the temperature of a sink, or the initial one without any.
func (c *converter) sinks() {
	s, p := c.Stack, c.project
	s.Ambient = p.solver.initial.value
	set := func(face stack.Face, k *sink) {
		if k == nil {
			return
		}
		s.Ambient = k.temperature.value
		s.Boundary[face] = stack.Boundary{Kind: stack.Convective, H: k.h.shifted(12), Temperature: k.temperature.value,
			Pos: k.pos}
		c.Comments.Boundary[face] = line(k.pos)
	}
	set(stack.Bottom, p.bottom)
	set(stack.Top, p.top)
	if p.top == nil && p.bottom == nil {
		c.Note(importer.Warning, p.solver.pos, "no heat sink is declared: no heat leaves the stack, and a steady "+
			"state does not exist")
	}
}

// unused warns of declarations that the stack does not use; 3D-ICE ignores them.
func (c *converter) unused() {
	for _, y := range c.project.layers {
		if !y.used {
			c.Note(importer.NotCarried, y.pos, "layer %q is not used by the stack", y.name)
		}
	}
	for _, d := range c.project.dies {
		if !d.used {
			c.Note(importer.NotCarried, d.pos, "die %q is not used by the stack", d.name)
		}
	}
	for _, m := range c.project.materials {
		if m.index == 0 {
			c.Note(importer.NotCarried, m.pos, "material %q is not used", m.name)
		}
	}
}

// material is the index in the stack of a material of a layout, whose own declarations precede those of the stack
// description.
func (c *converter) material(n named, from *layout) int {
	list := c.project.materials
	if slices.ContainsFunc(from.materials, func(m material) bool { return m.name == n.name }) {
		list = from.materials
	}
	m := find(c, "material", list, n)
	if m == nil {
		return 0
	}
	if m.index == 0 {
		c.Comments.Materials[len(c.Stack.Materials)] = []string{line(m.pos)}
		c.Stack.Materials = append(c.Stack.Materials, stack.Material{
			Name: c.freeMaterialName(m.name), K: [3]float64{m.k[0].shifted(6), m.k[1].shifted(6), m.k[2].shifted(6)},
			C: m.c.shifted(18), Pos: m.pos,
		})
		m.index = len(c.Stack.Materials)
	}
	return m.index - 1
}

// freeMaterialName is the name, with an underscore if the stack has a material of that name already.
func (c *converter) freeMaterialName(name string) string {
	for slices.ContainsFunc(c.Stack.Materials, func(m stack.Material) bool { return m.Name == name }) {
		name += "_"
	}
	return name
}

// line is a position as comments name it.
func line(pos stack.Pos) string {
	return fmt.Sprintf("%s, line %d", filepath.Base(pos.File), pos.Line)
}
