package threedice

import (
	"math"
	"path/filepath"
	"slices"

	"thermsim/internal/printable"
	"thermsim/interop/importer"
	"thermsim/stack"
)

// Outputs are the output files that a project requests, with the data to write them in 3D-ICE's formats.
type Outputs struct {
	Instructions []Output
	// StepsPerSlot is 0 in a steady state.
	StepsPerSlot int
	NonUniform   bool
	Cell         [2]float64 // um, of the uniform grid
	Channels     int        // by which Tcoolant divides its average; 0 of pin fins
	// LayerCells is the grid of stack elements that are layers, in non-uniform mode.
	LayerCells map[string][2]int
	// Floorplans by stack element, in the order of the file. Rectangles are in um.
	Floorplans map[string][]FloorplanElement

	// Slabs are the layers from the bottom, for T3d; empty without such an instruction.
	Slabs []Slab

	// Layers are the stack layers that represent stack elements in maps: the layer, or the source layer of the die.
	Layers map[string]int
}

// Slab is a layer with its cells' common height in um. Materials are those of its floorplan's elements, or one.
type Slab struct {
	Layer          int
	Element        string // of the stack
	Bottom, Height float64
	Materials      []string
}

// FloorplanElement is an element of a floorplan as outputs need it. Cells is its own grid in non-uniform mode.
type FloorplanElement struct {
	Name  string
	Rects []stack.Rect // um
	Cells [2]int
	// Powers are the values of the file in W, one for each slot; none where powers come from a client.
	Powers []float64
}

func (c *converter) prepareOutputs() {
	d := c.project.dimensions
	c.outputs = &Outputs{NonUniform: d.nonUniform, Cell: [2]float64{d.cellLength.value, d.cellWidth.value},
		Floorplans: map[string][]FloorplanElement{}, LayerCells: map[string][2]int{}, Layers: map[string]int{}}
	c.Outputs = c.outputs
	if s := c.project.solver; s.transient {
		c.outputs.StepsPerSlot = c.stepsPerSlot()
	}
}

// addFloorplan keeps the floorplan of stack element i for the outputs.
func (c *converter) addFloorplan(i int) {
	e := &c.project.stack[i]
	for _, x := range c.floors[i] {
		f := FloorplanElement{Name: x.name, Cells: c.cellsOf(e, &x)}
		for _, r := range x.rects {
			f.Rects = append(f.Rects, r.um())
		}
		f.Powers = make([]float64, 0, len(x.powers))
		for _, w := range x.powers {
			f.Powers = append(f.Powers, w.value)
		}
		c.outputs.Floorplans[e.name] = append(c.outputs.Floorplans[e.name], f)
	}
}

// convertOutputs checks the instructions and maps them to thermsim's own reports: T to a probe, Tmap to a map.
func (c *converter) convertOutputs() {
	for _, o := range c.project.outputs {
		if o.Kind == "T3d" {
			c.volume(o)
			continue
		}
		e := find(c, "stack element", c.project.stack, named{o.Element, o.Pos})
		if e == nil || !c.fits(o, e) {
			continue
		}
		n := c.outputs.Layers[o.Element]
		c.checkOutput(o)
		c.outputs.Instructions = append(c.outputs.Instructions, o)
		switch o.Kind {
		case "T":
			c.probe(o, n)
		case "Tmap":
			if y := c.Stack.Layers[n].Name; len(c.Stack.Layers[n].Powers) == 0 &&
				!slices.Contains(c.Stack.Output.Maps, y) {
				c.Stack.Output.Maps = append(c.Stack.Output.Maps, y)
			}
		}
	}
	c.outputDeviations()
}

// fits reports a fault if an instruction does not apply to its stack element.
func (c *converter) fits(o Output, e *element) bool {
	floor := c.outputs.Floorplans[o.Element]
	switch {
	case o.Kind == "Tcoolant" && !e.channel:
		c.Faults.Add(o.Pos, "", "Tcoolant needs a channel; %q is not a channel", o.Element)
	case (o.Kind == "Tflp" || o.Kind == "Tflpel") && !e.die:
		c.Faults.Add(o.Pos, "", "%s needs a die; %q is a layer", o.Kind, o.Element)
	case o.Kind == "Tflpel" && !slices.ContainsFunc(floor, func(f FloorplanElement) bool { return f.Name == o.Block }):
		c.Faults.Add(o.Pos, "", "the floorplan of %q has no element %q", o.Element, o.Block)
	default:
		return c.hasFile(o)
	}
	return false
}

// hasFile reports a fault if an instruction has no file name.
func (c *converter) hasFile(o Output) bool {
	if o.File == "" {
		c.Faults.Add(o.Pos, "", "the path of the output file is empty")
	}
	return o.File != ""
}

