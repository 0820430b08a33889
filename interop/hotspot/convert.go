package hotspot

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// converter turns a project into a stack.
type converter struct {
	*importer.Collector
	config *config

	width, height float64 // m, of the die
	x, y          float64 // m, south-west corner of the die in the stack
	rows, cols    int
	detailed      bool
	leaks         bool              // as in HotSpot, block by block
	plans         map[string][]unit // by path: layers share floorplans
	slabs         []slab            // bottom to top, spreader and sink last
	solids        []solid
	fluids        []fluid
	below         int   // slabs of the secondary heat path
	pact          *pact // nil for a project of HotSpot
	trace         *stackfile.PowerTable
	columns       []OutputColumn     // the blocks of the trace's columns
	initial       map[string]float64 // K, by HotSpot's names
}

// slab is a layer of HotSpot's grid model: one cell in height.
type slab struct {
	name      string // of the stack's layer
	prefix    string // of its blocks in outputs
	units     []unit
	thickness float64
	k, c      float64 // W/(m K), J/(m3 K)
	power     bool
	lateral   bool
	plate     bool    // beside the die's layers: its units are those of the nearest one without their materials
	side      float64 // m, of a square plate around the die; 0 for slabs that end with the die
	label     string  // of its material; empty for one named like the slab
	pos       stack.Pos
	flow      *layer       // of the layer list, if its file describes microchannels
	channels  *channelPlan // of a layer with coolant
}

// spreader and sink are the topmost slabs.
func (c *converter) spreader() *slab { return &c.slabs[len(c.slabs)-2] }
func (c *converter) sink() *slab     { return &c.slabs[len(c.slabs)-1] }

func newConverter(c *importer.Collector) *converter {
	return &converter{Collector: c, plans: map[string][]unit{}}
}

func (c *converter) convert() {
	k := c.config
	c.rows, c.cols = int(k.number("grid_rows")), int(k.number("grid_cols"))
	c.readSwitches()
	c.readLayers()
	if c.Faults.Len() > 0 {
		return
	}
	c.readPlates()
	c.readSecondary()
	c.readTrace()
	c.readInitial()
	if c.Faults.Len() > 0 {
		return
	}
	c.Transient = len(c.trace.Rows) > 1
	c.assemble(c.choose)
	c.prepareOutputs()
	if c.Network != nil && c.leaks {
		c.Network.Leakage = blockLeakage(c.Outputs.(*Outputs), c.Network)
	}
}

// assemble makes the stack of the slabs, and the network that emulates what choose picks.
func (c *converter) assemble(choose func() emulation) {
	k := c.config
	c.Stack.Ambient = k.number("ambient")
	c.materials()
	if c.cooled() {
		c.dieFootprint()
	} else if emulate := choose(); emulate.any() {
		c.leaks = emulate.leakage
		c.dieOnly()
		c.Network = c.simulatorNetwork(emulate)
	} else {
		c.realGeometry()
	}
	if c.htc() > 0 {
		c.Stack.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: c.htc(),
			Temperature: c.Stack.Ambient, Pos: c.sink().pos}
	} else {
		c.film(stack.Top, c.sink(), "r_convec", "s_sink")
	}
	if c.below > 0 {
		c.film(stack.Bottom, &c.slabs[boardSlab], "r_convec_sec", "s_pcb")
	}
	// A time step for each row of the trace.
	c.Stack.Transient.Dt = k.number("sampling_intvl")
	c.Stack.Transient.Steps = len(c.trace.Rows)
}

// htc is the heat-transfer coefficient of a package that ends with the die; 0 with spreader and sink.
func (c *converter) htc() float64 {
	if c.pact == nil {
		return 0
	}
	return c.pact.htc
}

// film is the heat transfer of a plate at a face, to the ambient.
func (c *converter) film(face stack.Face, plate *slab, resistance, side string) {
	k := c.config
	b := stack.Boundary{Kind: stack.Convective, H: 1 / (k.number(resistance) * plate.side * plate.side),
		Temperature: c.Stack.Ambient, Pos: k.pos(resistance)}
	if plate.side < c.Stack.Size[0]*(1-1e-9) {
		b = stack.Boundary{Patches: []stack.Patch{{Name: plate.name, Boundary: b,
			Rects: []stack.Rect{c.square(plate.side)}}}, Pos: b.Pos}
	}
	c.Stack.Boundary[face] = b
	c.Comments.Boundary[face] = fmt.Sprintf("1/(%s %s^2), %s = %s K/W", resistance, side, resistance,
		k.text(resistance))
}

