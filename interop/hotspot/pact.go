package hotspot

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// PACT is a second format: its package and nodes are those of HotSpot.
var PACT = &importer.Format{
	Name: "pact", Title: "PACT", Extension: ".csv", Text: regexp.MustCompile(`^.*FloorplanFile`), Main: "layer list",
	Files:    "a layer list (.csv), then a configuration and the model parameters (.config)",
	MaxFiles: 3,
	Remark:   "Both programs count layers from the one furthest from the sink, which is the bottom here.",
	Scope: importer.Scope{
		Carried: "layer list, floorplans with labels, powers in time, materials of the configuration, packages " +
			"(NoPackage and HeatSink), grid, steps of transients",
		NotCarried: "temperature and init_file of transients, ConfigFile of layers",
		Refused:    "temperature_dependent libraries, other packages",
	},
	Options: []importer.Option{
		{Name: "config_file", Usage: "PACT configuration, `FILE` (default NAME.config for NAME_lcf.csv)"},
		{Name: "model_params", Usage: "PACT model parameters, `FILE` (default NAME_modelParams.config)"},
	},
	Convert: func(c *importer.Collector, main []byte) {
		v := newConverter(c)
		p := &pact{converter: v, list: c.Request.Files[0]}
		v.pact = p
		if p.readSettings(); c.Faults.Len() == 0 {
			p.convert(main)
		}
	},
}

// pact is a project of PACT. Its package becomes HotSpot's parameters.
type pact struct {
	*converter
	list   string    // path of the layer list
	values *settings // the configuration
	model  *settings
	flat   bool    // the plate of NoPackage has no vertical resistance
	htc    float64 // W/(m2 K), of NoPackage; otherwise 0
	step   float64 // s, of the solver
	end    float64 // s, of a transient; 0 if not given
}

// readSettings reads the configuration and the model parameters: those given, or those named like the layer list.
func (p *pact) readSettings() {
	base, named := strings.CutSuffix(p.list, "lcf.csv")
	base = strings.TrimRight(base, "_-.")
	paths := []string{p.Request.Named["config_file"], p.Request.Named["model_params"]}
	if paths[0] == "" {
		paths[0] = base + ".config"
	}
	if paths[1] == "" {
		paths[1] = base + "_modelParams.config"
	}
	switch given := p.Request.Files[1:]; {
	case len(given) == 1:
		p.Faults.Add(stack.Pos{File: p.list}, "", "got one file of settings; expected the configuration and the model "+
			"parameters")
		return
	case len(given) == 2:
		paths = given
	case !named && (p.Request.Named["config_file"] == "" || p.Request.Named["model_params"] == ""):
		p.Faults.Add(stack.Pos{File: p.list}, "give them with --config_file and --model_params",
			"the configuration and the model parameters are not given, and the name of the layer list does not end "+
				"with _lcf.csv")
		return
	}
	for _, name := range paths {
		path, data, ok := p.Open(name, stack.Pos{File: p.list})
		if !ok {
			continue
		}
		s := parseSettings(p.Collector, path, data)
		if s.sections["Grid"] != nil {
			p.model = s
		} else {
			p.values = s
		}
	}
	if p.Faults.Len() == 0 && (p.values == nil || p.model == nil) {
		p.Faults.Add(stack.Pos{File: p.list}, "", "got %s and %s; expected a configuration without section Grid and "+
			"model parameters with it", paths[0], paths[1])
	}
}

// take gives a parameter of HotSpot the value of an entry; without fallback it is needed.
func (p *pact) take(s *settings, section, key, parameter, fallback string) word {
	w, ok := s.entry(section, key)
	if !ok && fallback == "" {
		p.Faults.Add(stack.Pos{File: s.file}, "", "section %s has no entry %q", section, key)
		return w
	}
	if !ok {
		w = word{Text: fallback, Pos: stack.Pos{File: s.file}}
	}
	if parameter != "" {
		p.config.set(parameter, w.Pos, w)
	}
	return w
}

