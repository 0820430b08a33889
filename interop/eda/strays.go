package eda

import (
	"cmp"
	"fmt"
	"strings"

	"thermsim/interop/importer"
	"thermsim/powermap"
	"thermsim/stack"
)

// strays are rows of power for names that the placement does not have.
type strays struct {
	file  string
	names *names
	watts []float64
	lines []int32
}

func (s *strays) pos(i int) stack.Pos { return stack.Pos{File: s.file, Line: int(s.lines[i])} }

// tally counts items and keeps the index of the first.
type tally struct{ n, first int }

func (t *tally) add(i int) {
	if t.n++; t.n == 1 {
		t.first = i
	}
}

// checkStrays looks for power without a location and for instances without power.
func (m *reading) checkStrays(q Request, r *Result) {
	if m.cells == nil || m.Faults.Len() > 0 {
		return
	}
	m.checkModules()
	r.Instances = len(m.cells.list)
	var away powermap.Sum
	var silent, negative, unplaced, unknown tally
	for i := range m.cells.list {
		in := &m.cells.list[i]
		if in.row == 0 {
			silent.add(i)
		} else if !in.placed && in.watts != 0 {
			unplaced.add(i)
			away.Add(in.watts)
		}
		if in.watts < 0 {
			negative.add(i)
		}
	}
	r.Silent, r.Negative = silent.n, negative.n
	for i, w := range m.strays.watts {
		if w != 0 {
			unknown.add(i)
			away.Add(w)
		}
		if w < 0 {
			r.Negative++
		}
	}
	r.Strays, r.StrayW = unplaced.n+unknown.n, away.Value()
	if r.Strays > 0 {
		m.reportStrays(q, r, unknown, unplaced)
	}
	if idle := len(m.strays.watts) - unknown.n; idle > 0 {
		m.Note(importer.Warning, stack.Pos{File: m.strays.file}, "not in %s: %s, of 0 W", m.cells.file,
			importer.Plural(idle, "instance"))
	}
	if silent.n > 0 {
		m.Note(importer.Adapted, m.cells.pos(silent.first), "no power for %d of %s, counted as 0 W; the first is %q",
			silent.n, importer.Plural(r.Instances, "instance"), m.cells.shown(silent.first))
	}
	if negative.n > 0 {
		m.Note(importer.Warning, m.cells.pos(negative.first), "less than 0 W: %s; this is the first. The power is "+
			"subtracted from the tiles", importer.Plural(r.Negative, "instance"))
	}
}

// reportStrays reports power without a location: a fault, unless it is spread over the die.
func (m *reading) reportStrays(q Request, r *Result, unknown, unplaced tally) {
	var at stack.Pos
	var parts []string
	if unknown.n > 0 {
		at = m.strays.pos(unknown.first)
		parts = append(parts, fmt.Sprintf("%s of the report not in %s (the first is %q)",
			importer.Plural(unknown.n, "instance"), m.cells.file,
			stack.Shorten(string(m.strays.names.at(int32(unknown.first))))))
	}
	if unplaced.n > 0 {
		first := m.cells.pos(unplaced.first)
		at = cmp.Or(at, first)
		parts = append(parts, fmt.Sprintf("%s not placed (the first is %q on line %d of %s)",
			importer.Plural(unplaced.n, "instance"), m.cells.shown(unplaced.first), first.Line, first.File))
	}
	if q.Spread {
		m.Note(importer.Adapted, at, "%.6g W of %s have no location (%d not in %s at all) and are spread evenly over "+
			"the die", r.StrayW, importer.Plural(r.Strays, "instance"), unknown.n, m.cells.file)
		return
	}
	m.Faults.Add(at, "give the placement that belongs to the report, or spread this power evenly over the die with "+
		"--unplaced=spread", "%.6g W have no location: %s", r.StrayW, strings.Join(parts, ", "))
}

// checkModules finds names in the report that are a level of the hierarchy whose cells have rows too: their power would
// count twice.
func (m *reading) checkModules() {
	if m.strays.names.len() == 0 {
		return
	}
	reported := map[int32]bool{}
	look := func(name []byte) {
		for i := 0; i < len(name); i++ {
			if name[i] == '\\' {
				i++
				continue
			}
			if name[i] != '/' {
				continue
			}
			if n := m.strays.names.find(name[:i]); n >= 0 && !reported[n] {
				reported[n] = true
				m.Faults.Add(m.strays.pos(int(n)), "report leaf cells only", "%q is a module: the report has %q "+
					"within it too, and its power would count twice",
					stack.Shorten(string(name[:i])), stack.Shorten(string(name)))
			}
		}
	}
	for i := range m.cells.list {
		if m.cells.list[i].row > 0 {
			look(m.cells.names.at(int32(i)))
		}
	}
	for i := range m.strays.watts {
		look(m.strays.names.at(int32(i)))
	}
}
