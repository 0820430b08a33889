package eda

import (
	"math"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// def reads a placement: the die area and the components. Other sections are skipped.
func (m *reading) def(path string, lib *library) {
	r, done := m.input(path, "DEF")
	if r == nil {
		return
	}
	defer done()
	p := &defParser{lexer: newLexer(path, r), reading: m, lib: lib, cells: newCells(path), divider: '/',
		reported: map[string]bool{}}
	m.cells = p.cells
	p.cells.kinds = lib.names
	p.design()
	if p.fault != nil {
		m.Faults.AddError(p.fault)
	}
}

type defParser struct {
	*lexer
	*reading
	lib      *library
	cells    *cells
	divider  byte
	units    float64         // database units per um, 0 before they are read
	seen     bool            // COMPONENTS
	reported map[string]bool // macros with a fault
}

// sections are those that are skipped up to END and their name.
var sections = [...]string{"VIAS", "PROPERTYDEFINITIONS", "STYLES", "NONDEFAULTRULES", "REGIONS", "PINS",
	"PINPROPERTIES", "BLOCKAGES", "SLOTS", "FILLS",
	"SPECIALNETS", "NETS", "SCANCHAINS", "GROUPS", "DEFAULTCAP", "CONSTRAINTS", "ASSERTIONS", "IOTIMINGS",
	"TIMINGDISABLES", "PARTITIONS", "FLOORPLAN"}

// design reads the statements of the file.
func (p *defParser) design() {
	for p.next() {
		switch {
		case p.is("COMPONENTS"):
			p.components()
		case p.is("DIEAREA"):
			p.dieArea()
		case p.is("UNITS"):
			p.unitsStatement()
		case p.is("DESIGN"):
			if p.need("the name of the design") {
				p.reading.design = string(p.word)
				p.semicolon("DESIGN")
			}
		case p.is("DIVIDERCHAR"):
			p.dividerChar()
		case p.is("HISTORY"):
			p.plain = true
			p.skip("HISTORY")
			p.plain = false
		case p.is("END"):
			if p.expect("DESIGN") {
				p.finish()
			}
			return
		case p.is("BEGINEXT"):
			p.passTo("ENDEXT")
		case p.in(sections[:]...):
			p.section(strings.ToUpper(string(p.word)))
		case p.in("VERSION", "NAMESCASESENSITIVE", "BUSBITCHARS", "TECHNOLOGY", "TECH", "ARRAY", "ROW", "TRACKS",
			"GCELLGRID", "COMPONENTMASKSHIFT",
			"CANPLACE", "CANNOTOCCUPY", "SITE"):
			p.skip(string(p.word))
		default:
			p.failAt(p.at, "is this a DEF file?", "unknown statement %s", p.shown())
		}
	}
	p.failAt(p.at, "is the file complete?", "the file ends without END DESIGN")
}

func (p *defParser) finish() {
	if !p.seen {
		p.failAt(p.at, "", "the DEF has no COMPONENTS, so it places nothing")
	}
	if len(p.die) == 0 && p.fault == nil {
		p.Note(importer.Warning, stack.Pos{File: p.file}, "the DEF has no DIEAREA")
	}
}

// section skips a section of statements, which ends with END and its name.
func (p *defParser) section(name string) {
	counted := name != "PROPERTYDEFINITIONS"
	if (!counted || p.skip(name)) && p.statements(name) {
		p.expect(name)
	}
}

func (p *defParser) unitsStatement() {
	if !p.expect("DISTANCE") || !p.expect("MICRONS") {
		return
	}
	if p.units > 0 {
		p.fail("a second UNITS")
		return
	}
	n, ok := p.count("the number of database units per um")
	if ok && n == 0 {
		p.fail("the number of database units per um must be positive, got 0")
	}
	p.units = float64(n)
	p.semicolon("UNITS")
}

// hasUnits reports whether the database units are known, and a fault if not.
func (p *defParser) hasUnits(what string) bool {
	if p.units == 0 {
		p.failAt(p.at, "put the statement UNITS DISTANCE MICRONS before it", "%s comes before the units are known",
			what)
	}
	return p.units > 0
}

func (p *defParser) dividerChar() {
	if !p.need("the character between levels of names") {
		return
	}
	if len(p.word) != 1 {
		p.fail("DIVIDERCHAR must be one character in quotes, got %s", p.shown())
		return
	}
	p.divider = p.word[0]
	p.semicolon("DIVIDERCHAR")
}

// point reads ( x y ) in um; the current word is the parenthesis. * repeats the coordinate of the previous point, if
// there is one.
func (p *defParser) point(before *[2]float64) (at [2]float64, ok bool) {
	if !p.is("(") {
		p.fail("expected a point \"( x y )\", got %s; spaces must separate words", p.shown())
		return at, false
	}
	for i := range at {
		if !p.need("a coordinate") {
			return at, false
		}
		if before != nil && p.is("*") {
			at[i] = before[i]
			continue
		}
		v, ok := p.whole("a coordinate")
		if !ok {
			return at, false
		}
		if at[i] = float64(v) / p.units; math.Abs(at[i]) > maxMicrons {
			p.fail("a coordinate must not exceed %g um, got %g um; are the units of the DEF right?",
				float64(maxMicrons), at[i])
			return at, false
		}
	}
	return at, p.expect(")")
}
