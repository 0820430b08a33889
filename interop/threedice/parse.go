package threedice

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// parser is what the three grammars share: a token of look-ahead and the words that are no identifiers. A syntax error
// ends the file it is in, as in 3D-ICE, because what follows would be misread; errors of meaning are collected.
type parser struct {
	*lexer
	tok      token
	keywords []string
	notes    *[]importer.Note
	failed   bool
}

func newParser(file string, data []byte, keywords []string, faults *importer.Faults, notes *[]importer.Note) *parser {
	p := &parser{lexer: newLexer(file, data, faults), keywords: keywords, notes: notes}
	if p.bom {
		p.warn(stack.Pos{File: file, Line: 1}, "the file begins with a byte order mark, which is passed over")
	}
	p.advance()
	return p
}

func (p *parser) advance() token {
	t := p.tok
	before := p.faults.Len()
	p.tok = p.next()
	if p.faults.Len() > before {
		p.failed = true
	}
	return t
}

func (p *parser) note(kind importer.NoteKind, pos stack.Pos, format string, args ...any) {
	*p.notes = append(*p.notes, importer.Note{Kind: kind, Pos: pos, Text: fmt.Sprintf(format, args...)})
}

func (p *parser) warn(pos stack.Pos, format string, args ...any) {
	p.note(importer.Warning, pos, format, args...)
}

// stop reports a syntax error at the current token and ends the file.
func (p *parser) stop(format string, args ...any) {
	if !p.failed {
		p.faults.Add(p.tok.pos, "", "expected %s, got %s", fmt.Sprintf(format, args...), p.tok)
	}
	p.failed = true
	p.at = len(p.data)
	p.tok = p.end()
}

// is reports whether the current token is that word or sign.
func (p *parser) is(text string) bool {
	return (p.tok.kind == word || p.tok.kind == punct) && p.tok.text == text
}

// accept takes a word or sign if it is there.
func (p *parser) accept(text string) bool {
	if !p.is(text) {
		return false
	}
	p.advance()
	return true
}

// expect takes words and signs that must be there, in order: expect("heat", "sink", ":").
func (p *parser) expect(texts ...string) bool {
	for _, text := range texts {
		if p.failed {
			return false
		}
		if !p.accept(text) {
			p.stop("%q", text)
			return false
		}
	}
	return true
}

// identifier takes a name.
func (p *parser) identifier(what string) (name string, pos stack.Pos) {
	pos = p.tok.pos
	switch {
	case p.failed:
	case p.tok.kind != word:
		p.stop("%s", what)
	case slices.Contains(p.keywords, p.tok.text):
		p.faults.Add(p.tok.pos, "choose another name", "%s cannot be %q, which is a keyword", what, p.tok.text)
		p.failed = true
		p.stop("")
	default:
		name = p.advance().text
	}
	return name, pos
}

// quoted takes a string.
func (p *parser) quoted(what string) (string, stack.Pos) {
	pos := p.tok.pos
	if p.tok.kind != path {
		if !p.failed {
			p.stop("%s in double quotes", what)
		}
		return "", pos
	}
	return p.advance().text, pos
}

// decimal takes a number.
func (p *parser) decimal(what string) decimal {
	t := p.tok
	if t.kind != number {
		if !p.failed {
			p.stop("%s, a number", what)
		}
		return decimal{pos: t.pos}
	}
	p.advance()
	v, err := strconv.ParseFloat(t.text, 64)
	if err != nil || math.IsInf(v, 0) {
		p.faults.Add(t.pos, "", "%s: %s is out of range", what, importer.Shorten(t.text))
		v = 1
		return decimal{text: "1", value: v, pos: t.pos}
	}
	return decimal{t.text, v, t.pos}
}

// positive takes a number above zero.
func (p *parser) positive(what string) decimal {
	d := p.decimal(what)
	if d.text != "" && !(d.value > 0) {
		p.faults.Add(d.pos, "", "%s must be positive, got %s", what, importer.Shorten(d.text))
		return decimal{"1", 1, d.pos}
	}
	return d
}

// count takes a whole number above zero. 3D-ICE cuts fractions off.
func (p *parser) count(what string) (int, stack.Pos) {
	d := p.positive(what)
	const most = 1_000_000
	switch {
	case p.failed:
		return 1, d.pos
	case d.value > most:
		p.faults.Add(d.pos, "", "%s must not exceed %d, got %s", what, most, importer.Shorten(d.text))
		return 1, d.pos
	case d.value < 1:
		p.faults.Add(d.pos, "", "%s must be at least 1, got %s; 3D-ICE would take it for 0", what,
			importer.Shorten(d.text))
		return 1, d.pos
	case d.value != math.Trunc(d.value):
		p.warn(d.pos, "%s is %s, of which 3D-ICE takes the whole part", what, importer.Shorten(d.text))
	}
	return int(d.value), d.pos
}

// didYouMean proposes the name nearest to a wrong one, if there is one that differs in case or little more.
func didYouMean(name string, have []string) string {
	for _, h := range have {
		if strings.EqualFold(h, name) {
			return fmt.Sprintf("did you mean %q?", h)
		}
	}
	if len(have) > 0 && len(have) <= 12 {
		return "there are " + strings.Join(have, ", ")
	}
	return ""
}
