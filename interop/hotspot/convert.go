package hotspot

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"thermsim/interop/importer"
	"thermsim/interop/network"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// converter turns a project into a stack.
type converter struct {
	importer.Collector
	format   importer.Format
	config   *config
	stack    *stack.Stack
	comments stackfile.Comments
	network  *network.Network
	outputs  *Outputs

	width, height float64 // m, of the die
	rows, cols    int
	detailed      bool
	plans         map[string][]unit // by path: layers share floorplans
	slabs         []slab            // bottom to top, spreader and sink last
	solids        []solid
	fluids        []fluid
	spreader      plate
	sink          plate
	trace         *stackfile.PowerTable
	column        map[[2]int]int       // of the trace, by slab and unit
	columns       []OutputColumn       // the blocks of the trace's columns
	initial       map[string]float64   // K, by HotSpot's names
	start         []stack.InitialLayer // the same over the stack
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
	// spreader or sink: its units are those of the layer below in place and name, and have none of their materials
	plate    bool
	pos      stack.Pos
	channels *channelPlan // of a layer that coolant flows through
}

// plate is the spreader or the sink: a square around the die.
type plate struct{ side, thickness, k, c float64 }

func newConverter(f importer.Format, r importer.Request) *converter {
	return &converter{
		Collector: importer.Collector{Request: r}, format: f, stack: &stack.Stack{Schema: 1, File: r.Files[0]},
		column: map[[2]int]int{}, plans: map[string][]unit{},
		comments: stackfile.Comments{Materials: map[int][]string{}, Layers: map[int][]string{},
			Contacts: map[int]string{},
			Powers:   map[*stack.Power][]string{}},
	}
}

// options puts the command line over the configuration, as HotSpot does. Files given beside the configuration count by
// their extensions.
func (c *converter) options() {
	set := func(name, value string) {
		c.config.set(name, stack.Pos{File: "--" + name}, word{value, stack.Pos{File: "--" + name}}, &c.Faults, &c.Notes)
	}
	names := map[string]string{"ptrace": "p", "flp": "f"}
	values := map[string]string{}
	for _, f := range c.Request.Files[1:] {
		switch strings.ToLower(filepath.Ext(f)) {
		case ".ptrace":
			values["p"] = f
		case ".flp":
			values["f"] = f
		case ".lcf":
			values["grid_layer_file"] = f
		case ".materials":
			values["materials_file"] = f
		case ".init", ".steady":
			values["init_file"] = f
		default:
			c.Faults.Add(stack.Pos{File: f}, "give .ptrace, .flp, .lcf, .materials or .init files",
				"what this file is for cannot be told from its name")
		}
	}
	for name, value := range c.Request.Named {
		if short, ok := names[name]; ok {
			name = short
		}
		values[name] = value
	}
	for _, name := range slices.Sorted(mapKeys(values)) {
		delete(c.config.values, name) // taking its place is no repetition
		set(name, values[name])
	}
}

func mapKeys(m map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// open reads a file that the project names at pos: in the working directory, then beside the file that names it.
func (c *converter) open(name string, pos stack.Pos) (path string, data []byte, ok bool) {
	path = name
	data, err := c.Request.Open(path)
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(name) {
		beside := filepath.Join(filepath.Dir(c.config.file), name)
		if data2, err2 := c.Request.Open(beside); err2 == nil || !errors.Is(err2, fs.ErrNotExist) {
			path, data, err = beside, data2, err2
		}
	}
	if err != nil {
		remedy := ""
		if errors.Is(err, fs.ErrNotExist) {
			remedy = "paths are looked for in the working directory, then beside the configuration"
		}
		c.Faults.AddError(&stack.Error{Pos: pos, Msg: fmt.Sprintf("cannot read %s: %s", name, importer.Reason(err)),
			Remedy: remedy, Err: err})
		return "", nil, false
	}
	importer.Record(c.stack, path, data)
	return path, data, true
}

func (c *converter) convert() {
	k := c.config
	c.stack.Title = filepath.Base(k.file) + " (HotSpot)"
	if c.Request.Compat {
		c.stack.Title = filepath.Base(k.file) + " (HotSpot, its arithmetic)"
	}
	c.rows, c.cols = int(k.number("grid_rows")), int(k.number("grid_cols"))
	c.readSwitches()
	c.readLayers()
	if c.Faults.Len() > 0 {
		return
	}
	c.readPlates()
	c.readTrace()
	c.readInitial()
	if c.Faults.Len() > 0 {
		return
	}
	c.stack.Ambient = k.number("ambient")
	h := 1 / (k.number("r_convec") * c.sink.side * c.sink.side)
	c.stack.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: h, Temperature: c.stack.Ambient,
		Pos: k.pos("r_convec")}
	c.comments.Boundary[stack.Top] = fmt.Sprintf("1/(r_convec s_sink^2), r_convec = %s K/W", k.text("r_convec"))
	c.materials()
	if c.cooled() {
		c.dieFootprint()
	} else if own := c.choose(); own.any() {
		c.dieOnly()
		c.network = c.ownNetwork(own)
	} else {
		c.realGeometry()
	}
	c.times()
	c.prepareOutputs()
	if c.Faults.Len() > 0 {
		return
	}
	if err := stack.Validate(c.stack); err != nil {
		c.Faults.AddError(err)
	}
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
			importer.Shorten(k.text("model_type")))
	}
	c.readDetailed()
	if mode := strings.ToLower(k.text("grid_map_mode")); !slices.Contains([]string{"avg", "min", "max", "center"},
		mode) {
		c.Faults.Add(k.pos("grid_map_mode"), "", "grid_map_mode is avg, min, max or center, got %q",
			importer.Shorten(mode))
	}
	for _, name := range []string{"steady_file", "grid_steady_file", "grid_transient_file", "o"} {
		if _, given := k.values[name]; given && k.path(name) != "" {
			c.Note(importer.Adapted, k.pos(name), "the file's name: --format hotspot writes it under the name of the "+
				"configuration")
		}
	}
}

