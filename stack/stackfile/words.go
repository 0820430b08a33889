package stackfile

import (
	"iter"

	"thermsim/stack"
)

// Word is a word of a line of an input file, with its position.
type Word struct {
	Text string
	Pos  stack.Pos
}

// Words yields the white-space separated words of each line that has any; # starts a comment. It ends at a fault: a
// control character.
func Words(file string, data []byte, faults *stack.FaultList) iter.Seq[[]Word] {
	return func(yield func([]Word) bool) {
		r := &fileReader{file: file}
		r.words(data, func(line int, fields []field) bool {
			words := make([]Word, len(fields))
			for i, f := range fields {
				words[i] = Word{f.text, stack.Pos{File: file, Line: line, Col: f.col}}
			}
			return yield(words)
		})
		for _, e := range r.faults.Found {
			faults.Add(e)
		}
	}
}
