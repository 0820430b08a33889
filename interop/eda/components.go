package eda

import "thermsim/stack"

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
				p.Faults.Add(at, "is the file complete?", "COMPONENTS announces %d components, and there are %d", want,
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
		p.Faults.Add(p.at, "", "component %q is there already, on line %d", stack.Shorten(string(p.word)),
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
		p.macroFault("give the LEF that contains it with --lef", "is in no LEF")
	} else if one := &p.lib.macros[in.kind]; one.width == 0 {
		p.macroFault("give the LEF that contains it", "has no SIZE at "+one.pos.String())
	}
	p.rest() // nets of the pins, in the order of the macro: version 5.3 and before
	for p.fault == nil && !p.is(";") {
		p.property(&in)
	}
	if known == nil && p.fault == nil {
		p.cells.list[len(p.cells.list)-1] = in
	}
}

// macroFault reports a fault of the macro that the current word names, once.
func (p *defParser) macroFault(remedy, fault string) {
	if name := string(p.word); !p.reported[name] {
		p.reported[name] = true
		p.Faults.Add(p.at, remedy, "macro %q %s", stack.Shorten(name), fault)
	}
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

// rest skips words up to the next plus or semicolon.
func (p *defParser) rest() {
	for p.need("the rest of the component, up to its semicolon") && !p.is("+") && !p.is(";") {
		continue
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
	turned, ok := orientations[string(p.word)]
	if !ok || p.quoted {
		p.fail("unknown orientation %s; known: N, S, E, W, FN, FS, FE, FW", p.shown())
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

// orientations are set to true if width and height are exchanged. The point of a component is the south-west corner of
// its turned box, whatever the orientation.
var orientations = map[string]bool{"N": false, "S": false, "FN": false, "FS": false, "E": true, "W": true, "FE": true,
	"FW": true}