// readLayers reads the layer list, or the floorplan of a single die, and what they name.
func (c *converter) readLayers() {
	k := c.config
	var materials []solid
	if name := k.path("materials_file"); name != "" {
		c.tellMaterials()
		if path, data, ok := c.open(name, k.pos("materials_file")); ok {
			materials, c.fluids = parseMaterials(path, data, &c.Faults)
			c.solids = materials
		}
	}
	if c.Faults.Len() > 0 {
		return
	}
	if name := k.path("grid_layer_file"); name != "" {
		c.layerList(name, materials)
	} else {
		c.singleDie(materials)
	}
	if c.Faults.Len() > 0 {
		return
	}
	c.readChannels()
	if c.Faults.Len() > 0 {
		return
	}
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
	path, data, ok := c.open(name, pos)
	if !ok {
		return nil
	}
	units, known := c.plans[path]
	if !known {
		units = parseFlp(path, data, &c.Faults, &c.Notes)
		c.plans[path] = units
	}
	return slices.Clone(units)
}

func (c *converter) layerList(name string, materials []solid) {
	path, data, ok := c.open(name, c.config.pos("grid_layer_file"))
	if !ok {
		return
	}
	if _, given := c.config.values["f"]; given {
		c.Note(importer.NotCarried, c.config.pos("f"), "the floorplan: the layers of the layer list have their own")
	}
	layers := parseLcf(path, data, materials, &c.Faults)
	if c.Faults.Len() > 0 {
		return
	}
	for _, l := range layers {
		var units []unit
		flows := strings.EqualFold(filepath.Ext(l.floorplan), ".csv")
		if !flows {
			units = c.floorplan(l.floorplan, l.flpPos)
		}
		if !l.lateral && c.detailed {
			c.Note(importer.Warning, l.lateralPos, "no lateral heat flow: HotSpot lets it flow all the same where "+
				"detailed_3D is on, and so does this")
		}
		if !l.lateral && !c.detailed {
			c.Note(importer.Warning, l.lateralPos, "no lateral heat flow: thermsim's own way has no such layers, so "+
				"this one conducts laterally there")
		}
		c.slabs = append(c.slabs, slab{
			name: fmt.Sprintf("layer_%d", l.number), prefix: fmt.Sprintf("layer_%d_", l.number), units: units,
			thickness: l.thickness,
			k:         1 / l.resistivity, c: l.capacity, power: l.power, lateral: l.lateral || c.detailed, pos: l.pos,
		})
		if sl := &c.slabs[len(c.slabs)-1]; flows {
			sl.channels = &channelPlan{file: l.floorplan, pos: l.flpPos}
			if l.power {
				c.Faults.Add(l.flpPos, "set its power to N", "a layer of microchannels makes no heat")
			}
		}
	}
}

// readChannels reads the layers of microchannels, whose size is that of the others.
func (c *converter) readChannels() {
	if !c.cooled() {
		c.tellChannels()
		return
	}
	k := c.config
	if c.Request.Compat {
		c.Faults.Add(k.pos("grid_layer_file"), "leave out --compat", "HotSpot's own arithmetic of microchannels is "+
			"not emulated")
		return
	}
	if k.text("use_microchannels") == "0" {
		c.Note(importer.Warning, k.pos("grid_layer_file"), "HotSpot refuses layers of microchannels without "+
			"-use_microchannels 1; here they hold")
	}
	width, height := 0.0, 0.0
	for i := range c.slabs {
		if c.slabs[i].channels == nil {
			width, height = size(c.slabs[i].units)
			break
		}
	}
	for i := range c.slabs {
		sl := &c.slabs[i]
		if sl.channels == nil {
			continue
		}
		file, pos := sl.channels.file, sl.channels.pos
		if width == 0 {
			c.Faults.Add(pos, "add layers with floorplans", "no layer has a floorplan, which tells the size of the die")
			return
		}
		sl.channels = nil
		if c.channelLayer(sl, file, pos); sl.channels != nil {
			sl.units = c.channelUnits(width, height, pos)
			c.walls(sl)
		}
	}
}

