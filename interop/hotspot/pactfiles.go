package hotspot

import (
	"strconv"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// settings is a file of sections with keys and values, as Python's configparser reads it.
type settings struct {
	file     string
	sections map[string]map[string]word
}

// mostSettings bounds the entries of a file.
const mostSettings = 10_000

// parseSettings reads "[section]" and "key = value"; keys are in lower case, and comments begin with # or ;.
func parseSettings(c *importer.Collector, file string, data []byte) *settings {
	s := &settings{file: file, sections: map[string]map[string]word{}}
	var section map[string]word
	entries := 0
	for i, text := range strings.Split(string(toUTF8(data)), "\n") {
		line := strings.TrimSpace(text)
		pos := stack.Pos{File: file, Line: i + 1, Col: 1}
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if entries++; entries > mostSettings {
			c.Faults.Add(pos, "", "more than %d entries", mostSettings)
			break
		}
		if line[0] == '[' && line[len(line)-1] == ']' {
			name := line[1 : len(line)-1]
			if s.sections[name] != nil {
				c.Faults.Add(pos, "", "section %q is given twice", stack.Shorten(name))
			}
			section = map[string]word{}
			s.sections[name] = section
			continue
		}
		end := strings.IndexAny(line, "=:")
		if end <= 0 || section == nil {
			c.Faults.Add(pos, "write [section], then key = value", "%q is neither a section nor an entry of one",
				stack.Shorten(line))
			continue
		}
		key := strings.ToLower(strings.TrimSpace(line[:end]))
		if _, twice := section[key]; twice {
			c.Faults.Add(pos, "", "entry %q is given twice", stack.Shorten(key))
		}
		section[key] = word{Text: strings.TrimSpace(line[end+1:]), Pos: pos}
	}
	return s
}

// entry of a section, or of the section DEFAULT.
func (s *settings) entry(section, key string) (w word, ok bool) {
	if w, ok = s.sections[section][key]; !ok && s.sections[section] != nil {
		w, ok = s.sections["DEFAULT"][key]
	}
	return w, ok
}

// durations are the units of SPICE that PACT's times have.
var durations = map[string]float64{"": 1, "s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12}

// duration reads a time as "333us".
func duration(w word, what string, faults *importer.Faults) (seconds float64, ok bool) {
	number := strings.TrimRight(w.Text, "abcdefghijklmnopqrstuvwxyz ")
	unit, known := durations[strings.TrimSpace(w.Text[len(number):])]
	v, err := inputfile.Number(number)
	if err != nil || !known || !(v > 0) {
		faults.Add(w.Pos, "", "%s: got %q; expected a positive time such as 333us", what, stack.Shorten(w.Text))
		return 0, false
	}
	return v * unit, true
}

// kelvin reads a temperature as "318.15 K" or "45 C".
func kelvin(w word, what string, faults *importer.Faults) (float64, bool) {
	number, unit, _ := strings.Cut(w.Text, " ")
	v, err := inputfile.Number(number)
	switch unit = strings.TrimSpace(unit); {
	case err != nil || unit == "":
	case unit == "K" || unit == "Kelvin":
		return v, v > 0
	case unit == "C" || unit == "Celsius":
		return v + 273.15, true
	}
	faults.Add(w.Pos, "", "%s: got %q; expected a temperature such as 318.15 K", what, stack.Shorten(w.Text))
	return 0, false
}

// parsePACTPlan reads a floorplan: UnitName, X, Y, Length along x and Width along y in m, and the Label of a material.
func parsePACTPlan(c *importer.Collector, file string, data []byte) (units []unit, labels []word) {
	s := importer.ReadSheet(&c.Faults, file, toUTF8(data), "UnitName", "X", "Y", "Length (m)", "Width (m)", "Label")
	names := map[string]int{}
	for _, row := range s.Rows {
		name := s.At(row, "UnitName")
		u := unit{name: name.Text, pos: name.Pos}
		what := " of block " + stack.Shorten(u.name)
		u.x, _ = number(s.At(row, "X"), "X"+what, &c.Faults)
		u.y, _ = number(s.At(row, "Y"), "Y"+what, &c.Faults)
		u.width, _ = positive(s.At(row, "Length (m)"), "the length"+what, &c.Faults)
		u.height, _ = positive(s.At(row, "Width (m)"), "the width"+what, &c.Faults)
		if first, twice := names[u.name]; twice || u.name == "" {
			c.Faults.Add(u.pos, "give each block its own name", "block %q is given twice, or has no name, as in row %d",
				stack.Shorten(u.name), first+1)
		}
		if w := s.At(row, "ConfigFile"); w.Text != "" {
			c.Note(importer.NotCarried, w.Pos, "ConfigFile: PACT takes materials from the configuration alone")
		}
		names[u.name] = len(units)
		units, labels = append(units, u), append(labels, s.At(row, "Label"))
	}
	if len(units) == 0 && c.Faults.Len() == 0 {
		c.Faults.Add(stack.Pos{File: file, Line: 1, Col: 1}, "", "the floorplan has no blocks")
	}
	if c.Faults.Len() > 0 {
		return nil, nil
	}
	toOrigin(units)
	return units, labels
}

// parsePACTPower reads powers: a row for each block, its name and then watts, a column for each interval.
func parsePACTPower(c *importer.Collector, file string, data []byte) *stackfile.PowerTable {
	s := importer.ReadSheet(&c.Faults, file, toUTF8(data), "UnitName")
	t := &stackfile.PowerTable{File: file}
	for _, row := range s.Rows {
		name := s.At(row, "UnitName")
		t.Names, t.Pos = append(t.Names, name.Text), append(t.Pos, name.Pos)
		n := 0
		for _, w := range row {
			if w == name {
				continue
			}
			v, ok := number(w, "the power of block "+stack.Shorten(name.Text), &c.Faults)
			if ok && v < 0 {
				c.Faults.Add(w.Pos, "", "the power of block %s must not be negative, got %s", stack.Shorten(name.Text),
					strconv.Quote(stack.Shorten(w.Text)))
			}
			if n == len(t.Rows) {
				t.Rows = append(t.Rows, nil)
			}
			t.Rows[n] = append(t.Rows[n], v)
			n++
		}
	}
	if len(t.Rows) == 0 && c.Faults.Len() == 0 {
		c.Faults.Add(stack.Pos{File: file, Line: 1, Col: 1}, "", "the file has no powers")
	}
	return t
}
