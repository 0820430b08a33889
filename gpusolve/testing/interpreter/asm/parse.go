package asm

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads one PTX module.
func Parse(src []byte) (*Module, error) {
	tokens, err := lex(string(src))
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, module: &Module{entryByName: map[string]*Entry{}}, globals: map[string]*Variable{}}
	if err := p.parseModule(); err != nil {
		return nil, err
	}
	return p.module, nil
}

type parser struct {
	tokens  []token
	pos     int
	module  *Module
	globals map[string]*Variable
	entry   *body     // the entry being read
	args    []Operand // scratch
}

func (p *parser) peek() token { return p.tokens[p.pos] }

func (p *parser) next() token {
	t := p.tokens[p.pos]
	if t.kind != tokEOF {
		p.pos++
	}
	return t
}

func (p *parser) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("ptx line %d: %s", line, fmt.Sprintf(format, args...))
}

func (p *parser) expect(text string) error {
	if t := p.next(); t.text != text {
		return p.errorf(t.line, "expected %q, found %q", text, t.text)
	}
	return nil
}

func (p *parser) accept(text string) bool {
	if t := p.peek(); t.kind == tokPunct && t.text == text {
		p.pos++
		return true
	}
	return false
}

func (p *parser) word() (token, error) {
	t := p.next()
	if t.kind != tokWord {
		return t, p.errorf(t.line, "expected a name, found %q", t.text)
	}
	return t, nil
}

func (p *parser) integer() (int64, error) {
	negative := p.accept("-")
	t := p.next()
	if t.kind != tokNumber {
		return 0, p.errorf(t.line, "expected a number, found %q", t.text)
	}
	v, err := strconv.ParseUint(strings.TrimSuffix(t.text, "U"), 0, 64)
	if err != nil {
		return 0, p.errorf(t.line, "number %q: %v", t.text, err)
	}
	if negative {
		return -int64(v), nil
	}
	return int64(v), nil
}

func (p *parser) parseModule() error {
	for {
		t := p.peek()
		switch {
		case t.kind == tokEOF:
			return nil
		case t.text == ".version":
			p.next()
			p.module.Version = p.next().text
		case t.text == ".target":
			p.next()
			p.module.Target = p.next().text
			for p.accept(",") {
				p.next()
			}
		case t.text == ".address_size":
			p.next()
			if n, err := p.integer(); err != nil {
				return err
			} else if n != 64 {
				return p.errorf(t.line, "address size %d: only 64 is supported", n)
			}
		default:
			if err := p.parseDeclaration(); err != nil {
				return err
			}
		}
	}
}

// parseDeclaration reads an entry or a variable at module scope, with its linkage.
func (p *parser) parseDeclaration() error {
	extern := false
	for {
		t := p.peek()
		switch t.text {
		case ".visible", ".weak":
			p.next()
			continue
		case ".extern":
			extern = true
			p.next()
			continue
		case ".entry":
			p.next()
			return p.parseEntry(t.line)
		case ".global", ".shared", ".const":
			v, err := p.parseVariable(extern)
			if err != nil {
				return err
			}
			if p.globals[v.Name] != nil {
				return p.errorf(v.Line, "variable %s is declared twice", v.Name)
			}
			p.globals[v.Name] = v
			p.module.Variables = append(p.module.Variables, v)
			return nil
		case ".func":
			return p.errorf(t.line, "functions (.func) are not supported: inline them into the kernel")
		}
		return p.errorf(t.line, "unknown directive %q", t.text)
	}
}

var typeSizes = map[string]int64{
	"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "f16x2": 4,
	"b32": 4, "u32": 4, "s32": 4, "f32": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8,
}

// TypeSize is the size in bytes of a fundamental type, "f32" or "b64"; 0 when there is no such type.
func TypeSize(name string) int64 { return typeSizes[name] }

// largestVariable is far above what kernels declare; memory for data comes from the driver.
const largestVariable = 1 << 24

// parseVariable reads ".shared .align 4 .b8 name[100] = {1, 2};".
func (p *parser) parseVariable(extern bool) (*Variable, error) {
	t := p.next()
	v := &Variable{Line: t.line, Extern: extern}
	switch t.text {
	case ".global":
		v.Space = Global
	case ".shared":
		v.Space = Shared
	case ".local":
		v.Space = Local
	case ".const":
		v.Space = Const
	}
	typ, align, err := p.parseType()
	if err != nil {
		return nil, err
	}
	element := typeSizes[typ]
	v.Align = max(align, element)
	name, err := p.word()
	if err != nil {
		return nil, err
	}
	v.Name, v.Size = name.text, element
	for p.accept("[") {
		if p.accept("]") {
			if !extern {
				return nil, p.errorf(t.line, "array %s has no size", v.Name)
			}
			v.Size = 0
			continue
		}
		n, err := p.integer()
		if err != nil {
			return nil, err
		}
		if n < 0 || n > largestVariable || v.Size*n > largestVariable {
			return nil, p.errorf(t.line, "array %s has more than %d bytes", v.Name, largestVariable)
		}
		v.Size *= n
		if err := p.expect("]"); err != nil {
			return nil, err
		}
	}
	if p.accept("=") {
		if err := p.parseInitializer(v, element); err != nil {
			return nil, err
		}
	}
	return v, p.expect(";")
}

// parseType reads "[.align n] .u32".
func (p *parser) parseType() (name string, align int64, err error) {
	t := p.next()
	if t.text == ".align" {
		if align, err = p.integer(); err != nil {
			return "", 0, err
		}
		if align <= 0 || align&(align-1) != 0 {
			return "", 0, p.errorf(t.line, "alignment %d is not a power of two", align)
		}
		t = p.next()
	}
	name = strings.TrimPrefix(t.text, ".")
	if typeSizes[name] == 0 || name == t.text {
		return "", 0, p.errorf(t.line, "unknown type %q", t.text)
	}
	return name, align, nil
}

func (p *parser) parseInitializer(v *Variable, element int64) error {
	if v.Space != Global && v.Space != Const {
		return p.errorf(v.Line, "%s variables take no initial value", v.Space)
	}
	v.Init = make([]byte, v.Size)
	put := func(i int64) error {
		o, err := p.parseImmediate()
		if err != nil {
			return err
		}
		if (i+1)*element > v.Size {
			return p.errorf(v.Line, "too many initial values for %s", v.Name)
		}
		for b := range element {
			v.Init[i*element+b] = byte(o.Bits >> (8 * b))
		}
		return nil
	}
	if !p.accept("{") {
		return put(0)
	}
	for i := int64(0); ; i++ {
		if err := put(i); err != nil {
			return err
		}
		if p.accept("}") {
			return nil
		}
		if err := p.expect(","); err != nil {
			return err
		}
	}
}
