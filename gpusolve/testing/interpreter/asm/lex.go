package asm

import (
	"fmt"
	"strings"
)

type tokenKind uint8

const (
	tokEOF tokenKind = iota
	tokWord
	tokNumber
	tokString
	tokPunct
)

type token struct {
	kind tokenKind
	text string
	line int
}

func isWordStart(c byte) bool {
	return c == '_' || c == '$' || c == '%' || c == '.' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool { return isWordStart(c) && c != '%' || isDigit(c) }

// lex cuts the text into tokens. Words keep their dots: "ld.global.f32", ".reg", "%tid.x".
func lex(src string) ([]token, error) {
	out := make([]token, 0, len(src)/5+16)
	line := 1
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == 0: // drivers take zero-terminated text
			return append(out, token{tokEOF, "end of file", line}), nil
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(src[i:], "//"):
			for i < len(src) && src[i] != '\n' {
				i++
			}
		case strings.HasPrefix(src[i:], "/*"):
			end := strings.Index(src[i+2:], "*/")
			if end < 0 {
				return nil, fmt.Errorf("ptx line %d: comment without end", line)
			}
			line += strings.Count(src[i:i+2+end], "\n")
			i += end + 4
		case c == '"':
			end := strings.IndexByte(src[i+1:], '"')
			if end < 0 {
				return nil, fmt.Errorf("ptx line %d: string without end", line)
			}
			out = append(out, token{tokString, src[i+1 : i+1+end], line})
			i += end + 2
		case isDigit(c):
			j := i
			for j < len(src) && (isWord(src[j])) {
				j++
			}
			out = append(out, token{tokNumber, src[i:j], line})
			i = j
		case isWordStart(c):
			j := i + 1
			for j < len(src) && isWord(src[j]) {
				j++
			}
			out = append(out, token{tokWord, src[i:j], line})
			i = j
		default:
			if !strings.ContainsRune("{}[]()<>,;:+-!@|=~", rune(c)) {
				return nil, fmt.Errorf("ptx line %d: unexpected character %q", line, c)
			}
			out = append(out, token{tokPunct, string(c), line})
			i++
		}
	}
	return append(out, token{tokEOF, "end of file", line}), nil
}
