package asm

import "strings"

// body is the state of reading one entry.
type body struct {
	*Entry
	scopes []scope
	labels map[string]int
	uses   []labelUse
	params map[string]*Param
	vars   map[string]*Variable
}

// scope holds the registers declared between a pair of braces.
type scope map[string]binding

type binding struct {
	index     int
	predicate bool
}

type labelUse struct {
	instruction, arg, line int
	name                   string
}

func (b *body) lookup(name string) (binding, bool) {
	for i := len(b.scopes) - 1; i >= 0; i-- {
		if r, ok := b.scopes[i][name]; ok {
			return r, true
		}
	}
	return binding{}, false
}

func (p *parser) parseEntry(line int) error {
	name, err := p.word()
	if err != nil {
		return err
	}
	e := &Entry{Name: name.text, Line: line}
	if p.module.entryByName[e.Name] != nil {
		return p.errorf(line, "entry %s is defined twice", e.Name)
	}
	p.entry = &body{Entry: e, labels: map[string]int{}, params: map[string]*Param{}, vars: map[string]*Variable{}}
	if p.accept("(") {
		if err := p.parseParams(e); err != nil {
			return err
		}
	}
	if err := p.parseTuning(e); err != nil {
		return err
	}
	if err := p.expect("{"); err != nil {
		return err
	}
	if err := p.parseBlock(); err != nil {
		return err
	}
	for _, u := range p.entry.uses {
		target, ok := p.entry.labels[u.name]
		if !ok {
			return p.errorf(u.line, "no label %s", u.name)
		}
		e.Code[u.instruction].Args[u.arg].Target = target
	}
	p.module.Entries = append(p.module.Entries, e)
	p.module.entryByName[e.Name] = e
	p.entry = nil
	return nil
}

func (p *parser) parseParams(e *Entry) error {
	for !p.accept(")") {
		if err := p.expect(".param"); err != nil {
			return err
		}
		line := p.peek().line
		typ, align, err := p.parseType()
		if err != nil {
			return err
		}
		// Pointers may carry ".ptr .global .align 4".
		for p.peek().text == ".ptr" || p.peek().text == ".global" || p.peek().text == ".align" {
			if p.next().text == ".align" {
				if _, err := p.integer(); err != nil {
					return err
				}
			}
		}
		name, err := p.word()
		if err != nil {
			return err
		}
		q := Param{Name: name.text, Type: typ, Size: typeSizes[typ]}
		q.Align = max(align, q.Size)
		if p.accept("[") {
			n, err := p.integer()
			if err != nil {
				return err
			}
			if n <= 0 || n > 4096 {
				return p.errorf(line, "parameter %s: size %d", q.Name, n)
			}
			q.Size *= n
			if err := p.expect("]"); err != nil {
				return err
			}
		}
		q.Offset = (e.ParamBytes + q.Align - 1) / q.Align * q.Align
		e.ParamBytes = q.Offset + q.Size
		e.Params = append(e.Params, q)
		p.accept(",")
	}
	for i := range e.Params {
		p.entry.params[e.Params[i].Name] = &e.Params[i]
	}
	return nil
}

// parseTuning reads the directives between parameters and body.
func (p *parser) parseTuning(e *Entry) error {
	for p.peek().kind == tokWord {
		t := p.next()
		switch t.text {
		case ".maxntid", ".reqntid", ".minnctapersm", ".maxnreg":
			product := int64(1)
			for {
				n, err := p.integer()
				if err != nil {
					return err
				}
				product *= n
				if !p.accept(",") {
					break
				}
			}
			if strings.HasSuffix(t.text, "ntid") {
				e.MaxThreads = int(product)
			}
		default:
			return p.errorf(t.line, "unknown directive %q of entry %s", t.text, e.Name)
		}
	}
	return nil
}

// parseBlock reads statements up to the closing brace.
func (p *parser) parseBlock() error {
	b := p.entry
	b.scopes = append(b.scopes, scope{})
	defer func() { b.scopes = b.scopes[:len(b.scopes)-1] }()
	for {
		t := p.peek()
		switch {
		case t.kind == tokEOF:
			return p.errorf(t.line, "entry %s has no closing brace", b.Name)
		case p.accept("}"):
			return nil
		case p.accept("{"):
			if err := p.parseBlock(); err != nil {
				return err
			}
		case t.text == ".reg":
			if err := p.parseRegisters(); err != nil {
				return err
			}
		case t.text == ".shared" || t.text == ".local":
			v, err := p.parseVariable(false)
			if err != nil {
				return err
			}
			b.Variables = append(b.Variables, v)
			b.vars[v.Name] = v
		case t.text == ".pragma":
			p.next()
			p.next()
			if err := p.expect(";"); err != nil {
				return err
			}
		case t.kind == tokWord && t.text[0] == '.':
			return p.errorf(t.line, "unknown directive %q", t.text)
		case t.kind == tokWord && p.tokens[p.pos+1].text == ":":
			if _, twice := b.labels[t.text]; twice {
				return p.errorf(t.line, "label %s is defined twice", t.text)
			}
			b.labels[t.text] = len(b.Code)
			p.pos += 2
		default:
			if err := p.parseInstruction(); err != nil {
				return err
			}
		}
	}
}

// parseRegisters reads ".reg .b32 %r<12>, %x;".
func (p *parser) parseRegisters() error {
	line := p.next().line
	kind := p.next().text
	predicate := kind == ".pred"
	bits := int(typeSizes[strings.TrimPrefix(kind, ".")] * 8)
	if !predicate && bits < 16 {
		return p.errorf(line, "registers of type %q are not supported", kind)
	}
	declare := func(name string) {
		b := p.entry
		if predicate {
			b.scopes[len(b.scopes)-1][name] = binding{b.Predicates, true}
			b.Predicates++
			return
		}
		b.scopes[len(b.scopes)-1][name] = binding{len(b.Registers), false}
		b.Registers = append(b.Registers, Register{name, bits})
	}
	for {
		name, err := p.word()
		if err != nil {
			return err
		}
		if p.accept("<") {
			n, err := p.integer()
			if err != nil {
				return err
			}
			if n < 0 || n > 1<<20 {
				return p.errorf(line, "%d registers %s", n, name.text)
			}
			for i := range n {
				declare(name.text + itoa(i))
			}
			if err := p.expect(">"); err != nil {
				return err
			}
		} else {
			declare(name.text)
		}
		if p.accept(";") {
			return nil
		}
		if err := p.expect(","); err != nil {
			return err
		}
	}
}