// tellChannels notes what is said of microchannels that are not there.
func (c *converter) tellChannels() {
	k := c.config
	for _, p := range parameters() {
		given := p.kind == channels || p.name == "coolant_material" || p.name == "wall_material" ||
			p.name == "use_microchannels" && k.text(p.name) != "0"
		if _, there := k.values[p.name]; given && there {
			c.Note(importer.NotCarried, k.pos(p.name), "%s belongs to microchannels, which no layer has", p.name)
		}
	}
	for _, f := range c.fluids {
		c.Note(importer.NotCarried, f.pos, "fluid %s: no layer has microchannels", f.name)
	}
}

// singleDie is the stack that HotSpot makes around one floorplan: silicon and interface.
func (c *converter) singleDie(materials []solid) {
	k := c.config
	if k.path("f") == "" {
		c.Faults.Add(stack.Pos{File: k.file}, "give the floorplan with --flp, or the layers with --grid_layer_file",
			"the project has neither a floorplan nor a list of layers")
		return
	}
	units := c.floorplan(k.path("f"), k.pos("f"))
	kc, pc := c.substance("chip", materials)
	ki, pi := c.substance("interface", materials)
	c.slabs = []slab{
		{name: "silicon", units: units, thickness: k.number("t_chip"), k: kc, c: pc, power: true, lateral: true,
			pos: k.pos("t_chip")},
		{name: "interface", prefix: "iface_", units: units, thickness: k.number("t_interface"), k: ki, c: pi,
			lateral: true, pos: k.pos("t_interface")},
	}
}

// substance is conductivity and heat capacity of a part: its material's where one is named.
func (c *converter) substance(part string, materials []solid) (k, p float64) {
	if name := c.config.text("material_" + part); name != "" {
		for _, m := range materials {
			if m.name == name {
				return m.k, m.capacity
			}
		}
		c.Faults.Add(c.config.pos("material_"+part), "name a file of materials that has it with --materials_file",
			"material %q is unknown", importer.Shorten(name))
	}
	return c.config.number("k_" + part), c.config.number("p_" + part)
}

// readPlates reads spreader and sink and adds them as layers over the die.
func (c *converter) readPlates() {
	k := c.config
	var materials []solid
	if name := k.path("materials_file"); name != "" {
		if path, data, ok := c.open(name, k.pos("materials_file")); ok {
			materials, _ = parseMaterials(path, data, &c.Faults)
		}
	}
	read := func(part string) plate {
		kk, p := c.substance(part, materials)
		return plate{side: k.number("s_" + part), thickness: k.number("t_" + part), k: kk, c: p}
	}
	c.spreader, c.sink = read("spreader"), read("sink")
	if c.spreader.side < max(c.width, c.height) {
		c.Faults.Add(k.pos("s_spreader"), "make it at least as large as the die", "the spreader of %g mm is smaller "+
			"than the die of %g x %g mm", c.spreader.side*1e3, c.width*1e3, c.height*1e3)
	}
	if c.sink.side < c.spreader.side {
		c.Faults.Add(k.pos("s_sink"), "make it at least as large as the spreader", "the sink of %g mm is smaller "+
			"than the spreader of %g mm", c.sink.side*1e3, c.spreader.side*1e3)
	}
	if c.Request.Compat && c.sink.side <= max(c.width, c.height) {
		c.Faults.Add(k.pos("s_sink"), "make it larger by a millionth, or leave out --compat",
			"the sink ends with the die, %g mm: HotSpot divides by the zero length between its nodes beside the die, "+
				"and its temperatures become meaningless", c.sink.side*1e3)
	}
	top := c.slabs[len(c.slabs)-1].units
	c.slabs = append(c.slabs,
		slab{name: "spreader", prefix: "hsp_", units: top, thickness: c.spreader.thickness, k: c.spreader.k,
			c: c.spreader.c, lateral: true, plate: true, pos: k.pos("t_spreader")},
		slab{name: "sink", prefix: "hsink_", units: top, thickness: c.sink.thickness, k: c.sink.k, c: c.sink.c,
			lateral: true, plate: true, pos: k.pos("t_sink")})
}
