package stackfile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/units"
)

// measured reads the table of measured temperatures.
func (l *loader) measured(t *table) {
	m := t.sub("measured")
	if m == nil {
		return
	}
	m.into(&l.stack.Measured)
	if len(m.given("file", "value")) == 0 {
		l.fail(m.node.Pos, `add file = "measured.csv"`, `measured data needs either file or value`)
	}
	for _, v := range m.tables("value") {
		value := stack.MeasuredValue{Time: math.NaN(), Kelvin: v.scalar("temperature")}
		if v.has("time") {
			value.Time = v.scalar("time")
		}
		name := v.text("probe")
		if value.Probe = probeIndex(l.stack, name); value.Probe < 0 && name != "" {
			l.noName(v.pos("probe"), l.suggest(name, l.probeNames), "probe", name)
		}
		l.stack.Measured.Values = append(l.stack.Measured.Values, value)
	}
	if len(l.faults.Found) > 0 {
		return // a layer or a probe may be missing because of them
	}
	if n, _ := m.get("file"); n != nil {
		m.text("file")
		if path, data, ok := l.input(n, "file"); ok {
			if err := ReadMeasured(l.stack, path, data); err != nil {
				l.addAll(err)
			}
		}
	}
}

func (l *loader) probeNames() []string { return probeNames(l.stack) }

func probeNames(s *stack.Stack) []string {
	return each(s.Probes, func(p stack.Probe) string { return p.Name })
}

// probeIndex is the number of a probe, -1 if the stack has none of that name.
func probeIndex(s *stack.Stack, name string) int {
	return slices.IndexFunc(s.Probes, func(p stack.Probe) bool { return p.Name == name })
}

// LoadMeasured reads a file of measured temperatures, in place of those that the stack has. Places that it gives by
// coordinates become probes. The error is an [stack.ErrorList], or an *[stack.Error] if the file cannot be read.
func LoadMeasured(open Opener, s *stack.Stack, path string) error {
	data, err := open(path)
	if err != nil {
		return &stack.Error{Pos: stack.Pos{File: path}, Msg: "cannot read the measured temperatures: " + reason(err),
			Err: err}
	}
	s.Inputs = append(s.Inputs, stack.Input{Path: path, SHA256: digest(data)})
	s.Measured.Values = nil
	if err := ReadMeasured(s, path, data); err != nil {
		return err
	}
	return stack.ValidateProbes(s)
}

// ReadMeasured reads a CSV file of measured temperatures into a stack whose layers and probes are complete. Each row is
// a place, an optional time and a temperature, in columns that the header names, with units: "probe", or "x [mm]",
// "y [mm]" and either "layer" or "z [mm]"; "time [s]"; "temperature [degC]". The error is an [stack.ErrorList].
func ReadMeasured(s *stack.Stack, path string, data []byte) error {
	r := &measuredReader{fileReader: &fileReader{file: path}, stack: s, middles: middlesOf(s)}
	r.records(data, func(line int, fields []field) bool {
		if r.columns == nil {
			return r.header(line, fields)
		}
		r.row(line, fields)
		return len(r.faults.Found) < faults.Most
	})
	if len(s.Measured.Values) == 0 && len(r.faults.Found) == 0 {
		r.fail(1, 1, "write a header and rows such as: probe,temperature [degC]", "the file has no measured values")
	}
	return r.err()
}

// measuredColumn is a column of measured data: its index, -1 if missing, and its unit.
type measuredColumn struct {
	at   int
	unit string
}

type measuredReader struct {
	*fileReader
	stack   *stack.Stack
	middles map[string]float64 // of the layers
	columns map[string]measuredColumn
	line    int
	fields  []field
	missing []string // names that were reported
}

// measuredQuantities are the columns, with the quantities of those that have a unit.
var measuredQuantities = map[string]*units.Quantity{"probe": nil, "layer": nil, "x": &units.Length, "y": &units.Length,
	"z": &units.Length, "time": &units.Time, "temperature": &units.Temperature}

// header reads the names and units of the columns, as in "x [mm]" or "x_mm".
func (r *measuredReader) header(line int, fields []field) bool {
	r.columns = map[string]measuredColumn{}
	for i, f := range fields {
		name, unit := f.text, ""
		if at := strings.IndexAny(f.text, "[(_"); at >= 0 {
			name, unit = f.text[:at], strings.Trim(f.text[at+1:], " ])")
		}
		name = strings.ToLower(strings.TrimSpace(name))
		q, known := measuredQuantities[name]
		_, twice := r.columns[name]
		switch {
		case !known:
			r.fail(line, f.col, "use the columns probe, x, y, layer, z, time and temperature",
				"unknown column %q in measured data", faults.Shorten(f.text))
		case twice:
			r.fail(line, f.col, "remove one of them", "column %q is listed twice", name)
		case q == nil && unit != "":
			r.fail(line, f.col, "write "+name, "column %q has no unit", name)
		case q != nil && unit == "" && q != &units.Time:
			_, example, _ := strings.Cut(q.Example, " ")
			r.fail(line, f.col, fmt.Sprintf("write \"%s [%s]\"", name, strings.Replace(example, "um", "mm", 1)),
				"column %q lacks its unit", name)
		case q != nil && unit != "":
			if _, err := q.Parse("300 " + unit); err != nil {
				r.fail(line, f.col, "", "column %q: %v", name, err)
			}
		}
		r.columns[name] = measuredColumn{i, unit}
	}
	if len(r.faults.Found) > 0 {
		return false
	}
	has := func(name string) bool { _, ok := r.columns[name]; return ok }
	if !has("temperature") || !has("probe") && !(has("x") && has("y") && (has("layer") || has("z"))) {
		r.fail(line, fields[0].col, "name the columns temperature, and probe or x, y and layer or z",
			"measured data lacks the temperature or the place")
	}
	return len(r.faults.Found) == 0
}