// readSwitches reads the words among the parameters.
func (c *converter) readSwitches() {
	k := c.config
	switch k.text("model_type") {
	case "grid":
	case "block":
		c.Note(importer.Adapted, k.pos("model_type"), "HotSpot's block model is calculated as its grid model of "+
			"%d x %d cells", c.cols, c.rows)
	default:
		c.Faults.Add(k.pos("model_type"), "", "model_type is grid or block, got %q",
			stack.Shorten(k.text("model_type")))
	}
	c.readDetailed()
	c.readLeakage()
	if mode := strings.ToLower(k.text("grid_map_mode")); !slices.Contains([]string{"avg", "min", "max", "center"},
		mode) {
		c.Faults.Add(k.pos("grid_map_mode"), "", "grid_map_mode is avg, min, max or center, got %q",
			stack.Shorten(mode))
	}
	for _, name := range []string{"steady_file", "grid_steady_file", "grid_transient_file", "o"} {
		if k.given(name) && k.path(name) != "" {
			c.Note(importer.Adapted, k.pos(name), "the file's name: --format hotspot names it after the configuration")
		}
	}
}

// readLayers reads the materials and the layer list, or the floorplan of a single die.
func (c *converter) readLayers() {
	k := c.config
	if name := k.path("materials_file"); name != "" {
		if c.inConfig("materials_file") {
			c.Note(importer.Warning, k.pos("materials_file"), "HotSpot reads materials_file from its command line "+
				"only, and without it uses -1 for the properties of every material; thermsim reads the file")
		}
		if path, data, ok := c.Open(name, k.pos("materials_file")); ok {
			c.solids, c.fluids = parseMaterials(c.Collector, path, data)
		}
	}
	for _, read := range []func(){c.readSlabs, c.readChannels, c.checkSizes} {
		if c.Faults.Len() == 0 {
			read()
		}
	}
}

func (c *converter) readSlabs() {
	if name := c.config.path("grid_layer_file"); name != "" {
		c.layerList(name)
	} else {
		c.singleDie()
	}
}

// checkSizes sets the size of the die, which all floorplans must have.
func (c *converter) checkSizes() {
	c.width, c.height = size(c.slabs[0].units)
	for _, s := range c.slabs[1:] {
		if w, h := size(s.units); math.Abs(w-c.width) > 1e-9*c.width || math.Abs(h-c.height) > 1e-9*c.height {
			c.Faults.Add(s.units[0].pos, "give all layers floorplans of the same size",
				"the floorplan is %g x %g mm, that of layer 0 %g x %g mm", w*1e3, h*1e3, c.width*1e3, c.height*1e3)
		}
	}
	for _, s := range c.slabs {
		c.checkFloorplan(&s)
	}
}

func (c *converter) floorplan(name string, pos stack.Pos) []unit {
	path, data, ok := c.Open(name, pos)
	if !ok {
		return nil
	}
	if _, known := c.plans[path]; !known {
		c.plans[path] = parseFlp(c.Collector, path, data)
	}
	return slices.Clone(c.plans[path])
}

func (c *converter) layerList(name string) {
	path, data, ok := c.Open(name, c.config.pos("grid_layer_file"))
	if !ok {
		return
	}
	if c.config.given("f") {
		c.Note(importer.NotCarried, c.config.pos("f"), "the floorplan: the layers of the layer list have their own")
	}
	layers := parseLcf(c.Collector, path, data, c.solids)
	if c.Faults.Len() > 0 {
		return
	}
	for i := range layers {
		l := &layers[i]
		if !l.lateral {
			effect := "thermsim's own numerics have no such layers, so this one conducts laterally there"
			if c.detailed {
				effect = "HotSpot ignores that if detailed_3D is on, and so does thermsim"
			}
			c.Note(importer.Warning, l.lateralPos, "no lateral heat flow: %s", effect)
		}
		name := fmt.Sprintf("layer_%d", l.number)
		s := slab{name: name, prefix: name + "_", thickness: l.thickness, k: 1 / l.resistivity, c: l.capacity,
			power: l.power, lateral: l.lateral || c.detailed, pos: l.pos}
		if strings.EqualFold(filepath.Ext(l.floorplan), ".csv") {
			s.flow = l
			if l.power {
				c.Faults.Add(l.flpPos, "set its power to N", "a layer of microchannels has power")
			}
		} else {
			s.units = c.floorplan(l.floorplan, l.flpPos)
		}
		c.slabs = append(c.slabs, s)
	}
}

