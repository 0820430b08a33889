package importer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"thermsim/stack"
)

// Collector gathers what an importer finds while it reads a project.
type Collector struct {
	Request    Request
	Faults     Faults
	Notes      []Note
	Deviations []Deviation
}

// Note remarks on a line of the project.
func (c *Collector) Note(kind NoteKind, pos stack.Pos, format string, args ...any) {
	c.Notes = append(c.Notes, Note{Kind: kind, Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// Emulates notes a deviation that makes a difference to this project, and tells whether to emulate it.
func (c *Collector) Emulates(d Deviation) bool {
	d.Emulated = c.Request.Emulates(d.Name)
	if !slices.ContainsFunc(c.Deviations, func(o Deviation) bool { return o.Name == d.Name }) {
		c.Deviations = append(c.Deviations, d)
	}
	return d.Emulated
}

// Record notes in s that a file was read for it.
func Record(s *stack.Stack, path string, data []byte) {
	sum := sha256.Sum256(data)
	in := stack.Input{Path: path, SHA256: hex.EncodeToString(sum[:])}
	if !slices.Contains(s.Inputs, in) {
		s.Inputs = append(s.Inputs, in)
	}
}

// FirstOverlap finds two rectangles that share more than a millionth of the smaller side: rounding. a comes before b.
func FirstOverlap(rects []stack.Rect) (a, b int, found bool) {
	order := make([]int, len(rects))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rects[i].X, rects[j].X) })
	for n, i := range order {
		r := &rects[i]
		slack := 1e-6 * min(r.Width, r.Height)
		for _, j := range order[n+1:] {
			q := &rects[j]
			if q.X >= r.X+r.Width-slack {
				break
			}
			if q.Y < r.Y+r.Height-slack && r.Y < q.Y+q.Height-slack {
				return min(i, j), max(i, j), true
			}
		}
	}
	return 0, 0, false
}
