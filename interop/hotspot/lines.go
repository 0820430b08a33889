package hotspot

import (
	"bytes"
	"iter"
	"unicode"
	"unicode/utf8"

	"thermsim/internal/inputfile"
	"thermsim/interop/importer"
	"thermsim/stack"
)

// word is a piece of a line with its place.
type word struct {
	text string
	pos  stack.Pos
}

// maxLine is the longest line that HotSpot reads.
const maxLine = 65536

// lines splits a file into lines of words, counted from 0. Comments go from # to the end of the line; lines without
// words are left out, Windows' line ends and a byte order mark are as nothing.
func lines(file string, data []byte, faults *importer.Faults) iter.Seq2[int, []word] {
	return func(yield func(int, []word) bool) {
		data := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
		for n, told := 1, 0; len(data) > 0; n++ {
			line := data
			if i := bytes.IndexByte(data, '\n'); i >= 0 {
				line, data = data[:i], data[i+1:]
			} else {
				data = nil
			}
			if i := bytes.IndexByte(line, 0); i >= 0 {
				noText(stack.Pos{File: file, Line: n, Col: i + 1}, 0, faults)
				return
			}
			if len(line) > maxLine {
				faults.Add(stack.Pos{File: file, Line: n, Col: maxLine + 1}, "", "the line is longer than the %d "+
					"characters that HotSpot reads", maxLine)
				return
			}
			if i := bytes.IndexByte(line, '#'); i >= 0 {
				line = line[:i]
			}
			if i := bytes.IndexFunc(line, control); i >= 0 {
				c, _ := utf8.DecodeRune(line[i:])
				noText(stack.Pos{File: file, Line: n, Col: i + 1}, c, faults)
				return
			}
			if words := split(file, n, line); len(words) > 0 {
				if !yield(told, words) {
					return
				}
				told++
			}
		}
	}
}

// control tells characters that no text has.
func control(c rune) bool { return unicode.IsControl(c) && !unicode.IsSpace(c) }

func noText(pos stack.Pos, c rune, faults *importer.Faults) {
	faults.Add(pos, "save the file as plain text", "not a text file: it contains the control character %U", c)
}

func split(file string, n int, line []byte) (words []word) {
	space := func(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\v' || b == '\f' }
	for i := 0; i < len(line); {
		if space(line[i]) {
			i++
			continue
		}
		from := i
		for i < len(line) && !space(line[i]) {
			i++
		}
		words = append(words, word{printable(line[from:i]), stack.Pos{File: file, Line: n, Col: from + 1}})
	}
	return words
}

// printable reads Latin-1 where the bytes are no UTF-8.
func printable(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// number reads a word as C does, "1." and ".5" included, but no hexadecimal ones.
func number(w word, what string, faults *importer.Faults) (float64, bool) {
	v, err := inputfile.Number(w.text)
	if err != nil {
		faults.Add(w.pos, "", "%s must be a number, got %q", what, importer.Shorten(w.text))
		return 0, false
	}
	return v, true
}

// positive reads a number above 0.
func positive(w word, what string, faults *importer.Faults) (float64, bool) {
	v, ok := number(w, what, faults)
	if ok && v <= 0 {
		faults.Add(w.pos, "", "%s must be positive, got %s", what, importer.Shorten(w.text))
		return 0, false
	}
	return v, ok
}