// readChannels reads the layers of microchannels, whose size is that of the others.
func (c *converter) readChannels() {
	if !c.cooled() {
		c.noteUnusedChannels()
		return
	}
	k := c.config
	if c.Compat {
		c.Faults.Add(k.pos("grid_layer_file"), "omit --compat", "HotSpot's numerics of microchannels are not emulated")
		return
	}
	if k.text("use_microchannels") == "0" {
		c.Note(importer.Warning, k.pos("grid_layer_file"), "HotSpot refuses layers of microchannels without "+
			"-use_microchannels 1; thermsim accepts them")
	}
	solid := slices.IndexFunc(c.slabs, func(s slab) bool { return s.flow == nil })
	for i := range c.slabs {
		s := &c.slabs[i]
		if s.flow == nil {
			continue
		}
		if solid < 0 {
			c.Faults.Add(s.flow.flpPos, "add layers with floorplans", "no layer has a floorplan, which defines the "+
				"size of the die")
			return
		}
		if c.channelLayer(s); s.channels != nil {
			width, height := size(c.slabs[solid].units)
			s.units = c.channelUnits(width, height, s.flow.flpPos)
			c.walls(s)
		}
	}
}

// noteUnusedChannels notes parameters of microchannels in a project without any.
func (c *converter) noteUnusedChannels() {
	k := c.config
	for _, p := range parameters {
		about := p.kind == channels || p.name == "coolant_material" || p.name == "wall_material" ||
			p.name == "use_microchannels" && k.text(p.name) != "0"
		if about && k.given(p.name) {
			c.Note(importer.NotCarried, k.pos(p.name), "%s belongs to microchannels, which no layer has", p.name)
		}
	}
	for _, f := range c.fluids {
		c.Note(importer.NotCarried, f.pos, "fluid %s: no layer has microchannels", f.name)
	}
}

// singleDie is the stack that HotSpot makes around one floorplan: silicon and interface.
func (c *converter) singleDie() {
	k := c.config
	if k.path("f") == "" {
		c.Faults.Add(stack.Pos{File: k.file}, "give the floorplan with --flp, or the layers with --grid_layer_file",
			"the project has neither a floorplan nor a layer list")
		return
	}
	units := c.floorplan(k.path("f"), k.pos("f"))
	kc, pc := c.substance("chip")
	ki, pi := c.substance("interface")
	c.slabs = []slab{
		{name: "silicon", units: units, thickness: k.number("t_chip"), k: kc, c: pc, power: true, lateral: true,
			pos: k.pos("t_chip")},
		{name: "interface", prefix: "iface_", units: units, thickness: k.number("t_interface"), k: ki, c: pi,
			lateral: true, pos: k.pos("t_interface")},
	}
}

// substance is conductivity and heat capacity of a part: its material's if one is named.
func (c *converter) substance(part string) (k, p float64) {
	if c.config.text("material_"+part) == "" {
		return c.config.number("k_" + part), c.config.number("p_" + part)
	}
	m := c.solid("material_" + part)
	return m.k, m.capacity
}

// solid is the material that a parameter names. Without one of that name it is a fault.
func (c *converter) solid(parameter string) solid {
	name := c.config.text(parameter)
	for _, m := range c.solids {
		if m.name == name {
			return m
		}
	}
	c.Faults.Add(c.config.pos(parameter), "give the file of materials that has it with --materials_file",
		"material %q is unknown", stack.Shorten(name))
	return solid{k: 1, capacity: 1}
}

// readPlates reads spreader and sink and adds them as layers above the die.
func (c *converter) readPlates() {
	k := c.config
	top := c.slabs[len(c.slabs)-1].units
	read := func(part, prefix string) {
		conductivity, capacity := c.substance(part)
		c.slabs = append(c.slabs, slab{name: part, prefix: prefix, units: top, thickness: k.number("t_" + part),
			k: conductivity, c: capacity, lateral: true, plate: true, side: k.number("s_" + part),
			pos: k.pos("t_" + part)})
	}
	read("spreader", "hsp_")
	read("sink", "hsink_")
	spreader, sink := c.spreader().side, c.sink().side
	if spreader < max(c.width, c.height) {
		c.Faults.Add(k.pos("s_spreader"), "make it at least as large as the die", "the spreader of %g mm is smaller "+
			"than the die of %g x %g mm", spreader*1e3, c.width*1e3, c.height*1e3)
	}
	if sink < spreader {
		c.Faults.Add(k.pos("s_sink"), "make it at least as large as the spreader", "the sink of %g mm is smaller "+
			"than the spreader of %g mm", sink*1e3, spreader*1e3)
	}
	if c.Compat && sink <= max(c.width, c.height) {
		c.Faults.Add(k.pos("s_sink"), "make it larger by a millionth, or omit --compat",
			"the sink ends with the die, %g mm: HotSpot divides by the zero length between its nodes outside the die, "+
				"and its temperatures become meaningless", sink*1e3)
	}
}
