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

// parser is what the three grammars share: a token of look-ahead and the words that cannot be names. A syntax error
// ends the file it is in, as in 3D-ICE, because the rest would be misread; errors of meaning are collected.
type parser struct {
	*lexer
	tok      token
	keywords []string
	failed   bool
}

func newParser(c *importer.Collector, file string, data []byte, keywords string) *parser {
	text, bom := strings.CutPrefix(string(data), "\ufeff")
	p := &parser{lexer: &lexer{Collector: c, file: file, data: text, line: 1}, keywords: strings.Fields(keywords)}
	if bom {
		p.warn(stack.Pos{File: file, Line: 1}, "the file begins with a byte order mark, which is ignored")
	}
	p.advance()
	return p
}

func (p *parser) advance() token {
	t := p.tok
	before := p.Faults.Len()
	p.tok = p.next()
	if p.Faults.Len() > before {
		p.failed = true
	}
	return t
}

func (p *parser) warn(pos stack.Pos, format string, args ...any) {
	p.Note(importer.Warning, pos, format, args...)
}

// stop reports a syntax error at the current token and ends the file.
func (p *parser) stop(format string, args ...any) {
	if !p.failed {
		p.Faults.Add(p.tok.pos, "", "expected %s, got %s", fmt.Sprintf(format, args...), p.tok)
	}
	p.abandon()
}

// abandon skips the rest of the file. Nothing more is accepted then, and nothing more is reported.
func (p *parser) abandon() {
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

// expect takes words and signs that must be there, in order: expect("heat sink :").
func (p *parser) expect(texts string) {
	for text := range strings.FieldsSeq(texts) {
		if !p.accept(text) {
			p.stop("%q", text)
		}
	}
}

// quantity takes words and signs, then a number above zero.
func (p *parser) quantity(texts, what string) decimal {
	p.expect(texts)
	return p.positive(what)
}

// identifier takes a name.
func (p *parser) identifier(what string) named {
	r := named{pos: p.tok.pos}
	switch {
	case p.tok.kind != word:
		p.stop("%s", what)
	case slices.Contains(p.keywords, p.tok.text):
		p.Faults.Add(p.tok.pos, "choose another name", "%s cannot be %q, which is a keyword", what, p.tok.text)
		p.abandon()
	default:
		r.name = p.advance().text
	}
	return r
}

// quoted takes a string.
func (p *parser) quoted(what string) named {
	if p.tok.kind != path {
		p.stop("%s in double quotes", what)
		return named{pos: p.tok.pos}
	}
	t := p.advance()
	return named{t.text, t.pos}
}

// declare adds a declaration to a list, and reports a second one of its name and one more than most.
func declare[T any, P declaration[T]](p *parser, list *[]T, kind string, most int, t T) {
	d := P(&t).declared()
	for i := range *list {
		if other := P(&(*list)[i]).declared(); other.name == d.name && d.name != "" {
			p.Faults.Add(d.pos, "merge or rename them", "%s %q is declared twice, first at line %d", kind, d.name,
				other.pos.Line)
		}
	}
	if *list = append(*list, t); len(*list) > most {
		p.tooMany(d.pos, kind+"s", most)
	}
}

// tooMany ends the reading of a project that has more of something than its layers could use.
func (p *parser) tooMany(pos stack.Pos, what string, most int) {
	p.Faults.Add(pos, "remove those that are not used", "a project has at most %d %s", most, what)
	p.abandon()
}

// decimal takes a number.
func (p *parser) decimal(what string) decimal {
	t := p.tok
	if t.kind != number {
		p.stop("%s, a number", what)
		return decimal{pos: t.pos}
	}
	p.advance()
	v, err := strconv.ParseFloat(t.text, 64)
	if err != nil || math.IsInf(v, 0) {
		p.Faults.Add(t.pos, "", "%s: %s is out of range", what, stack.Shorten(t.text))
		return decimal{"1", 1, t.pos}
	}
	return decimal{t.text, v, t.pos}
}

// positive takes a number above zero.
func (p *parser) positive(what string) decimal {
	d := p.decimal(what)
	if d.text != "" && !(d.value > 0) {
		p.Faults.Add(d.pos, "", "%s must be positive, got %s", what, stack.Shorten(d.text))
		return decimal{"1", 1, d.pos}
	}
	return d
}

// count takes a whole number above zero. 3D-ICE truncates fractions.
func (p *parser) count(what string) int {
	d := p.positive(what)
	const most = 1_000_000
	switch {
	case p.failed:
		return 1
	case d.value > most:
		p.Faults.Add(d.pos, "", "%s must not exceed %d, got %s", what, most, stack.Shorten(d.text))
		return 1
	case d.value < 1:
		p.Faults.Add(d.pos, "", "%s must be at least 1, got %s; 3D-ICE would use 0", what, stack.Shorten(d.text))
		return 1
	case d.value != math.Trunc(d.value):
		p.warn(d.pos, "%s is %s; 3D-ICE truncates it to a whole number", what, stack.Shorten(d.text))
	}
	return int(d.value)
}

// oneOf takes one of some words.
func (p *parser) oneOf(words ...string) string {
	if p.tok.kind == word && slices.Contains(words, p.tok.text) {
		return p.advance().text
	}
	p.stop("one of %q", words)
	return ""
}
