package threedice

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"thermsim/interop/importer"
	"thermsim/interop/network"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// converter turns a project into a stack.
type converter struct {
	importer.Collector
	format   importer.Format
	project  *project
	stack    *stack.Stack
	comments stackfile.Comments
	outputs  *Outputs

	slots     int // number of slots for which every floorplan element has a power; -1 before the first is seen
	materials map[materialKey]int
	unpowered []flpElement // elements without power values
	used      map[string]bool
	floors    [][]flpElement // by stack element, nil for layers
	origins   []origin       // of the stack's layers

	// Of non-uniform mode: every element's own cells, all their edges in um, and whether a network is to emulate them.
	works    []patchwork
	edges    [2][]float64
	ownCells bool
	network  *network.Network
	// patches are the layouts of layers, by path.
	patches map[string]layoutFile
}

// origin is what a layer of the stack comes from.
type origin struct {
	element int // of the project's stack
	source  bool
}

// materialKey tells the materials of the stack description from those that a layout has for itself.
type materialKey struct{ name, layout string }

// layoutFile is what a .mlt file says.
type layoutFile struct {
	materials []material
	patches   []layoutPatch
}

func newConverter(f importer.Format, r importer.Request) *converter {
	return &converter{
		Collector: importer.Collector{Request: r}, format: f, slots: -1,
		materials: map[materialKey]int{}, used: map[string]bool{}, patches: map[string]layoutFile{},
		stack: &stack.Stack{Schema: 1, File: r.Files[0]},
		comments: stackfile.Comments{
			Materials: map[int][]string{}, Layers: map[int][]string{}, Contacts: map[int]string{},
			Powers: map[*stack.Power][]string{},
		},
	}
}

// open reads a file that the project names at pos.
func (c *converter) open(name string, pos stack.Pos) (path string, data []byte, ok bool) {
	if name == "" {
		c.Faults.Add(pos, "", "the path is empty")
		return "", nil, false
	}
	path = name
	if !filepath.IsAbs(name) {
		path = filepath.Join(filepath.Dir(c.project.file), name)
	}
	data, err := c.Request.Open(path)
	if errors.Is(err, fs.ErrNotExist) && path != filepath.Clean(name) {
		if data2, err2 := c.Request.Open(name); err2 == nil {
			path, data, err = name, data2, nil
		}
	}
	if err != nil {
		remedy := ""
		if errors.Is(err, fs.ErrNotExist) {
			remedy = "paths are looked for beside the stack description, then in the working directory"
		}
		c.Faults.AddError(&stack.Error{Pos: pos, Msg: fmt.Sprintf("cannot read %s: %s", path, importer.Reason(err)),
			Remedy: remedy, Err: err})
		return "", nil, false
	}
	importer.Record(c.stack, path, data)
	return path, data, true
}

func (c *converter) convert() {
	p := c.project
	c.stack.Title = filepath.Base(p.file) + " (3D-ICE)"
	if c.Request.Compat {
		c.stack.Title = filepath.Base(p.file) + " (3D-ICE, its arithmetic)"
	}
	c.readFloorplans()
	c.sinks()
	c.prepareOutputs()
	if c.Faults.Len() > 0 {
		return
	}
	c.grid()
	if c.Faults.Len() > 0 {
		return // what follows measures against the chip
	}
	for i := len(p.stack) - 1; i >= 0; i-- {
		c.element(i)
	}
	c.unused()
	if c.Faults.Len() > 0 {
		return
	}
	if c.ownCells {
		c.network = c.ownNetwork()
	}
	c.outerNodes()
	c.solver()
	c.convertOutputs()
	if err := stack.Validate(c.stack); err != nil {
		c.Faults.AddError(err)
	}
}

// sinks sets top and bottom boundaries. The ambient is the temperature of a sink, or the initial one without any.
func (c *converter) sinks() {
	s, p := c.stack, c.project
	s.Ambient = p.solver.initial.value
	set := func(face stack.Face, k *sink) {
		if k == nil {
			return
		}
		s.Ambient = k.temperature.value
		s.Boundary[face] = stack.Boundary{Kind: stack.Convective, H: k.h.shifted(12), Temperature: k.temperature.value,
			Pos: k.pos}
		c.comments.Boundary[face] = place(k.pos)
	}
	set(stack.Bottom, p.bottom)
	set(stack.Top, p.top)
	if p.top == nil && p.bottom == nil {
		c.Note(importer.Warning, p.solver.pos, "no heat sink is declared: heat has no way out, and a steady state "+
			"does not exist")
	}
}

// unused warns of layers and dies that the stack does not use; 3D-ICE passes over them.
func (c *converter) unused() {
	for _, y := range c.project.layers {
		if !c.used["layer "+y.name] {
			c.Note(importer.NotCarried, y.pos, "layer %q is not used by the stack", y.name)
		}
	}
	for _, d := range c.project.dies {
		if !c.used["die "+d.name] {
			c.Note(importer.NotCarried, d.pos, "die %q is not used by the stack", d.name)
		}
	}
	for _, m := range c.project.materials {
		if _, ok := c.materials[materialKey{name: m.name}]; !ok {
			c.Note(importer.NotCarried, m.pos, "material %q is not used", m.name)
		}
	}
}

// material is the index in the stack of a material by its name, that of a layout's own before that of the stack
// description.
func (c *converter) material(name string, pos stack.Pos, from layoutFile, layoutPath string) int {
	find := func(list []material) *material {
		for i := range list {
			if list[i].name == name {
				return &list[i]
			}
		}
		return nil
	}
	key := materialKey{name, layoutPath}
	m := find(from.materials)
	if m == nil {
		key.layout = ""
		m = find(c.project.materials)
	}
	if m == nil {
		var have []string
		for _, o := range append(slices.Clone(from.materials), c.project.materials...) {
			have = append(have, o.name)
		}
		c.Faults.Add(pos, didYouMean(name, have), "no material is called %q", name)
		return 0
	}
	if i, ok := c.materials[key]; ok {
		return i
	}
	i := len(c.stack.Materials)
	c.materials[key] = i
	c.stack.Materials = append(c.stack.Materials, stack.Material{
		Name: c.freeMaterialName(m.name), K: [3]float64{m.k[0].shifted(6), m.k[1].shifted(6), m.k[2].shifted(6)},
		C: m.c.shifted(18), Pos: m.pos,
	})
	c.comments.Materials[i] = []string{place(m.pos)}
	return i
}

// freeMaterialName is the name, with an underscore where the stack has a material of that name already.
func (c *converter) freeMaterialName(name string) string {
	for slices.ContainsFunc(c.stack.Materials, func(m stack.Material) bool { return m.Name == name }) {
		name += "_"
	}
	return name
}

// place is a position as comments name it.
func place(pos stack.Pos) string {
	return fmt.Sprintf("%s, line %d", filepath.Base(pos.File), pos.Line)
}

func (c *converter) result() *importer.Result {
	c.comments.Head = []string{
		"Imported from 3D-ICE: " + c.project.file + " and the files it names.",
		"Coordinates count from the south-west corner in both programs; 3D-ICE lists layers from the top, this file " +
			"from the bottom.",
	}
	if c.Request.Compat {
		c.comments.Head = append(c.comments.Head, "With --compat: what 3D-ICE calculates in its own way is put into "+
			"the figures below.")
	}
	return &importer.Result{
		Stack: c.stack, Comments: c.comments, Format: c.format, Compat: c.Request.Compat,
		Transient: c.project.solver.transient, Notes: c.Notes, Deviations: c.Deviations, Outputs: c.outputs,
		Network: c.network,
	}
}