// volume is an instruction for a VTK file of all cells, which 3D-ICE writes in non-uniform mode only.
func (c *converter) volume(o Output) {
	if !c.project.dimensions.nonUniform {
		c.Note(importer.NotCarried, o.Pos, "T3d: 3D-ICE writes %q in non-uniform mode only", o.File)
		return
	}
	if !c.hasFile(o) {
		return
	}
	c.checkOutput(o)
	c.outputs.Instructions = append(c.outputs.Instructions, o)
	if len(c.outputs.Slabs) > 0 {
		return
	}
	z := 0.0
	for l, from := range c.origins {
		y := &c.Stack.Layers[l]
		e := &c.project.stack[from.element]
		height := y.Thickness / micro
		s := Slab{Layer: l, Element: e.name, Bottom: z, Height: height}
		if !e.die {
			s.Materials = []string{c.Stack.Materials[y.Material].Name}
		}
		for _, x := range c.floors[from.element] {
			name := c.Stack.Materials[y.Material].Name
			if from.source && x.material.name != "" {
				name = x.material.name
			}
			s.Materials = append(s.Materials, name)
		}
		c.outputs.Slabs = append(c.outputs.Slabs, s)
		z += height
	}
}

// checkOutput warns of instructions that write nothing, or the same file as another.
func (c *converter) checkOutput(o Output) {
	if o.When != "final" && !c.project.solver.transient {
		c.Note(importer.Warning, o.Pos, "a steady state has no %ss: 3D-ICE writes only the heading of %q; use final",
			o.When, o.File)
	}
	for _, other := range c.outputs.Instructions {
		if other.File == o.File {
			c.Note(importer.Warning, o.Pos, "line %d writes %q too: 3D-ICE mixes both in one file", other.Pos.Line,
				o.File)
			return
		}
	}
}

func cellProbe(pos stack.Pos) importer.Deviation {
	return importer.Deviation{
		Name: "cell-probe", Pos: pos,
		What:    "3D-ICE's T is the temperature of the cell that contains the point",
		Instead: "probes show the temperature at the point; --format 3dice writes 3D-ICE's value",
	}
}

// cellCentre is the centre of the cell of an axis that contains v, all in m. A point on the face between two cells
// belongs to the second.
func cellCentre(a stack.Axis, size, v float64) float64 {
	segments := a.Segments
	if len(segments) == 0 {
		segments = []stack.Segment{{To: size, Cells: a.Cells}}
	}
	slack := 1e-9 * size
	from := 0.0
	for n, s := range segments {
		if v < s.To-slack || n == len(segments)-1 {
			d := (s.To - from) / float64(s.Cells)
			i := min(max(0, math.Floor((v-from+slack)/d)), float64(s.Cells-1))
			return from + (i+0.5)*d
		}
		from = s.To
	}
	return v
}

// probe is an inspection point in the middle of its layer; with --compat at the centre of the cell, so that it shows
// the cell's temperature.
func (c *converter) probe(o Output, layer int) {
	height := 0.0
	for i := range layer {
		height += c.Stack.Layers[i].Thickness
	}
	name := filepath.Base(o.File)
	name = name[:len(name)-len(filepath.Ext(name))]
	if name == "" {
		name = o.Element
	}
	name = printable.Distinct(name, func(s string) bool {
		return slices.ContainsFunc(c.Stack.Probes, func(p stack.Probe) bool { return p.Name == s })
	})
	x, y := o.X*micro, o.Y*micro
	if !(x >= 0 && x <= c.Stack.Size[0] && y >= 0 && y <= c.Stack.Size[1]) {
		c.Note(importer.Warning, o.Pos, "the point lies outside the chip; 3D-ICE uses the nearest cell of the last "+
			"row or column, and no probe is made")
		return
	}
	if c.Emulates(cellProbe(o.Pos)) {
		x, y = cellCentre(c.Stack.Grid.X, c.Stack.Size[0], x), cellCentre(c.Stack.Grid.Y, c.Stack.Size[1], y)
	}
	c.Stack.Probes = append(c.Stack.Probes,
		stack.Probe{Name: name, X: x, Y: y, Z: height + c.Stack.Layers[layer].Thickness/2, Pos: o.Pos})
}

// outputDeviations are differences in what is written about the same temperatures.
func (c *converter) outputDeviations() {
	for _, o := range c.outputs.Instructions {
		switch {
		case o.Kind == "T":
			c.Emulates(cellProbe(o.Pos))
		case o.Kind == "Tcoolant":
			c.Emulates(importer.Deviation{
				Name: "outlet-column", Pos: o.Pos,
				What: "3D-ICE's Tcoolant includes the first column, even if it is a wall, and divides its average by " +
					"a number of channels that is not that of the cells",
				Instead: "maximum, minimum and mean are those of the cells of coolant at the outlet",
			})
		case o.Kind == "Tflp" || o.Kind == "Tflpel":
			c.Emulates(importer.Deviation{
				Name: "cell-average", Pos: o.Pos,
				What: "3D-ICE's averages weight all cells that an element touches equally, and all rectangles of " +
					"an element equally",
				Instead: "means in blocks.csv are exact over the area; --format 3dice writes 3D-ICE's values",
			})
		}
	}
}
