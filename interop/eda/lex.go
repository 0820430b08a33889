package eda

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"thermsim/stack"
)

// lexer splits LEF and DEF into words. White space separates them; # at the start of a word begins a comment, "..." is
// one word, and a semicolon at the end of a word is a separate word. The first fault ends the file: next then returns
// false.
type lexer struct {
	file  string
	r     *bufio.Reader
	line  []byte
	row   int // number of the line
	pos   int // in line, of the first byte not yet read
	long  []byte
	text  []byte // of a quotation
	fault error  // what ended the file, nil at its end

	word   []byte // the current one, valid until the next
	quoted bool   // it was in quotes, which are not part of word
	at     stack.Pos
	plain  bool // quotes have no meaning: free text
}

// maxWord is the length of the longest word, maxText that of the longest line.
const (
	maxWord = 1 << 20
	maxText = 1 << 28
)

func newLexer(file string, r *bufio.Reader) *lexer { return &lexer{file: file, r: r, row: 1} }

// readLine moves to the next line. It returns false if there is none, and after a fault.
func (l *lexer) readLine() bool {
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) && len(l.long) < maxText {
			l.long = append(l.long, line...)
			line, err = l.r.ReadSlice('\n')
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	if len(l.line) > 0 && (len(line) > 0 || l.line[len(l.line)-1] == '\n') {
		l.row++
		l.line, l.pos = nil, 0
	}
	if len(line) > 0 {
		l.line = line
	}
	if err != nil && !errors.Is(err, io.EOF) {
		l.failAt(l.here(), "is the file complete?", "cannot be read on: %v", err)
	}
	return len(line) > 0 && l.fault == nil
}

func (l *lexer) here() stack.Pos { return stack.Pos{File: l.file, Line: l.row, Col: l.pos + 1} }

// next moves to the next word.
func (l *lexer) next() bool {
	if l.fault != nil {
		return false
	}
	for {
		for l.pos < len(l.line) && isSpace(l.line[l.pos]) {
			l.pos++
		}
		if l.pos < len(l.line) && l.line[l.pos] != '#' {
			break
		}
		if !l.readLine() {
			l.word, l.quoted, l.at = nil, false, l.here()
			return false
		}
	}
	l.at = l.here()
	if l.quoted = l.line[l.pos] == '"' && !l.plain; l.quoted {
		return l.quote()
	}
	start := l.pos
	for l.pos < len(l.line) && l.line[l.pos] > ' ' && (l.line[l.pos] < 0x7f || l.plain) {
		l.pos++
	}
	l.word = l.line[start:l.pos]
	n := len(l.word)
	switch {
	case n > maxWord:
		l.failAt(l.at, "is this a LEF or DEF file?", "a word is longer than %d characters", maxWord)
	case l.pos < len(l.line) && !isSpace(l.line[l.pos]):
		l.badByte()
	case n > 1 && l.word[n-1] == ';' && l.word[n-2] != '\\':
		l.word = l.word[:n-1]
		l.pos--
	}
	return l.fault == nil
}

// again makes next return the current word, which is not in quotes, once more.
func (l *lexer) again() { l.pos = l.at.Col - 1 }

// quote reads to the closing quote. After a backslash a quote is an ordinary character.
func (l *lexer) quote() bool {
	l.pos++
	l.text = l.text[:0]
	escaped := false
	for {
		for ; l.pos < len(l.line); l.pos++ {
			c := l.line[l.pos]
			if c == '"' && !escaped {
				l.pos++
				l.word = l.text
				return true
			}
			escaped = c == '\\'
			l.text = append(l.text, c)
		}
		if len(l.text) > maxWord {
			l.failAt(l.at, "", "the quotation is longer than %d characters", maxWord)
			return false
		}
		if !l.readLine() {
			l.failAt(l.at, "", "the quotation has no end")
			return false
		}
	}
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'
}

// badByte reports a byte that no word may have.
func (l *lexer) badByte() {
	c := l.line[l.pos]
	if c >= 0x80 {
		l.failAt(l.here(), "names and keywords are plain ASCII; only comments and quotations may have such "+
			"characters", "character with the code 0x%02x outside a comment", c)
		return
	}
	l.failAt(l.here(), "is this a text file?", "control character 0x%02x", c)
}

// is compares the word with a keyword, which is in upper case; the case of letters does not matter in keywords of LEF
// and DEF.
func (l *lexer) is(keyword string) bool { return !l.quoted && isWord(l.word, keyword) }

func isWord(word []byte, keyword string) bool {
	return len(word) == len(keyword) && strings.EqualFold(string(word), keyword)
}

// in reports whether the word is one of some keywords.
func (l *lexer) in(keywords ...string) bool { return slices.ContainsFunc(keywords, l.is) }

// failAt records the fault that ends the file, unless there is one already.
func (l *lexer) failAt(pos stack.Pos, remedy, format string, args ...any) {
	if l.fault == nil {
		l.fault = &stack.Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Remedy: remedy}
	}
}

// fail records a fault at the current word.
func (l *lexer) fail(format string, args ...any) { l.failAt(l.at, "", format, args...) }

// shown is the current word for messages.
func (l *lexer) shown() string {
	if l.word == nil && !l.quoted {
		return "the end of the file"
	}
	return fmt.Sprintf("%q", stack.Shorten(string(l.word)))
}

// need moves to the next word, which there must be.
func (l *lexer) need(what string) bool {
	if l.next() {
		return true
	}
	l.failAt(l.at, "is the file complete?", "the file ends where %s is expected", what)
	return false
}

// expect moves to the next word, which must be the keyword.
func (l *lexer) expect(keyword string) bool {
	if !l.need(keyword) {
		return false
	}
	if !l.is(keyword) {
		l.fail("expected %q, got %s", keyword, l.shown())
		return false
	}
	return true
}

// skip skips the rest of a statement, its semicolon included.
func (l *lexer) skip(statement string) bool {
	for l.next() {
		if l.is(";") {
			return true
		}
	}
	l.failAt(l.at, "is the file complete?", "the file ends within %s, before its semicolon", statement)
	return false
}

// semicolon ends a statement.
func (l *lexer) semicolon(statement string) {
	if l.fault == nil && l.need("the semicolon after "+statement) && !l.is(";") {
		l.fail("expected the semicolon after %s, got %s", statement, l.shown())
	}
}

// until reads words up to the one that ends a part of the file.
func (l *lexer) until(part string, ends func() bool) {
	from := l.at
	for l.next() {
		if ends() {
			return
		}
	}
	l.failAt(l.at, "is the file complete?", "the file ends within %s of line %d", part, from.Line)
}

// statements skips statements up to END. It reports whether it has found that.
func (l *lexer) statements(part string) (found bool) {
	l.until(part, func() bool {
		if found = l.is("END"); found {
			return true
		}
		return !l.is(";") && !l.skip("a statement of "+part)
	})
	return found
}

// passTo skips an extension (BEGINEXT ... ENDEXT) or an alias up to its last keyword.
func (l *lexer) passTo(keyword string) { l.until(string(l.word), func() bool { return l.is(keyword) }) }