func (p *pact) convert(main []byte) {
	c := p.converter
	c.config = &config{Collector: p.Collector, file: p.values.file, values: map[string]word{}}
	c.detailed = true
	if p.readModel(); p.Faults.Len() == 0 {
		c.rows, c.cols = int(c.config.number("grid_rows")), int(c.config.number("grid_cols"))
		p.readLayers(main)
	}
	if p.Faults.Len() > 0 {
		return
	}
	if c.checkSizes(); p.Faults.Len() == 0 {
		p.readPackage()
	}
	if p.Faults.Len() > 0 {
		return
	}
	if c.findColumns(); p.Faults.Len() > 0 {
		return
	}
	c.Stack.Transient.Initial = c.config.number("ambient")
	c.assemble(p.choose)
	if c.Transient {
		c.Stack.Transient.Dt = p.step
		c.Stack.Transient.Steps = max(1, int(math.Round(p.end/p.step)))
	}
}

// readModel reads the model parameters.
func (p *pact) readModel() {
	m := p.model
	p.take(m, "Grid", "rows", "grid_rows", "")
	p.take(m, "Grid", "cols", "grid_cols", "")
	p.take(m, "Grid", "grid_mode", "grid_map_mode", "avg")
	for key, expected := range map[string]string{"type": "Uniform", "granularity": "Grid"} {
		if w := p.take(m, "Grid", key, "", expected); w.Text != expected {
			p.Faults.Add(w.Pos, "", "%s: got %q; expected %s", key, stack.Shorten(w.Text), expected)
		}
	}
	if w := p.take(m, "Simulation", "temperature_dependent", "", "False"); strings.EqualFold(w.Text, "true") {
		p.Faults.Add(w.Pos, "set it to False", "thermsim does not read PACT's temperature_dependent libraries")
	}
	ambient := p.take(p.values, "Init", "ambient", "", "")
	if p.Faults.Len() > 0 {
		return
	}
	if v, ok := kelvin(ambient, "ambient", &p.Faults); ok {
		p.config.set("ambient", ambient.Pos, word{Text: fmt.Sprint(v), Pos: ambient.Pos})
	}
	if w, ok := p.values.entry("Init", "temperature"); ok {
		p.Note(importer.NotCarried, w.Pos, "temperature: PACT's transients start from the state without power, which "+
			"is the ambient")
	}
	solver := p.take(m, "Solver", "name", "", "")
	p.Transient = solver.Text == "SPICE_transient"
	if !p.Transient {
		return
	}
	p.step, _ = duration(p.take(m, "Simulation", "step_size", "", ""), "step_size", &p.Faults)
	row := p.take(m, "Simulation", "ptrace_step_size", "", "")
	if v, ok := duration(row, "ptrace_step_size", &p.Faults); ok {
		p.config.set("sampling_intvl", row.Pos, word{Text: fmt.Sprint(v), Pos: row.Pos})
	}
	if w := p.take(m, "Simulation", "total_simulation_time", "", "0"); w.Text != "0" {
		p.end, _ = duration(w, "total_simulation_time", &p.Faults)
	}
	p.Note(importer.Adapted, row.Pos, "ptrace_step_size: powers apply from time 0; PACT starts each of them one "+
		"interval later, after one without power")
	if w := p.take(m, "Simulation", "init_file", "", "False"); strings.EqualFold(w.Text, "true") {
		p.Note(importer.NotCarried, w.Pos, "init_file: node voltages of SPICE")
	}
}

// readLayers reads the layer list with its floorplans and powers.
func (p *pact) readLayers(main []byte) {
	s := importer.ReadSheet(&p.Faults, p.list, toUTF8(main), "Layer", "FloorplanFile", "Thickness (m)", "PtraceFile")
	if p.Faults.Len() == 0 && len(s.Rows) == 0 || len(s.Rows) > mostLayer {
		p.Faults.Add(stack.Pos{File: p.list, Line: 1, Col: 1}, "", "got %d layers; expected 1 to %d", len(s.Rows),
			mostLayer)
		return
	}
	order := map[int]int{} // row by number
	for i, row := range s.Rows {
		w := s.At(row, "Layer")
		v, ok := number(w, "the number of a layer", &p.Faults)
		if _, twice := order[int(v)]; ok && (twice || v < 0 || v >= float64(len(s.Rows)) || v != math.Trunc(v)) {
			p.Faults.Add(w.Pos, "number the layers from 0 without gaps", "layer %s among %d", stack.Shorten(w.Text),
				len(s.Rows))
		}
		order[int(v)] = i
	}
	if p.Faults.Len() > 0 {
		return
	}
	p.trace = &stackfile.PowerTable{File: p.list}
	for n := range len(s.Rows) {
		p.readLayer(n, s, s.Rows[order[n]])
	}
	if len(p.trace.Names) == 0 && p.Faults.Len() == 0 {
		p.Faults.Add(stack.Pos{File: p.list, Line: 1, Col: 1}, "", "no layer has a PtraceFile")
	}
}

