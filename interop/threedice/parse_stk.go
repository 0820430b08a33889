package threedice

import (
	"slices"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// stkKeywords of the stack description, none of which can be a name.
const stkKeywords = `2rm 4rm average bottom capacity cell channel chip coefficient conductivity coolant darcy diameter
	die dimensions distribution discretization final first floorplan flow gradient heat height incoming initial inline
	last layer layout length material maximum microchannel minimum non-uniform numofcores output pin pinfin pitch
	pluggable plugin Pmap rate side sink slot solver source spreader stack staggered state steady step T temperature
	Tcoolant Tflp Tflpel thermal to top Tmap T3d transfer transient velocity volumetric wall width true false`

// stkParser reads a stack description (.stk).
type stkParser struct {
	*parser
	*project
	last int // index of the latest section in the order of sections
}

// section is a part of a stack description.
type section struct {
	name, words string // words that begin it
	parse       func(*stkParser)
}

// sections are those of a stack description in the order that 3D-ICE 4.0 requires. Its user guide has another order,
// and earlier versions required another one, so thermsim accepts any.
func sections() []section {
	return []section{
		{"material", "material", (*stkParser).material},
		{"top", "top conventional", (*stkParser).topSink},
		{"bottom", "bottom", (*stkParser).bottomSink},
		{"cavity", "microchannel pinfin channel", (*stkParser).readCavity},
		{"dimensions", "dimensions dimension", (*stkParser).dims},
		{"layer", "layer", (*stkParser).layer},
		{"die", "die", (*stkParser).die},
		{"stack", "stack", (*stkParser).elements},
		{"solver", "solver", (*stkParser).solverSection},
		{"output", "output", (*stkParser).outputSection},
	}
}

// currentSection is the index of the section that the current token begins, -1 for none.
func (p *stkParser) currentSection() int {
	return slices.IndexFunc(sections(), func(s section) bool {
		return p.tok.kind == word && slices.Contains(strings.Fields(s.words), p.tok.text)
	})
}

// parseStk reads the text of a stack description. Without a fault the project is complete.
func parseStk(c *importer.Collector, file string, data []byte) *project {
	p := &stkParser{parser: newParser(c, file, data, stkKeywords), project: &project{}}
	for p.tok.kind != endOfFile {
		p.section()
	}
	if !p.failed {
		p.complete()
	}
	return p.project
}

func (p *stkParser) section() {
	n, all := p.currentSection(), sections()
	switch {
	case n < 0:
		p.stop("a section: material, top heat sink, bottom heat sink, dimensions, layer, die, stack, solver or output")
		return
	case n < p.last:
		p.warn(p.tok.pos, "3D-ICE 4.0 requires the %s section before the %s section and refuses this file", all[n].name,
			all[p.last].name)
	default:
		p.last = n
	}
	all[n].parse(p)
}

// only reports a second section of its kind.
func (p *stkParser) only(twice bool, what string) {
	if twice {
		p.Faults.Add(p.tok.pos, "remove one of them", "%s is given twice", what)
	}
}

func (p *stkParser) material() {
	declare(p.parser, &p.materials, "material", stack.MaxLayers, parseMaterial(p.parser))
}

// parseMaterial reads material ID : thermal conductivity k [, k, k] ; volumetric heat capacity c ;
func parseMaterial(p *parser) (m material) {
	m.pos = p.tok.pos
	p.expect("material")
	m.name = p.identifier("the name of a material").name
	k := p.quantity(": thermal conductivity", "the thermal conductivity")
	m.k = [3]decimal{k, k, k}
	if p.accept(",") {
		m.k[1] = p.positive("the thermal conductivity along y")
		m.k[2] = p.quantity(",", "the thermal conductivity along z")
	}
	m.c = p.quantity("; volumetric heat capacity", "the volumetric heat capacity")
	p.expect(";")
	return m
}

// topSink reads a top heat sink; "conventional heat sink" is its name in 3D-ICE 1 and 2.0.
func (p *stkParser) topSink() {
	pos := p.tok.pos
	p.only(p.top != nil, "a top heat sink")
	p.advance()
	if p.is("pluggable") {
		p.refused = true
		p.Faults.Add(pos, "use a top heat sink with a heat transfer coefficient",
			"pluggable heat sinks are not supported")
		p.skipTo("bottom", "microchannel", "pinfin", "dimensions", "dimension", "layer", "die", "stack", "solver",
			"output")
		return
	}
	p.top = p.sink(pos)
}

func (p *stkParser) bottomSink() {
	pos := p.tok.pos
	p.only(p.bottom != nil, "a bottom heat sink")
	p.advance()
	p.bottom = p.sink(pos)
}

// sink reads heat sink : heat transfer coefficient h ; temperature T ;
func (p *stkParser) sink(pos stack.Pos) *sink {
	s := &sink{pos: pos}
	s.h = p.quantity("heat sink : heat transfer coefficient", "the heat transfer coefficient")
	p.expect(";")
	p.accept("ambient")
	s.temperature = p.quantity("temperature", "the temperature of the sink")
	p.expect(";")
	return s
}

// skipTo skips tokens up to one of the words.
func (p *stkParser) skipTo(words ...string) {
	for p.tok.kind != endOfFile && !(p.tok.kind == word && slices.Contains(words, p.tok.text)) {
		p.advance()
	}
}

func (p *stkParser) dims() {
	d := &dimensions{pos: p.tok.pos}
	p.only(p.dimensions != nil, "the dimensions section")
	if p.advance().text == "dimension" {
		p.warn(d.pos, `"dimension" is the spelling of the user guide; 3D-ICE itself requires "dimensions"`)
	}
	d.length = p.quantity(": chip length", "the length of the chip")
	d.width = p.quantity(", width", "the width of the chip")
	d.cellLength = p.quantity("; cell length", "the length of a cell")
	d.cellWidth = p.quantity(", width", "the width of a cell")
	p.expect(";")
	if p.accept("non-uniform") {
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
	y := layer{named: named{pos: p.tok.pos}}
	p.advance()
	y.name = p.identifier("the name of a layer").name
	y.height = p.quantity(": height", "the height of the layer")
	p.expect("; material")
	y.material = p.identifier("a material")
	p.expect(";")
	if p.accept("layout") {
		y.layout = p.quoted("the path of a layout file")
		p.expect(";")
	}
	declare(p.parser, &p.layers, "layer", stack.MaxLayers, y)
}

func (p *stkParser) die() {
	d := die{named: named{pos: p.tok.pos}, source: -1}
	p.advance()
	d.name = p.identifier("the name of a die").name
	p.expect(":")
	for p.is("layer") && !p.startsLayerSection() || p.is("source") {
		if p.is("source") {
			if d.source >= 0 {
				p.Faults.Add(p.tok.pos, "a die has one source layer; split the die in two",
					"die %q has a second source layer", d.name)
			}
			d.source = len(d.parts)
		}
		p.advance()
		d.parts = append(d.parts, p.diePart())
	}
	if d.source < 0 {
		p.stop("the source layer of die %q", d.name)
	}
	declare(p.parser, &p.dies, "die", stack.MaxLayers, d)
}

// startsLayerSection looks ahead whether "layer" begins a section, layer ID : ..., rather than a layer of a die.
func (p *stkParser) startsLayerSection() bool {
	next := *p.lexer
	next.Collector = &importer.Collector{}
	return next.next().kind == word && next.next().text == ":"
}

func (p *stkParser) diePart() diePart {
	part := diePart{layer: layer{named: named{pos: p.tok.pos}}}
	if p.tok.kind == number {
		part.height = p.positive("the height of a layer")
		part.material = p.identifier("a material")
	} else {
		part.of = p.identifier("a height or the name of a layer").name
	}
	p.expect(";")
	return part
}

func (p *stkParser) elements() {
	p.only(p.stack != nil, "the stack section")
	p.advance()
	p.expect(":")
	for {
		e := element{named: named{pos: p.tok.pos}}
		switch {
		case p.accept("layer"):
			e.name = p.identifier("the name of a stack element").name
			e.of = p.identifier("the name of a layer")
		case p.accept("die"):
			e.die = true
			e.name = p.identifier("the name of a stack element").name
			e.of = p.identifier("the name of a die")
			p.expect("floorplan")
			e.floorplan = p.quoted("the path of a floorplan")
		case p.accept("channel"):
			e.channel = true
			e.name = p.identifier("the name of a stack element").name
		default:
			return
		}
		if p.accept("discretization") {
			e.cells[0] = p.count("the number of cells along x")
			p.accept(",")
			e.cells[1] = p.count("the number of cells along y")
		}
		p.expect(";")
		declare(p.parser, &p.stack, "stack element", stack.MaxLayers, e)
	}
}

func (p *stkParser) solverSection() {
	s := &solver{pos: p.tok.pos}
	p.only(p.solver != nil, "the solver section")
	p.advance()
	p.expect(":")
	switch {
	case p.accept("steady"):
	case p.accept("transient"):
		s.transient = true
		s.step = p.quantity("step", "the time step")
		s.slot = p.quantity(", slot", "the slot")
		if !p.failed && s.slot.value < s.step.value {
			p.Faults.Add(s.slot.pos, "", "a slot of %s s is shorter than the step of %s s", s.slot.text, s.step.text)
		}
	default:
		p.stop("steady or transient")
	}
	s.initial = p.quantity("; initial temperature", "the initial temperature")
	p.expect(";")
	if p.is("numofcores") {
		p.Note(importer.NotCarried, p.advance().pos, "numofcores: thermsim uses the available cores")
		p.count("the number of cores")
		p.expect(";")
	}
	p.solver = s
}

// complete checks that no section is missing.
func (p *stkParser) complete() {
	for _, s := range []struct {
		missing bool
		what    string
	}{
		{len(p.materials) == 0, "material"}, {p.dimensions == nil, "dimensions section"}, {len(p.dies) == 0, "die"},
		{len(p.stack) == 0, "stack section"}, {p.solver == nil, "solver section"},
	} {
		if s.missing && !p.refused {
			p.Faults.Add(p.tok.pos, "is the file cut off?", "the file ends without a %s", s.what)
		}
	}
}
