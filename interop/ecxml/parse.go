package ecxml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// element is one of XML, without attributes.
type element struct {
	tag      string
	pos      stack.Pos
	text     []byte
	children []*element
	// Of the root: the contents of thermsim's processing instruction.
	instruction []byte
}

// child is the first of a name; nil if there is none. Programs differ in capitals.
func (e *element) child(tag string) *element {
	for _, c := range e.children {
		if strings.EqualFold(c.tag, tag) {
			return c
		}
	}
	return nil
}

func (e *element) value() string { return strings.TrimSpace(string(e.text)) }

// parser builds the tree of elements.
type parser struct {
	*importer.Collector
	decoder  *xml.Decoder
	root     *element
	open     []*element
	elements int
}

// parse reads the tree; nil after a fault.
func parse(c *importer.Collector, data []byte) *element {
	p := &parser{Collector: c, decoder: xml.NewDecoder(bytes.NewReader(data)), root: &element{}}
	p.decoder.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("encoding %q is not supported", charset)
	}
	for {
		pos := stack.Pos{File: c.Request.Files[0]}
		pos.Line, pos.Col = p.decoder.InputPos()
		t, err := p.decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			p.malformed(pos, err)
			return nil
		}
		if !p.token(pos, t) {
			return nil
		}
	}
	if len(p.root.children) != 1 || !strings.EqualFold(p.root.children[0].tag, "neutralXML") {
		c.Faults.Add(stack.Pos{File: c.Request.Files[0], Line: 1, Col: 1}, "give a file whose root element is "+
			"<neutralXML>", "the file is no ECXML model")
		return nil
	}
	model := p.root.children[0]
	model.instruction = p.root.instruction
	return model
}

func (p *parser) malformed(pos stack.Pos, err error) {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		err = errors.New(syntax.Msg)
	}
	p.Faults.Add(pos, "export the model again, in UTF-8", "not well-formed XML: %v", err)
}

// token adds a token to the tree; false after a fault.
func (p *parser) token(pos stack.Pos, t xml.Token) bool {
	switch t := t.(type) {
	case xml.StartElement:
		return p.start(pos, t.Name.Local)
	case xml.EndElement:
		p.open = p.open[:len(p.open)-1]
	case xml.CharData:
		if len(p.open) == 0 {
			return true
		}
		e := p.open[len(p.open)-1]
		if len(e.text)+len(t) > maxText {
			t = bytes.TrimSpace(t)
		}
		if e.text = append(e.text, t...); len(e.text) > maxText {
			p.Faults.Add(e.pos, "", "<%s> has more than %d bytes of text", e.tag, maxText)
			return false
		}
	case xml.ProcInst:
		if t.Target == instruction {
			p.root.instruction = bytes.Clone(t.Inst)
		}
	case xml.Directive:
		p.Faults.Add(pos, "remove it", "<!DOCTYPE> and other declarations are not part of ECXML")
		return false
	}
	return true
}

func (p *parser) start(pos stack.Pos, tag string) bool {
	p.elements++
	switch {
	case p.elements > maxElements:
		p.Faults.Add(pos, "split the model", "more than %d elements", maxElements)
		return false
	case len(p.open) >= maxDepth:
		p.Faults.Add(pos, "", "elements are nested more than %d deep", maxDepth)
		return false
	}
	e, parent := &element{tag: tag, pos: pos}, p.root
	if len(p.open) > 0 {
		parent = p.open[len(p.open)-1]
	}
	parent.children = append(parent.children, e)
	p.open = append(p.open, e)
	return true
}
