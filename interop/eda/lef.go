package eda

import (
	"fmt"
	"math"

	"thermsim/stack"
)

// macro is the size of a cell, from LEF.
type macro struct {
	width, height float64 // in um, at orientation N; 0 if the LEF has none
	pos           stack.Pos
}

// library is the macros of all LEF files.
type library struct {
	names  *names
	macros []macro
}

// lefs reads the LEF files. The footprint of a cell is that of its statement SIZE; ORIGIN and FOREIGN do not move it,
// because a DEF gives the south-west corner of that box (LEF/DEF Language Reference, ORIGIN of a macro).
func (m *reading) lefs(paths []string) *library {
	lib := &library{names: newNames()}
	for _, path := range paths {
		r, done := m.input(path, "LEF")
		if r == nil {
			continue
		}
		p := &lefParser{lexer: newLexer(path, r), reading: m, lib: lib}
		p.library()
		if p.fault != nil {
			m.Faults.AddError(p.fault)
		}
		done()
	}
	if len(paths) == 0 {
		m.Faults.Add(stack.Pos{}, "give the LEF files of the cells with --lef", "no LEF was given; a DEF contains "+
			"no cell sizes")
	}
	return lib
}

type lefParser struct {
	*lexer
	*reading
	lib *library
}

// library reads the statements of a file.
func (p *lefParser) library() {
	for p.next() {
		switch {
		case p.is("MACRO"):
			p.macro()
		case p.is("END"):
			p.expect("LIBRARY")
			return
		case p.is("NONDEFAULTRULE"):
			if p.need("the name of the rule") {
				p.rule(string(p.word))
			}
		case p.in("LAYER", "VIA", "VIARULE", "SITE", "ARRAY"):
			kind := string(p.word)
			if p.need("the name of the " + kind) {
				p.block(kind, string(p.word))
			}
		case p.in("UNITS", "SPACING", "PROPERTYDEFINITIONS", "NOISETABLE", "CORRECTIONTABLE", "IRDROP"):
			p.block(string(p.word), string(p.word))
		case p.is("BEGINEXT"):
			p.passTo("ENDEXT")
		case p.is("&ALIAS"):
			p.passTo("&ENDALIAS")
		case p.in("VERSION", "BUSBITCHARS", "DIVIDERCHAR", "NAMESCASESENSITIVE", "MANUFACTURINGGRID", "USEMINSPACING",
			"CLEARANCEMEASURE",
			"NOWIREEXTENSIONATPIN", "MAXVIASTACK", "FIXEDMASK", "DIELECTRIC", "MINFEATURE", "OUTPUTPINANTENNASIZE",
			"INPUTPINANTENNASIZE",
			"INOUTPINANTENNASIZE", "ANTENNAINPUTGATEAREA", "ANTENNAINOUTDIFFAREA", "ANTENNAOUTPUTDIFFAREA",
			"UNIVERSALNOISEMARGIN", "EDGERATETHRESHOLD1",
			"EDGERATETHRESHOLD2", "EDGERATESCALEFACTOR", "&DEFINE", "&DEFINES", "&DEFINEB"):
			p.skip(string(p.word))
		default:
			p.failAt(p.at, "is this a LEF file?", "unknown statement %s", p.shown())
		}
	}
	// A file may end without END LIBRARY, as those of version 5.6 and later.
}

// block skips statements up to END and the name. Parts within it have other names.
func (l *lexer) block(kind, name string) {
	l.until(kind+" "+stack.Shorten(name), func() bool { return l.is("END") && l.next() && string(l.word) == name })
}

// rule skips a NONDEFAULTRULE. It may end without its name; the layers and vias within it end with theirs.
func (l *lexer) rule(name string) {
	nested := ""
	l.until("NONDEFAULTRULE "+stack.Shorten(name), func() bool {
		switch {
		case nested == "" && l.in("LAYER", "VIA"):
			if l.need("a name") {
				nested = string(l.word)
			}
		case nested == "" && l.is("SPACING"):
			nested = "SPACING"
		case l.is("END"):
			switch known := l.next(); {
			case known && nested != "" && string(l.word) == nested:
				nested = ""
			case known && string(l.word) == name:
				return true
			case nested == "":
				if known {
					l.again()
				}
				return true
			}
		}
		return false
	})
}

// macro reads a macro up to its END.
func (p *lefParser) macro() {
	if !p.need("the name of the macro") {
		return
	}
	name := string(p.word)
	one := macro{pos: p.at}
	p.until(fmt.Sprintf("macro %q", stack.Shorten(name)), func() bool {
		switch {
		case p.is("SIZE"):
			if one.width > 0 {
				p.fail("macro %q has a second SIZE", name)
				break
			}
			p.size(&one)
		case p.is("ORIGIN"):
			p.microns("x of ORIGIN")
			p.microns("y of ORIGIN")
			p.semicolon("ORIGIN")
		case p.is("PIN"):
			p.pin()
		case p.in("OBS", "DENSITY"):
			p.statements(string(p.word))
		case p.is("TIMING"):
			p.block("TIMING", string(p.word))
		case p.is("END"):
			if p.need("the name of the macro") && string(p.word) != name {
				p.fail("expected END for macro %q, got END %s", name, p.shown())
			}
			if p.fault == nil {
				p.add(name, one)
			}
			return true
		case p.is("BEGINEXT"):
			p.passTo("ENDEXT")
		case p.in("CLASS", "FIXEDMASK", "FOREIGN", "EEQ", "LEQ", "SYMMETRY", "SITE", "SOURCE", "POWER", "PROPERTY",
			"FUNCTION", "GENERATE", "GENERATED", "CLOCKTYPE", "GENERATOR"):
			p.skip(string(p.word))
		default:
			p.fail("unknown statement %s in macro %q", p.shown(), stack.Shorten(name))
		}
		return false
	})
}

// size reads SIZE width BY height.
func (p *lefParser) size(one *macro) {
	for i, what := range []string{"the width of a macro", "the height of a macro"} {
		if i == 1 && !p.expect("BY") {
			return
		}
		v, ok := p.microns(what)
		if !ok {
			return
		}
		if v < minSide {
			p.fail("%s must be %g um at least, got %s", what, minSide, p.shown())
			return
		}
		if i == 0 {
			one.width = v
		} else {
			one.height = v
		}
	}
	p.semicolon("SIZE")
}

// pin skips a pin, within which every PORT has its own END.
func (p *lefParser) pin() {
	if !p.need("the name of the pin") {
		return
	}
	name, from := string(p.word), p.at
	p.until(fmt.Sprintf("pin %q", stack.Shorten(name)), func() bool {
		switch {
		case p.is("PORT"):
			p.statements("PORT")
		case p.is("END"):
			if p.need("the name of the pin") && string(p.word) != name {
				p.fail("expected END for pin %q (opened on line %d), got END %s", stack.Shorten(name), from.Line,
					p.shown())
			}
			return true
		default:
			p.skip(p.shown())
		}
		return false
	})
}

// add keeps a macro. Several files may contain the same one with the same size.
func (p *lefParser) add(name string, one macro) {
	i, known := p.lib.names.add([]byte(name))
	if !known {
		p.lib.macros = append(p.lib.macros, one)
		return
	}
	if old := p.lib.macros[i]; math.Abs(old.width-one.width) > 1e-9 || math.Abs(old.height-one.height) > 1e-9 {
		p.Faults.Add(one.pos, "omit one of the files, or one of the macros", "macro %q is %g x %g um here and "+
			"%g x %g um at %s",
			stack.Shorten(name), one.width, one.height, old.width, old.height, old.pos)
	}
}
