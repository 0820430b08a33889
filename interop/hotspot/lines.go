package hotspot

import (
	"iter"
	"unicode/utf8"

	"thermsim/internal/inputfile"
	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// word is a word of a line and its position.
type word = stackfile.Word

// lines splits a file into lines of words. Comments extend from # to the end of the line; lines without words are
// omitted.
func lines(c *importer.Collector, file string, data []byte) iter.Seq[[]word] {
	return stackfile.Words(file, toUTF8(data), &c.Faults.FaultList)
}

// toUTF8 converts a text from Latin-1 if it is not UTF-8.
func toUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return []byte(string(r))
}

// number reads a word as C does, "1." and ".5" included, but no hexadecimal ones.
func number(w word, what string, faults *importer.Faults) (float64, bool) {
	v, err := inputfile.Number(w.Text)
	if err != nil {
		faults.Add(w.Pos, "", "%s must be a number, got %q", what, stack.Shorten(w.Text))
		return 0, false
	}
	return v, true
}

// positive reads a number above 0.
func positive(w word, what string, faults *importer.Faults) (float64, bool) {
	v, ok := number(w, what, faults)
	if ok && v <= 0 {
		faults.Add(w.Pos, "", "%s must be positive, got %s", what, stack.Shorten(w.Text))
		return 0, false
	}
	return v, ok
}
