package eda

import (
	"fmt"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// strays are rows of watts for names that the placement does not know.
type strays struct {
	file  string
	names *names
	watts []float64
	lines []int32
}

func (s *strays) pos(i int) stack.Pos { return stack.Pos{File: s.file, Line: int(s.lines[i])} }

// checkStrays looks for watts without a place and for instances without watts.
func (m *reading) checkStrays(q Request, r *Result) {
	if m.cells == nil || m.faults.Len() > 0 {
		return
	}
	m.checkModules()
	r.Instances = len(m.cells.list)
	var away sum
	firstSilent, firstAway, firstNegative := -1, -1, -1
	unplaced := 0
	for i := range m.cells.list {
		in := &m.cells.list[i]
		switch {
		case in.row == 0:
			if r.Silent++; firstSilent < 0 {
				firstSilent = i
			}
		case !in.placed && in.watts != 0:
			if unplaced++; firstAway < 0 {
				firstAway = i
			}
			away.add(in.watts)
		}
		if in.watts < 0 {
			if r.Negative++; firstNegative < 0 {
				firstNegative = i
			}
		}
	}
	unknown, firstUnknown, idle := 0, -1, 0
	for i, w := range m.strays.watts {
		if w == 0 {
			idle++
			continue
		}
		if unknown++; firstUnknown < 0 {
			firstUnknown = i
		}
		if w < 0 {
			r.Negative++
		}
		away.add(w)
	}
	r.Strays, r.StrayW = unplaced+unknown, away.value()
	switch {
	case r.Strays == 0:
	case q.Spread:
		m.note(importer.Adapted, m.placeOfStray(firstUnknown, firstAway), "%.6g W of %s have no place (%d not in %s "+
			"at all) and are spread evenly over the die",
			r.StrayW, plural(r.Strays, "instance"), unknown, m.cells.file)
	default:
		m.strayFault(firstUnknown, firstAway, unknown, unplaced, r.StrayW)
	}
	if idle > 0 {
		m.note(importer.Warning, stack.Pos{File: m.strays.file}, "not in %s: %s, of 0 W", m.cells.file,
			plural(idle, "instance"))
	}
	if r.Silent > 0 {
		m.note(importer.Adapted, m.cells.pos(&m.cells.list[firstSilent]), "no watts for %d of %s, counted as 0 W; "+
			"the first is %q",
			r.Silent, plural(r.Instances, "instance"), stack.Shorten(string(m.cells.names.at(int32(firstSilent)))))
	}
	if firstNegative >= 0 {
		m.note(importer.Warning, m.cells.pos(&m.cells.list[firstNegative]), "less than 0 W: %s; this is the first. "+
			"The watts are subtracted from the tiles",
			plural(r.Negative, "instance"))
	}
}

// placeOfStray is where a stray is told of: in the report if it is unknown, otherwise where it was left unplaced.
func (m *reading) placeOfStray(unknown, unplaced int) stack.Pos {
	if unknown >= 0 {
		return m.strays.pos(unknown)
	}
	return m.cells.pos(&m.cells.list[unplaced])
}

// strayFault tells of watts without a place.
func (m *reading) strayFault(firstUnknown, firstAway, unknown, unplaced int, watts float64) {
	var parts []string
	if unknown > 0 {
		parts = append(parts, fmt.Sprintf("%s of the report not in %s (the first is %q)", plural(unknown, "instance"),
			m.cells.file,
			stack.Shorten(string(m.strays.names.at(int32(firstUnknown))))))
	}
	if unplaced > 0 {
		parts = append(parts, fmt.Sprintf("%s not placed (the first is %q on line %d of %s)",
			plural(unplaced, "instance"),
			stack.Shorten(string(m.cells.names.at(int32(firstAway)))), m.cells.list[firstAway].line, m.cells.file))
	}
	m.faults.Add(m.placeOfStray(firstUnknown, firstAway), "give the placement that belongs to the report, or let "+
		"--unplaced=spread spread them evenly over the die",
		"%.6g W have no place: %s", watts, strings.Join(parts, ", "))
}

// checkModules finds names in the report that stand for a level of the hierarchy whose cells have rows too: their watts
// would count twice.
func (m *reading) checkModules() {
	if m.strays.names.len() == 0 {
		return
	}
	told := map[int32]bool{}
	look := func(name []byte) {
		for i := 0; i < len(name); i++ {
			if name[i] == '\\' {
				i++
				continue
			}
			if name[i] != '/' {
				continue
			}
			if n := m.strays.names.find(name[:i]); n >= 0 && !told[n] {
				told[n] = true
				m.faults.Add(m.strays.pos(int(n)), "report leaf cells alone", "%q is a module: the report has %q "+
					"within it too, and its watts would count twice",
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
