package threedice

import (
	"slices"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// keywords of the stack description, none of which can be a name.
func stkKeywords() []string {
	return strings.Fields(`2rm 4rm average bottom capacity cell channel chip coefficient conductivity coolant darcy diameter die dimensions
		distribution discretization final first floorplan flow gradient heat height incoming initial inline last layer layout length material
		maximum microchannel minimum non-uniform numofcores output pin pinfin pitch pluggable plugin Pmap rate side sink slot solver source
		spreader stack staggered state steady step T temperature Tcoolant Tflp Tflpel thermal to top Tmap T3d transfer transient velocity
		volumetric wall width true false`)
}

// stkParser reads a stack description (.stk).
type stkParser struct {
	*parser
	*project
	last string // latest section, to tell those that come too late
}

// The order that 3D-ICE 4.0 demands. Its own guide has another one, and so had earlier versions, so thermsim takes any.
func sectionRank(section string) int {
	return slices.Index([]string{"material", "top", "bottom", "cavity", "dimensions", "layer", "die", "stack", "solver",
		"output"}, section)
}

// parseStk reads the text of a stack description. Faults and notes are collected; the project is whole only if no fault
// was added.
func parseStk(file string, data []byte, faults *importer.Faults, notes *[]importer.Note) *project {
	p := &stkParser{parser: newParser(file, data, stkKeywords(), faults, notes), project: &project{file: file}}
	for !p.failed && p.tok.kind != endOfFile {
		p.section()
	}
	if !p.failed {
		p.complete()
	}
	return p.project
}

func (p *stkParser) section() {
	pos := p.tok.pos
	switch {
	case p.is("material"):
		p.enter("material")
		p.material()
	case p.is("top"), p.is("conventional"):
		p.enter("top")
		p.topSink()
	case p.is("bottom"):
		p.enter("bottom")
		p.advance()
		p.only(p.bottom != nil, pos, "a bottom heat sink")
		p.bottom = p.sink(pos)
	case p.is("microchannel"), p.is("pinfin"), p.is("channel"):
		p.enter("cavity")
		p.readCavity()
	case p.is("dimensions"), p.is("dimension"):
		p.enter("dimensions")
		p.only(p.dimensions != nil, pos, "the dimensions section")
		if p.is("dimension") {
			p.warn(pos, `"dimension" is the spelling of the user guide; 3D-ICE itself wants "dimensions"`)
		}
		p.dims()
	case p.is("layer"):
		p.enter("layer")
		p.layer()
	case p.is("die"):
		p.enter("die")
		p.die()
	case p.is("stack"):
		p.enter("stack")
		p.only(p.stack != nil, pos, "the stack section")
		p.elements()
	case p.is("solver"):
		p.enter("solver")
		p.only(p.solver != nil, pos, "the solver section")
		p.solverSection()
	case p.is("output"):
		p.enter("output")
		p.outputSection()
	default:
		p.stop("a section: material, top heat sink, bottom heat sink, dimensions, layer, die, stack, solver or output")
	}
}

// enter warns of a section that 3D-ICE would refuse where it stands.
func (p *stkParser) enter(section string) {
	if p.last != "" && sectionRank(section) < sectionRank(p.last) {
		p.warn(p.tok.pos, "3D-ICE 4.0 wants the %s section before the %s section and refuses this file", section,
			p.last)
		return
	}
	p.last = section
}

// only reports what is there a second time.
func (p *stkParser) only(twice bool, pos stack.Pos, what string) {
	if twice {
		p.faults.Add(pos, "leave one of them out", "%s is there twice", what)
	}
}

func (p *stkParser) material() {
	m := parseMaterial(p.parser)
	for _, other := range p.materials {
		if other.name == m.name && m.name != "" {
			p.faults.Add(m.pos, "rename one of them", "material %q is there twice, first at line %d", m.name,
				other.pos.Line)
		}
	}
	if p.materials = append(p.materials, m); len(p.materials) > stack.MaxLayers {
		p.tooMany(m.pos, "materials", stack.MaxLayers)
	}
}

// mostOutputs bounds the instructions of the output section.
const mostOutputs = 20_000

// tooMany ends the reading of a project that has more of something than its layers could use.
func (p *stkParser) tooMany(pos stack.Pos, what string, most int) {
	p.faults.Add(pos, "leave out those that nothing needs", "a project has %d %s at most", most, what)
	p.failed = true
}

// parseMaterial reads material ID : thermal conductivity k [, k, k] ; volumetric heat capacity c ;
func parseMaterial(p *parser) (m material) {
	m.pos = p.tok.pos
	p.expect("material")
	m.name, _ = p.identifier("the name of a material")
	p.expect(":", "thermal", "conductivity")
	k := p.positive("the thermal conductivity")
	m.k = [3]decimal{k, k, k}
	if p.accept(",") {
		m.k[1] = p.positive("the thermal conductivity along y")
		p.expect(",")
		m.k[2] = p.positive("the thermal conductivity along z")
	}
	p.expect(";", "volumetric", "heat", "capacity")
	m.c = p.positive("the volumetric heat capacity")
	p.expect(";")
	return m
}

// topSink reads a top heat sink; "conventional heat sink" is what 3D-ICE 1 and 2.0 called it.
func (p *stkParser) topSink() {
	pos := p.tok.pos
	p.only(p.top != nil, pos, "a top heat sink")
	p.advance()
	if p.is("pluggable") {
		p.refuse(pos, "a pluggable heat sink")
		p.skipTo("bottom", "microchannel", "pinfin", "dimensions", "dimension", "layer", "die", "stack", "solver",
			"output")
		return
	}
	p.top = p.sink(pos)
}

// sink reads heat sink : heat transfer coefficient h ; temperature T ;
func (p *stkParser) sink(pos stack.Pos) *sink {
	s := &sink{pos: pos}
	p.expect("heat", "sink", ":", "heat", "transfer", "coefficient")
	s.h = p.positive("the heat transfer coefficient")
	p.expect(";")
	p.accept("ambient")
	p.expect("temperature")
	s.temperature = p.positive("the temperature of the sink")
	p.expect(";")
	return s
}

// refuse reports a part that thermsim cannot model.
func (p *stkParser) refuse(pos stack.Pos, what string) {
	p.refused = true
	p.faults.Add(pos, "only stacks of solids can be imported", "%s cannot be modelled", what)
}

// skipTo passes over tokens up to one of the words.
func (p *stkParser) skipTo(words ...string) {
	for !p.failed && p.tok.kind != endOfFile && !(p.tok.kind == word && slices.Contains(words, p.tok.text)) {
		p.advance()
	}
}

func (p *stkParser) dims() {
	d := &dimensions{pos: p.tok.pos}
	p.advance()
	p.expect(":", "chip", "length")
	d.length = p.positive("the length of the chip")
	p.expect(",", "width")
	d.width = p.positive("the width of the chip")
	p.expect(";", "cell", "length")
	d.cellLength = p.positive("the length of a cell")
	p.expect(",", "width")
	d.cellWidth = p.positive("the width of a cell")
	p.expect(";")
	if !p.failed && p.accept("non-uniform") {
		switch {
		case p.accept("true"):
			d.nonUniform = true
		case p.accept("false"):
		default:
			p.stop("true or false")
		}
		p.expect(";")
	}
	p.dimensions = d
}

func (p *stkParser) layer() {
	y := layer{pos: p.tok.pos}
	p.advance()
	y.name, _ = p.identifier("the name of a layer")
	p.expect(":", "height")
	y.height = p.positive("the height of the layer")
	p.expect(";", "material")
	y.material, y.materialP = p.identifier("a material")
	p.expect(";")
	if p.accept("layout") {
		y.layout, y.layoutPos = p.quoted("the path of a layout file")
		p.expect(";")
	}
	for _, other := range p.layers {
		if other.name == y.name && y.name != "" {
			p.faults.Add(y.pos, "rename one of them", "layer %q is there twice, first at line %d", y.name,
				other.pos.Line)
		}
	}
	if p.layers = append(p.layers, y); len(p.layers) > stack.MaxLayers {
		p.faults.Add(y.pos, "join layers of the same material", "a project has %d layers at most", stack.MaxLayers)
		p.failed = true
	}
}

func (p *stkParser) die() {
	d := die{pos: p.tok.pos, source: -1}
	p.advance()
	d.name, _ = p.identifier("the name of a die")
	p.expect(":")
	for !p.failed && (p.is("layer") && !p.startsLayerSection() || p.is("source")) {
		if p.is("source") {
			if d.source >= 0 {
				p.faults.Add(p.tok.pos, "a die has one source layer; split the die in two",
					"die %q has a second source layer", d.name)
			}
			d.source = len(d.parts)
		}
		p.advance()
		d.parts = append(d.parts, p.diePart())
	}
	if !p.failed && d.source < 0 {
		p.stop("the source layer of die %q", d.name)
	}
	for _, other := range p.dies {
		if other.name == d.name && d.name != "" {
			p.faults.Add(d.pos, "rename one of them", "die %q is there twice, first at line %d", d.name, other.pos.Line)
		}
	}
	if p.dies = append(p.dies, d); len(p.dies) > stack.MaxLayers {
		p.tooMany(d.pos, "dies", stack.MaxLayers)
	}
}

// startsLayerSection looks whether "layer" begins a section, layer ID : ..., rather than a layer of a die.
func (p *stkParser) startsLayerSection() bool {
	ahead := *p.lexer
	ahead.faults = &importer.Faults{}
	return ahead.next().kind == word && ahead.next().text == ":"
}

func (p *stkParser) diePart() diePart {
	part := diePart{pos: p.tok.pos}
	if p.tok.kind == number {
		part.height = p.positive("the height of a layer")
		part.material, part.materialP = p.identifier("a material")
	} else {
		part.layer, _ = p.identifier("a height or the name of a layer")
	}
	p.expect(";")
	return part
}

func (p *stkParser) elements() {
	p.advance()
	p.expect(":")
	for !p.failed {
		e := element{pos: p.tok.pos}
		switch {
		case p.accept("layer"):
			e.name, _ = p.identifier("the name of a stack element")
			e.of, e.ofPos = p.identifier("the name of a layer")
		case p.accept("die"):
			e.die = true
			e.name, _ = p.identifier("the name of a stack element")
			e.of, e.ofPos = p.identifier("the name of a die")
			p.expect("floorplan")
			e.floorplan, e.floorplanPos = p.quoted("the path of a floorplan")
		case p.accept("channel"):
			e.channel = true
			e.name, _ = p.identifier("the name of a stack element")
		default:
			return
		}
		if p.accept("discretization") {
			e.cells[0], _ = p.count("the number of cells along x")
			p.accept(",")
			e.cells[1], _ = p.count("the number of cells along y")
		}
		p.expect(";")
		for _, other := range p.stack {
			if other.name == e.name && e.name != "" {
				p.faults.Add(e.pos, "rename one of them", "stack element %q is there twice, first at line %d", e.name,
					other.pos.Line)
			}
		}
		if p.stack = append(p.stack, e); len(p.stack) > stack.MaxLayers {
			p.faults.Add(e.pos, "join layers of the same material", "a stack has %d layers at most", stack.MaxLayers)
			p.failed = true
		}
	}
}

func (p *stkParser) solverSection() {
	s := &solver{pos: p.tok.pos}
	p.advance()
	p.expect(":")
	switch {
	case p.accept("steady"):
	case p.accept("transient"):
		s.transient = true
		p.expect("step")
		s.step = p.positive("the time step")
		p.expect(",", "slot")
		s.slot = p.positive("the slot")
		if !p.failed && s.slot.value < s.step.value {
			p.faults.Add(s.slot.pos, "", "a slot of %s s is shorter than the step of %s s", s.slot.text, s.step.text)
		}
	default:
		p.stop("steady or transient")
	}
	p.expect(";", "initial", "temperature")
	s.initial = p.positive("the initial temperature")
	p.expect(";")
	if p.is("numofcores") {
		pos := p.tok.pos
		p.advance()
		p.count("the number of cores")
		p.expect(";")
		p.note(importer.NotCarried, pos, "numofcores: thermsim uses the cores there are")
	}
	p.solver = s
}

// complete checks that every section is there.
func (p *stkParser) complete() {
	for _, s := range []struct {
		missing bool
		what    string
	}{
		{len(p.materials) == 0, "material"}, {p.dimensions == nil, "dimensions section"}, {len(p.dies) == 0, "die"},
		{len(p.stack) == 0, "stack section"}, {p.solver == nil, "solver section"},
	} {
		if s.missing && !p.refused {
			p.faults.Add(p.tok.pos, "is the file cut off?", "the file ends without a %s", s.what)
		}
	}
}
