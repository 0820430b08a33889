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
		return strconv.Quote(stack.Shorten(t.text))
	}
	return fmt.Sprintf("%q", stack.Shorten(t.text))
}

// lexer splits a file into tokens as 3D-ICE's scanners do: white space and comments, // and /* */, separate; words,
// numbers and points may follow each other without space. Those scanners ignore characters of no token and the point of
// ".5"; both are errors here.
type lexer struct {
	*importer.Collector
	file      string
	data      string
	at        int
	line      int
	lineStart int
}

func (l *lexer) pos() stack.Pos {
	return stack.Pos{File: l.file, Line: l.line, Col: l.at - l.lineStart + 1}
}

// next is the next token; after a fault, or at the end, it is endOfFile.
func (l *lexer) next() token {
	if !l.skipSpace() || l.at >= len(l.data) {
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
			return l.fail(pos, "write 0 before the point; 3D-ICE refuses such a number or reads it without its point",
				"a number cannot begin with a point")
		}
		l.at++
		return token{punct, ".", pos}
	default:
		return l.fail(pos, "remove it; 3D-ICE ignores such characters silently", "%s is not part of this format",
			describeByte(l.data[l.at:]))
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
			return l.fail(pos, "write a digit after the point; 3D-ICE has no such numbers",
				"a number cannot end in a point: got %s", stack.Shorten(l.data[start:l.at+1]))
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
		return l.fail(pos, `add the closing "`, "the string is not closed on its line")
	}
	text := l.data[l.at+1 : l.at+1+length]
	l.at += length + 2
	return token{path, text, pos}
}

// skipSpace skips white space and comments; ok is false after a fault.
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
			l.skip(func(c byte) bool { return c != '\n' })
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				l.fail(l.pos(), "add */", "the comment does not end")
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

// fail reports a fault and ends the file, because the rest would be misread.
func (l *lexer) fail(pos stack.Pos, remedy, format string, args ...any) token {
	l.Faults.Add(pos, remedy, format, args...)
	l.at = len(l.data)
	return l.end()
}

func (l *lexer) end() token { return token{endOfFile, "", l.pos()} }

func (l *lexer) digitAt(i int) bool { return i < len(l.data) && isDigit(l.data[i]) }

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// decimal is a number of a file with its text, so that a change of unit costs no rounding.
type decimal struct {
	text  string
	value float64
	pos   stack.Pos
}

// shifted is the number times 10^power, rounded once.
func (d decimal) shifted(power int) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(d.text), "e")
	e, _ := strconv.Atoi(exponent) // 0 without one; out of range the number itself was refused
	// Out of range the result is infinite, or 0, and fails the validation of the stack.
	v, _ := strconv.ParseFloat(mantissa+"e"+strconv.Itoa(e+power), 64)
	return v
}