func (p *pact) readLayer(n int, s *importer.Sheet, row []word) {
	c := p.converter
	plan := s.At(row, "FloorplanFile")
	path, data, ok := c.Open(plan.Text, plan.Pos)
	if !ok {
		return
	}
	units, labels := parsePACTPlan(p.Collector, path, data)
	lateral := s.At(row, "LateralHeatFlow")
	sl := slab{name: fmt.Sprintf("layer_%d", n), units: units, lateral: true, pos: row[0].Pos}
	sl.prefix = sl.name + "_"
	sl.thickness, _ = positive(s.At(row, "Thickness (m)"), "the thickness of a layer", &p.Faults)
	if strings.EqualFold(lateral.Text, "false") {
		sl.lateral = false
		p.Note(importer.Warning, lateral.Pos, "no lateral heat flow: thermsim's own numerics have no such layers, so "+
			"this one conducts laterally there")
	}
	for i, label := range labels {
		k, capacity := p.material(label)
		if i == 0 {
			sl.k, sl.c, sl.label = k, capacity, label.Text
		}
		if k != sl.k || capacity != sl.c {
			units[i].resistivity, units[i].capacity, units[i].label = 1/k, capacity, label.Text
		}
	}
	if power := s.At(row, "PtraceFile"); power.Text != "" && power.Text != "None" && p.Faults.Len() == 0 {
		sl.power = true
		p.addPowers(power, units)
	}
	c.slabs = append(c.slabs, sl)
}

// addPowers adds the columns of a layer.
func (p *pact) addPowers(w word, units []unit) {
	path, data, ok := p.Open(w.Text, w.Pos)
	if !ok {
		return
	}
	t := parsePACTPower(p.Collector, path, data)
	if p.Faults.Len() > 0 {
		return
	}
	if have := len(p.trace.Rows); have > 0 && have != len(t.Rows) {
		p.Faults.Add(w.Pos, "", "%s has %d columns of powers, other layers have %d", filepath.Base(path), len(t.Rows),
			have)
		return
	}
	at := map[string]int{}
	for i, name := range t.Names {
		at[name] = i
	}
	for len(p.trace.Rows) < len(t.Rows) {
		p.trace.Rows = append(p.trace.Rows, nil)
	}
	for i := range units {
		column, ok := at[units[i].name]
		if !ok || len(at) != len(units) {
			p.Faults.Add(units[i].pos, "give every block one row of powers", "%s does not have the blocks of the "+
				"floorplan, as %q", filepath.Base(path), stack.Shorten(units[i].name))
			return
		}
		p.trace.Names, p.trace.Pos = append(p.trace.Names, units[i].name), append(p.trace.Pos, t.Pos[column])
		for n := range t.Rows {
			p.trace.Rows[n] = append(p.trace.Rows[n], t.Rows[n][column])
		}
	}
}

// material of a label: conductivity and heat capacity.
func (p *pact) material(label word) (k, capacity float64) {
	section := label.Text
	_, solid := p.values.entry(section, "thermalresistivity ((m-k)/w)")
	library, _ := p.model.entry(section, "library")
	mode, _ := p.model.entry(section, "mode")
	if p.values.sections[section] == nil {
		p.Faults.Add(label.Pos, "", "label %q: the configuration has no section of that name", stack.Shorten(section))
		return 1, 1
	}
	if !solid || library.Text != "" && library.Text != "Solid.py" || mode.Text == "matrix" {
		p.Faults.Add(label.Pos, "use a label with thermalresistivity, specificheatcapacity and the library Solid.py",
			"label %q is no solid material: thermsim does not read PACT's cooling models", stack.Shorten(section))
		return 1, 1
	}
	r, _ := positive(p.take(p.values, section, "thermalresistivity ((m-k)/w)", "", ""), "the resistivity", &p.Faults)
	capacity, _ = positive(p.take(p.values, section, "specificheatcapacity (j/m^3k)", "", ""), "the heat capacity",
		&p.Faults)
	return 1 / r, capacity
}

