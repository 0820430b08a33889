package asm

import (
	"strconv"
	"strings"
)

func itoa(i int64) string { return strconv.FormatInt(i, 10) }

// parseInstruction reads "@!%p1 opcode args;".
func (p *parser) parseInstruction() error {
	b := p.entry
	in := Instruction{Guard: -1, GuardIs: true}
	if p.accept("@") {
		in.GuardIs = !p.accept("!")
		t, err := p.word()
		if err != nil {
			return err
		}
		r, ok := b.lookup(t.text)
		if !ok || !r.predicate {
			return p.errorf(t.line, "guard %q is no predicate", t.text)
		}
		in.Guard = r.index
	}
	t := p.next()
	if t.kind != tokWord {
		return p.errorf(t.line, "expected an instruction, found %q", t.text)
	}
	in.Opcode, in.Line = t.text, t.line
	args := p.args[:0]
	for !p.accept(";") {
		if len(args) > 0 {
			if err := p.expect(","); err != nil {
				return err
			}
		}
		o, err := p.parseOperand(in.Line)
		if err != nil {
			return err
		}
		if o.Kind == LabelOperand {
			b.uses = append(b.uses, labelUse{len(b.Code), len(args), in.Line, o.Name})
		}
		args = append(args, o)
	}
	p.args = args
	in.Args = append(make([]Operand, 0, len(args)), args...)
	b.Code = append(b.Code, in)
	return nil
}

func (p *parser) parseOperand(line int) (Operand, error) {
	t := p.peek()
	switch {
	case t.kind == tokNumber || t.text == "-":
		return p.parseImmediate()
	case p.accept("["):
		return p.parseAddress()
	case p.accept("{"):
		v := Operand{Kind: VectorOperand}
		for {
			o, err := p.parseOperand(line)
			if err != nil {
				return o, err
			}
			v.Vector = append(v.Vector, o)
			if p.accept("}") {
				return v, nil
			}
			if err := p.expect(","); err != nil {
				return v, err
			}
		}
	case p.accept("!"):
		o, err := p.parseOperand(line)
		if err == nil && o.Kind != PredicateOperand {
			err = p.errorf(t.line, "! before what is no predicate")
		}
		o.Negated = true
		return o, err
	case t.kind == tokWord:
		p.next()
		o, err := p.named(t)
		if err == nil && p.accept("|") {
			q, err := p.parseOperand(line)
			if err != nil {
				return o, err
			}
			o.Pair = &q
		}
		if err == nil && o.Kind == SymbolOperand && p.accept("+") {
			o.Offset, err = p.integer()
		}
		return o, err
	}
	return Operand{}, p.errorf(t.line, "expected an operand, found %q", t.text)
}

// named resolves a word: register, special register, variable, parameter, or else a label.
func (p *parser) named(t token) (Operand, error) {
	b := p.entry
	if t.text == "_" {
		return Operand{Kind: SinkOperand}, nil
	}
	if r, ok := b.lookup(t.text); ok {
		if r.predicate {
			return Operand{Kind: PredicateOperand, Index: r.index, Name: t.text}, nil
		}
		return Operand{Kind: RegisterOperand, Index: r.index, Name: t.text}, nil
	}
	if strings.HasPrefix(t.text, "%") {
		return Operand{Kind: SpecialOperand, Name: t.text}, nil
	}
	if q, ok := b.params[t.text]; ok {
		return Operand{Kind: SymbolOperand, Name: t.text, Param: q, Index: -1}, nil
	}
	if v, ok := b.vars[t.text]; ok {
		return Operand{Kind: SymbolOperand, Name: t.text, Variable: v, Index: -1}, nil
	}
	if v, ok := p.globals[t.text]; ok {
		return Operand{Kind: SymbolOperand, Name: t.text, Variable: v, Index: -1}, nil
	}
	return Operand{Kind: LabelOperand, Name: t.text}, nil
}

func (p *parser) parseAddress() (Operand, error) {
	t := p.peek()
	a := Operand{Kind: AddressOperand, Index: -1}
	if t.kind == tokNumber {
		o, err := p.parseImmediate()
		if err != nil {
			return a, err
		}
		a.Offset = int64(o.Bits)
		return a, p.expect("]")
	}
	p.next()
	o, err := p.named(t)
	if err != nil {
		return a, err
	}
	switch o.Kind {
	case RegisterOperand:
		a.Index = o.Index
	case SymbolOperand:
		a.Variable, a.Param = o.Variable, o.Param
	default:
		return a, p.errorf(t.line, "%q cannot be an address", t.text)
	}
	a.Name = t.text
	if p.accept("+") {
		if a.Offset, err = p.integer(); err != nil {
			return a, err
		}
	} else if p.peek().text == "-" {
		if a.Offset, err = p.integer(); err != nil {
			return a, err
		}
	}
	return a, p.expect("]")
}

// parseImmediate reads integers and the hexadecimal floats 0f3F800000 and 0d3FF0000000000000.
func (p *parser) parseImmediate() (Operand, error) {
	negative := p.accept("-")
	t := p.next()
	o := Operand{Kind: ImmediateOperand, Name: t.text}
	if t.kind != tokNumber {
		return o, p.errorf(t.line, "expected a number, found %q", t.text)
	}
	text, base := strings.TrimSuffix(t.text, "U"), 0
	if len(text) > 2 && text[0] == '0' {
		switch text[1] {
		case 'f', 'F':
			o.Float, text, base = 32, text[2:], 16
		case 'd', 'D':
			o.Float, text, base = 64, text[2:], 16
		}
	}
	v, err := strconv.ParseUint(text, base, 64)
	if err != nil || negative && o.Float != 0 {
		return o, p.errorf(t.line, "number %q cannot be read", t.text)
	}
	o.Bits = v
	if negative {
		o.Bits = -v
	}
	return o, nil
}