// field is that of a column in the current row; its text is empty if it is missing.
func (r *measuredReader) field(name string) field {
	c, ok := r.columns[name]
	if !ok || c.at >= len(r.fields) {
		return field{col: 1}
	}
	return r.fields[c.at]
}

// value reads a quantity of the current row.
func (r *measuredReader) value(name string) (x float64, ok bool) {
	f := r.field(name)
	if _, ok := r.number(r.line, f, name); !ok {
		return 0, false
	}
	x, err := measuredQuantities[name].Parse(strings.TrimSpace(f.text + " " + r.columns[name].unit))
	if err != nil {
		r.fail(r.line, f.col, "", "%s: %v", name, err)
	}
	return x, err == nil
}

func (r *measuredReader) row(line int, fields []field) {
	r.line, r.fields = line, fields
	if len(fields) > len(r.columns) {
		r.fail(line, fields[len(r.columns)].col, decimalCommas, "row has %d values, the header %d", len(fields),
			len(r.columns))
		return
	}
	v := stack.MeasuredValue{Time: math.NaN()}
	ok := true
	if v.Kelvin, ok = r.value("temperature"); !ok {
		return
	}
	if !(v.Kelvin > 0) {
		r.fail(line, r.field("temperature").col, "", "a temperature must be above absolute zero, got %s %s",
			faults.Shorten(r.field("temperature").text), r.columns["temperature"].unit)
		return
	}
	if r.field("time").text != "" {
		if v.Time, ok = r.value("time"); !ok {
			return
		}
		if v.Time < 0 {
			r.fail(line, r.field("time").col, "", "a time must not be negative, got %s",
				faults.Shorten(r.field("time").text))
			return
		}
	}
	if v.Probe, ok = r.place(); ok {
		r.stack.Measured.Values = append(r.stack.Measured.Values, v)
	}
}

// place is the number of the probe of the current row; coordinates make one.
func (r *measuredReader) place() (probe int, ok bool) {
	name := r.field("probe")
	if r.field("x").text == "" && r.field("y").text == "" {
		probe = probeIndex(r.stack, name.text)
		if probe < 0 {
			r.unknown(name, "probe", probeNames(r.stack))
		}
		return probe, probe >= 0
	}
	p := stack.Probe{Name: name.text, Pos: stack.Pos{File: r.file, Line: r.line, Col: r.fields[0].col}}
	if p.X, ok = r.value("x"); !ok {
		return 0, false
	}
	if p.Y, ok = r.value("y"); !ok {
		return 0, false
	}
	if p.Z, ok = r.height(); !ok {
		return 0, false
	}
	same := func(q stack.Probe) bool {
		return q.X == p.X && q.Y == p.Y && q.Z == p.Z && (p.Name == "" || p.Name == q.Name)
	}
	if probe = slices.IndexFunc(r.stack.Probes, same); probe >= 0 {
		return probe, true
	}
	for n := 1; p.Name == ""; n++ {
		if next := fmt.Sprintf("measured_%d", n); probeIndex(r.stack, next) < 0 {
			p.Name = next
		}
	}
	if other := probeIndex(r.stack, p.Name); other >= 0 {
		r.fail(r.line, name.col, "omit the coordinates, or choose another name",
			"probe %q has other coordinates elsewhere", faults.Shorten(p.Name))
		return 0, false
	}
	r.stack.Probes = append(r.stack.Probes, p)
	return len(r.stack.Probes) - 1, true
}

// height of the current row: that of its column z, or of the middle of its layer.
func (r *measuredReader) height() (z float64, ok bool) {
	layer := r.field("layer")
	if layer.text == "" {
		return r.value("z")
	}
	if r.field("z").text != "" {
		r.fail(r.line, layer.col, "remove one of them", "the row has both layer and z")
		return 0, false
	}
	if z, ok = r.middles[layer.text]; !ok {
		names := each(r.stack.Layers, func(y stack.Layer) string { return y.Name })
		r.unknown(layer, "layer", names)
	}
	return z, ok
}

// unknown reports a name that the stack does not have, once.
func (r *measuredReader) unknown(name field, what string, known []string) {
	if key := what + " " + name.text; !slices.Contains(r.missing, key) {
		r.missing = append(r.missing, key)
		r.fail(r.line, name.col, faults.DidYouMean(name.text, known), "no %s is called %q", what,
			faults.Shorten(name.text))
	}
}