// sinkEntries are the entries of PACT's heat sink, which is HotSpot's, by HotSpot's parameter.
var sinkEntries = [][2]string{
	{"c_convec", "convection_cap (j/k)"}, {"r_convec", "convection_r (k/w)"},
	{"s_sink", "heatsink_side (m)"}, {"t_sink", "heatsink_thickness (m)"},
	{"k_sink", "heatsink_thermalconductivity (w/(m-k))"}, {"p_sink", "heatsink_specificheatcapacity (j/m^3k)"},
	{"s_spreader", "heatspreader_side (m)"}, {"t_spreader", "heatspreader_thickness (m)"},
	{"k_spreader", "heatspreader_thermalconductivity (w/(m-k))"},
	{"p_spreader", "heatspreader_specificheatcapacity (j/m^3k)"},
}

// readPackage adds the package above the layers: a plate that ends with the die under a heat-transfer coefficient
// (NoPackage), or spreader and sink.
func (p *pact) readPackage() {
	c := p.converter
	if p.model.sections["NoPackage"] != nil {
		film := p.take(p.values, "NoPackage", "htc", "", "")
		thickness := p.take(p.values, "NoPackage", "thickness (m)", "", "")
		vertical, _ := p.model.entry("NoPackage", "verticalheatflow")
		lateral, _ := p.model.entry("NoPackage", "lateralheatflow")
		p.flat = !strings.EqualFold(vertical.Text, "true")
		if p.Faults.Len() > 0 {
			return
		}
		p.htc, _ = positive(film, "htc", &p.Faults)
		s := slab{name: "package", prefix: "package_", units: c.slabs[len(c.slabs)-1].units, plate: true,
			lateral: strings.EqualFold(lateral.Text, "true"), pos: film.Pos}
		s.thickness, _ = positive(thickness, "the thickness of the package", &p.Faults)
		s.k, s.c = p.material(word{Text: "NoPackage", Pos: film.Pos})
		c.slabs = append(c.slabs, s)
		return
	}
	if p.model.sections["HeatSink"] == nil {
		p.Faults.Add(stack.Pos{File: p.model.file}, "", "got neither section NoPackage nor HeatSink; expected one")
		return
	}
	if p.Compat {
		p.Faults.Add(stack.Pos{File: p.model.file}, "omit --compat", "PACT's nodes of a HeatSink are not emulated")
		return
	}
	for _, e := range sinkEntries {
		p.take(p.values, "HeatSink", e[1], e[0], "")
	}
	if p.Faults.Len() == 0 {
		c.readPlates()
	}
}

// choose lists the deviations of this project and picks those to emulate.
func (p *pact) choose() (o emulation) {
	if p.htc == 0 {
		return o
	}
	pos := stack.Pos{File: p.model.file}
	o.face = p.Emulates(importer.Deviation{Name: "face-node", Pos: pos, Field: true,
		What: "PACT's nodes (bottom_center) lie on the faces away from the package: each layer adds its whole height " +
			"to the path; materials that share a cell conduct in parallel",
		Instead: "nodes are in the middle of the cells"})
	if p.flat {
		o.flat = p.Emulates(importer.Deviation{Name: "flat-package", Pos: pos, Field: true, With: []string{"face-node"},
			What: "PACT's NoPackage conducts laterally only, with no resistance across it (VerticalHeatFlow = " +
				"False)",
			Instead: "it conducts in all directions"})
	}
	return o
}

// toOrigin shifts blocks so that the smallest x and y are 0.
func toOrigin(units []unit) {
	x := slices.MinFunc(units, func(a, b unit) int { return cmp.Compare(a.x, b.x) }).x
	y := slices.MinFunc(units, func(a, b unit) int { return cmp.Compare(a.y, b.y) }).y
	for i := range units {
		units[i].x -= x
		units[i].y -= y
	}
}
