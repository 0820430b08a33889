package stack

import (
	"bytes"
	"sort"
)

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
func offsetPos(file string, starts []int, offset int) Pos {
	line := sort.SearchInts(starts, offset+1)
	return Pos{file, line, offset - starts[line-1] + 1}
}
