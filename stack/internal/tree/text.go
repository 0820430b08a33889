package tree

import (
	"bytes"
	"sort"

	"thermsim/stack/internal/faults"
)

// A tree takes a few hundred bytes for each value, and the parser as much again while it is at it, so that a small file
// of many would fill the memory before anything is known of it. A million blocks, as stacks are printed and saved, have
// a value for each bytesPerValue; no table of the formats has maxKeys.
const (
	maxValues     = 1_000_000
	bytesPerValue = 12
	maxKeys       = 200_000
)

// maxValuesOf is how many values a file may have.
func maxValuesOf(data []byte) int { return maxValues + len(data)/bytesPerValue }

// excess looks for more values than allowed, before the parser allocates memory for each. It counts the separators of
// values: commas, equals signs, and the dots of keys beyond the first, which a number has too. It returns the
// offset at which there are too many, negative if there never are. What is not valid TOML is left to the parser.
func excess(data []byte, most int) int {
	if len(data) <= most {
		return -1
	}
	values, dots := 0, 0
	for at := 0; at < len(data); at++ {
		switch data[at] {
		case '#':
			n := bytes.IndexByte(data[at:], '\n')
			if n < 0 {
				return -1
			}
			at += n
			dots = 0
		case '"', '\'':
			at += quoted(data[at:]) - 1
		case '.':
			if dots++; dots > 1 {
				values++
			}
		case ',', '=':
			values++
			dots = 0
		case '\n', '[', ']', '{', '}':
			dots = 0
		}
		if values > most {
			return at
		}
	}
	return -1
}

// quoted is the length of the string that data begins with, all of data if it has no end.
func quoted(data []byte) int {
	quote := data[:1]
	if len(data) > 2 && data[1] == data[0] && data[2] == data[0] {
		quote = data[:3]
	}
	for at := len(quote); at < len(data); at++ {
		switch {
		case data[at] == '\\' && quote[0] == '"':
			at++
		case data[at] == '\n' && len(quote) == 1:
			return at
		case bytes.HasPrefix(data[at:], quote):
			return at + len(quote)
		}
	}
	return len(data)
}

// lineStarts lists the offsets at which lines begin.
func lineStarts(data []byte) []int {
	starts := []int{0}
	for at := 0; ; {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return starts
		}
		at += i + 1
		starts = append(starts, at)
	}
}

// offsetPos converts an offset to a line and a column in bytes, both from 1, as compilers count them.
func offsetPos(file string, starts []int, offset int) faults.Pos {
	line := sort.SearchInts(starts, offset+1)
	return faults.Pos{File: file, Line: line, Col: offset - starts[line-1] + 1}
}
