package eda

import (
	"strings"

	"thermsim/stack"
)

// components reads the section of that name.
func (p *defParser) components() {
	at := p.at
	if p.seen {
		p.fail("a second COMPONENTS")
		return
	}
	p.seen = true
	if !p.hasUnits("COMPONENTS") {
		return
	}
	want, ok := p.count("the number of components")
	if !ok {
		return
	}
	p.semicolon("COMPONENTS")
	p.cells.list = make([]instance, 0, min(want, 1<<20)) // a wrong count must not cost memory
	got := 0
	for p.next() {
		switch {
		case p.is("-"):
			p.component()
			got++
		case p.is("END"):
			if p.expect("COMPONENTS") && got != want {
				p.faults.Add(at, "is the file complete?", "COMPONENTS announces %d components, and there are %d", want,
					got)
			}
			return
		default:
			p.fail("expected \"-\" of a component or END COMPONENTS, got %s", p.shown())
		}
		if p.fault != nil {
			return
		}
	}
	p.failAt(p.at, "is the file complete?", "the file ends within COMPONENTS, after %d of %d", got, want)
}

// component reads "- name macro + ... ;".
func (p *defParser) component() {
	if !p.need("the name of a component") {
		return
	}
	if p.is(";") || p.is("+") || len(p.word) == 0 {
		p.fail("expected the name of a component, got %s", p.shown())
		return
	}
	in := instance{line: int32(p.at.Line)}
	known := p.cells.add(p.word, p.divider, in) // the rest of the statement fills it in
	if known != nil {
		p.faults.Add(p.at, "", "component %q is there already, on line %d", stack.Shorten(string(p.word)),
			known.line)
	}
	if !p.need("the macro of the component") {
		return
	}
	if p.is(";") || p.is("+") {
		p.failAt(p.at, "", "expected the macro of the component, got %s", p.shown())
		return
	}
	if in.kind = p.lib.names.find(p.word); in.kind < 0 {
		p.macroFault("give the LEF that holds it with --lef", "macro %q is in no LEF")
	} else if one := &p.lib.macros[in.kind]; one.width == 0 {
		p.macroFault("give the LEF that holds it", "macro %q has no SIZE at "+strings.ReplaceAll(one.pos.String(), "%",
			"%%"))
	}
	for p.need("the rest of the component, up to its semicolon") && !p.is("+") && !p.is(";") {
		// Nets of the pins, in the order of the macro: version 5.3 and before.
	}
	for p.fault == nil && !p.is(";") {
		p.property(&in)
	}
	if known == nil && p.fault == nil {
		p.cells.list[len(p.cells.list)-1] = in
	}
}

// macroFault tells once what is wrong with the macro that the current word names.
func (p *defParser) macroFault(remedy, format string) {
	name := string(p.word)
	if p.told[name] {
		return
	}
	if p.told == nil {
		p.told = map[string]bool{}
	}
	p.told[name] = true
	p.faults.Add(p.at, remedy, format, stack.Shorten(name))
}

// property reads one "+ KEYWORD ..." of a component; the current word is the plus, and in the end the next plus or the
// semicolon.
func (p *defParser) property(in *instance) {
	if !p.need("a keyword after the plus") {
		return
	}
	switch {
	case p.in("PLACED", "FIXED", "COVER"):
		p.placement(in)
	case p.is("UNPLACED"):
		p.rest()
	case p.in("SOURCE", "PROPERTY", "WEIGHT", "EEQMASTER", "REGION", "MASKSHIFT", "HALO", "ROUTEHALO", "GENERATE",
		"FOREIGN", "PHYSICAL"):
		p.rest()
	default:
		p.fail("unknown keyword %s of a component", p.shown())
	}
}

// rest passes over words up to the next plus or semicolon.
func (p *defParser) rest() {
	for p.need("the rest of the component, up to its semicolon") {
		if p.is("+") || p.is(";") {
			return
		}
	}
}

// placement reads "( x y ) orientation".
func (p *defParser) placement(in *instance) {
	if in.placed {
		p.fail("a second placement of the component")
		return
	}
	if !p.need("( x y )") {
		return
	}
	at, ok := p.point(nil)
	if !ok || !p.need("the orientation of the component") {
		return
	}
	turned, ok := orientation(p.word)
	if !ok || p.quoted {
		p.fail("unknown orientation %s; there are N, S, E, W, FN, FS, FE, FW", p.shown())
		return
	}
	in.x, in.y, in.placed = at[0], at[1], true
	if in.kind >= 0 {
		one := &p.lib.macros[in.kind]
		in.w, in.h = one.width, one.height
		if turned {
			in.w, in.h = in.h, in.w
		}
	}
	p.rest()
}

// orientation tells whether width and height change places. The point of a component is the south-west corner of what
// results, whatever the orientation.
func orientation(word []byte) (turned, ok bool) {
	switch string(word) {
	case "N", "S", "FN", "FS":
		return false, true
	case "E", "W", "FE", "FW":
		return true, true
	}
	return false, false
}
