package eda

import (
	"errors"
	"fmt"
	"io"

	"thermsim/stack"
)

// lexer splits LEF and DEF into words. White space separates them; # at the start of a word begins a comment, "..." is
// one word, and a semicolon at the end of a word is a word of its own. The first fault ends the file: next then returns
// false for ever.
type lexer struct {
	file string
	r    io.Reader
	buf  []byte
	pos  int // of the first byte not yet looked at
	end  int
	eof  bool

	line      int   // of pos
	lineStart int   // where it starts in buf, negative where that has left the buffer
	fault     error // what ended the file, nil at its end

	word   []byte // the current one, valid until the next
	quoted bool   // it stood in quotes, which are not part of word
	at     stack.Pos
	semi   bool // a semicolon follows the current word
	again  bool // next shall return the current word once more
	plain  bool // quotes mean nothing: free text
}

// maxWord is the length of the longest word.
const maxWord = 1 << 20

func newLexer(file string, r io.Reader) *lexer {
	return &lexer{file: file, r: r, buf: make([]byte, bufferSize), line: 1}
}

// fill reads on, keeping the bytes from keep. It returns by how many bytes positions have moved, and false when there
// is no more.
func (l *lexer) fill(keep int) (moved int, ok bool) {
	if l.eof {
		return 0, false
	}
	if keep > 0 {
		copy(l.buf, l.buf[keep:l.end])
		l.pos -= keep
		l.end -= keep
		l.lineStart -= keep
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	for {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if err != nil {
			l.eof = true
			if !errors.Is(err, io.EOF) {
				l.failAt(l.here(), "is the file complete?", "cannot be read on: %v", err)
				return keep, false
			}
		}
		if n > 0 || err != nil {
			return keep, n > 0
		}
	}
}

func (l *lexer) here() stack.Pos {
	return stack.Pos{File: l.file, Line: l.line, Col: l.pos - l.lineStart + 1}
}

// space passes over white space and comments. It returns false at the end of the file.
func (l *lexer) space() bool {
	comment := false
	for {
		for l.pos < l.end {
			switch c := l.buf[l.pos]; {
			case c == '\n':
				l.line++
				l.lineStart = l.pos + 1
				comment = false
			case comment || c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			case c == '#':
				comment = true
			default:
				return true
			}
			l.pos++
		}
		if _, ok := l.fill(l.pos); !ok {
			return false
		}
	}
}

// next moves to the next word.
func (l *lexer) next() bool {
	if l.fault != nil {
		return false
	}
	if l.again {
		l.again = false
		return true
	}
	if l.semi {
		l.semi, l.quoted = false, false
		l.at.Col += len(l.word)
		l.word = append(l.word[:0:0], ';')
		return true
	}
	if !l.space() {
		l.word, l.quoted, l.at = nil, false, l.here()
		return false
	}
	l.at = l.here()
	if l.quoted = l.buf[l.pos] == '"' && !l.plain; l.quoted {
		return l.quote()
	}
	start := l.pos
	for {
		for l.pos < l.end && l.buf[l.pos] > ' ' && (l.buf[l.pos] < 0x7f || l.plain) {
			l.pos++
		}
		if l.pos < l.end {
			break
		}
		moved, ok := l.fill(start)
		start -= moved
		if l.pos-start > maxWord {
			l.failAt(l.at, "is this a LEF or DEF file?", "a word is longer than %d characters", maxWord)
		}
		if l.fault != nil {
			return false
		}
		if !ok {
			break
		}
	}
	l.word = l.buf[start:l.pos]
	if l.pos < l.end && !isSpace(l.buf[l.pos]) {
		l.badByte()
		return false
	}
	if n := len(l.word); n > 1 && l.word[n-1] == ';' && l.word[n-2] != '\\' {
		l.word, l.semi = l.word[:n-1], true
	}
	return true
}

// quote reads to the closing quote. A backslash takes the meaning from the character that follows.
func (l *lexer) quote() bool {
	start := l.pos
	l.pos++
	for {
		for ; l.pos < l.end; l.pos++ {
			switch l.buf[l.pos] {
			case '\n':
				l.line++
				l.lineStart = l.pos + 1
			case '"':
				if l.buf[l.pos-1] != '\\' || l.pos-1 == start {
					l.word = l.buf[start+1 : l.pos]
					l.pos++
					return true
				}
			}
		}
		moved, ok := l.fill(start)
		start -= moved
		switch {
		case l.fault != nil:
			return false
		case !ok:
			l.failAt(l.at, "", "the quotation has no end")
			return false
		case l.pos-start > maxWord:
			l.failAt(l.at, "", "the quotation is longer than %d characters", maxWord)
			return false
		}
	}
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'
}

// badByte tells of a byte that no word may have.
func (l *lexer) badByte() {
	c := l.buf[l.pos]
	if c >= 0x80 {
		l.failAt(l.here(), "names and keywords are plain ASCII; elsewhere such characters may stand in comments "+
			"and quotations", "character with the code 0x%02x outside a comment", c)
		return
	}
	l.failAt(l.here(), "is this a text file?", "control character 0x%02x", c)
}

// is compares the word with a keyword, which is in capitals; LEF and DEF do not tell capitals from small letters in
// keywords.
func (l *lexer) is(keyword string) bool { return !l.quoted && isWord(l.word, keyword) }

func isWord(word []byte, keyword string) bool {
	if len(word) != len(keyword) {
		return false
	}
	for i, c := range word {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if c != keyword[i] {
			return false
		}
	}
	return true
}

// failAt notes the fault that ends the file, unless there is one already.
func (l *lexer) failAt(pos stack.Pos, remedy, format string, args ...any) {
	if l.fault == nil {
		l.fault = &stack.Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Remedy: remedy}
	}
}

// fail notes a fault at the current word.
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
	l.failAt(l.at, "is the file complete?", "the file ends where %s should follow", what)
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

// skip passes over the rest of a statement, its semicolon included.
func (l *lexer) skip(statement string) bool {
	for l.next() {
		if l.is(";") {
			return true
		}
	}
	l.failAt(l.at, "is the file complete?", "the file ends within %s, before its semicolon", statement)
	return false
}
