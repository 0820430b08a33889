package threedice

import (
	"fmt"
	"strconv"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// kind of a token.
type kind int

const (
	endOfFile kind = iota
	word           // identifier or keyword
	number
	path  // a string in double quotes
	punct // one of ( ) , . : ;
)

// token is a piece of a file.
type token struct {
	kind kind
	text string // a path without its quotes
	pos  stack.Pos
}

func (t token) String() string {
	switch t.kind {
	case endOfFile:
		return "the end of the file"
	case path:
		return strconv.Quote(importer.Shorten(t.text))
	}
	return fmt.Sprintf("%q", importer.Shorten(t.text))
}

// lexer cuts a file into tokens as 3D-ICE's scanners do: white space and comments, // and /* */, separate; words,
// numbers and points may follow each other without space. What those scanners echo and pass over in silence (characters
// of no token, the point of ".5") is an error here.
type lexer struct {
	file      string
	data      string
	at        int
	line      int
	lineStart int
	faults    *importer.Faults
	bom       bool
}

func newLexer(file string, data []byte, faults *importer.Faults) *lexer {
	text, bom := strings.CutPrefix(string(data), "\ufeff")
	return &lexer{file: file, data: text, line: 1, faults: faults, bom: bom}
}

func (l *lexer) pos() stack.Pos {
	return stack.Pos{File: l.file, Line: l.line, Col: l.at - l.lineStart + 1}
}

// next is the next token; after a fault, or at the end, it is endOfFile.
func (l *lexer) next() token {
	if !l.skipSpace() {
		return l.end()
	}
	if l.at >= len(l.data) {
		return l.end()
	}
	start, pos := l.at, l.pos()
	c := l.data[l.at]
	switch {
	case isLetter(c):
		if strings.HasPrefix(l.data[l.at:], "non-uniform") {
			l.at += len("non-uniform")
			break
		}
		l.skip(func(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' })
	case isDigit(c), (c == '+' || c == '-') && l.digitAt(l.at+1):
		return l.number(pos)
	case c == '"':
		return l.path(pos)
	case strings.IndexByte("(),:;", c) >= 0:
		l.at++
		return token{punct, l.data[start:l.at], pos}
	case c == '.':
		if l.digitAt(l.at + 1) {
			l.faults.Add(pos, "write 0 before the point; 3D-ICE refuses such a number or reads it without its point",
				"a number cannot begin with a point")
			return l.fail()
		}
		l.at++
		return token{punct, ".", pos}
	default:
		l.faults.Add(pos, "remove it; 3D-ICE passes over such characters without a word",
			"%s is not part of this format", describeByte(l.data[l.at:]))
		return l.fail()
	}
	return token{word, l.data[start:l.at], pos}
}

func describeByte(rest string) string {
	r := []rune(rest[:min(len(rest), 4)])[0]
	if r == '\ufffd' {
		return fmt.Sprintf("byte 0x%02x", rest[0])
	}
	return fmt.Sprintf("character %q", r)
}

// number is [+-]digits[.digits][e[+-]digits]; "2rm" and "4rm" are words.
func (l *lexer) number(pos stack.Pos) token {
	start := l.at
	if l.data[l.at] == '+' || l.data[l.at] == '-' {
		l.at++
	}
	l.skip(isDigit)
	if rm := l.data[start:l.at]; (rm == "2" || rm == "4") && strings.HasPrefix(l.data[l.at:], "rm") {
		l.at += len("rm")
		return token{word, l.data[start:l.at], pos}
	}
	if l.at < len(l.data) && l.data[l.at] == '.' {
		if !l.digitAt(l.at + 1) {
			l.faults.Add(pos, "write a digit after the point; 3D-ICE knows no such number",
				"a number cannot end in a point, as %s does", importer.Shorten(l.data[start:l.at+1]))
			return l.fail()
		}
		l.at++
		l.skip(isDigit)
	}
	if l.at < len(l.data) && (l.data[l.at] == 'e' || l.data[l.at] == 'E') {
		digits := l.at + 1
		if digits < len(l.data) && (l.data[digits] == '+' || l.data[digits] == '-') {
			digits++
		}
		if l.digitAt(digits) {
			l.at = digits
			l.skip(isDigit)
		}
	}
	return token{number, l.data[start:l.at], pos}
}

// path reads a string in quotes. 3D-ICE lets it run over lines; that is a forgotten quote here.
func (l *lexer) path(pos stack.Pos) token {
	length := strings.IndexAny(l.data[l.at+1:], "\"\n")
	if length < 0 || l.data[l.at+1+length] == '\n' {
		l.faults.Add(pos, `add the closing "`, "the string is not closed on its line")
		return l.fail()
	}
	text := l.data[l.at+1 : l.at+1+length]
	l.at += length + 2
	return token{path, text, pos}
}

// skipSpace passes over white space and comments; ok is false after a fault.
func (l *lexer) skipSpace() (ok bool) {
	for l.at < len(l.data) {
		rest := l.data[l.at:]
		switch {
		case rest[0] == '\n':
			l.at++
			l.line++
			l.lineStart = l.at
		case strings.IndexByte(" \t\r\v\f", rest[0]) >= 0:
			l.at++
		case strings.HasPrefix(rest, "//"):
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				l.at += end
			} else {
				l.at = len(l.data)
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				l.faults.Add(l.pos(), "add */", "the comment does not end")
				l.fail()
				return false
			}
			comment := rest[:2+end+2]
			if n := strings.Count(comment, "\n"); n > 0 {
				l.line += n
				l.lineStart = l.at + strings.LastIndexByte(comment, '\n') + 1
			}
			l.at += len(comment)
		default:
			return true
		}
	}
	return true
}

func (l *lexer) skip(in func(byte) bool) {
	for l.at < len(l.data) && in(l.data[l.at]) {
		l.at++
	}
}

// fail ends the file: what follows a fault would only be misread.
func (l *lexer) fail() token {
	l.at = len(l.data)
	return l.end()
}

func (l *lexer) end() token { return token{endOfFile, "", l.pos()} }

func (l *lexer) digitAt(i int) bool { return i < len(l.data) && isDigit(l.data[i]) }

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// decimal is a number of a file, kept as it was written so that a change of unit costs no rounding.
type decimal struct {
	text  string
	value float64
	pos   stack.Pos
}

// shifted is the number times 10^power, rounded once.
func (d decimal) shifted(power int) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(d.text), "e")
	e := 0
	if exponent != "" {
		// Exponents out of range were refused with the number itself.
		e, _ = strconv.Atoi(exponent)
	}
	v, err := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(e+power), 64)
	if err != nil {
		return d.value * pow10(power)
	}
	return v
}

func pow10(n int) float64 {
	v, _ := strconv.ParseFloat("1e"+strconv.Itoa(n), 64)
	return v
}
