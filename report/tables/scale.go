package tables

import (
	"slices"
	"strings"

	"thermsim/report/quantity"
)

// In returns the table in other units, in its file and in terminals; units that are nil remain.
func (t *Table) In(u quantity.Units) *Table {
	if u.Length != nil {
		t = t.inLengths(u.Length)
	}
	s := u.Scale
	if s == nil {
		return t
	}
	out := *t
	out.Columns = nil
	for _, c := range t.Columns {
		name, isKelvin := strings.CutSuffix(c.CSV, "_K")
		switch value := c.Value; {
		case value == nil || !isKelvin && !c.Unit.temperature && !c.Unit.difference:
		case c.Unit.difference:
			c.Value = func(n int) float64 { return s.Difference(value(n)) }
			c.Text = in(c.Text, "K", s.Differences())
			if isKelvin {
				c.CSV = name + "_" + s.Differences()
			}
		default:
			c.Value = func(n int) float64 { return s.Of(value(n)) }
			c.Unit = Unit{temperature: true, format: quantity.Digits.Kelvin}
			c.Text = in(c.Text, "degC", s.Name)
			if isKelvin {
				c.CSV = name + "_" + s.Name
			}
		}
		out.Columns = append(out.Columns, c)
	}
	return &out
}

// inLengths returns the table with another unit of positions and heights.
func (t *Table) inLengths(l *quantity.LengthUnit) *Table {
	out := *t
	out.Columns = slices.Clone(t.Columns)
	for i := range out.Columns {
		c := &out.Columns[i]
		value := c.Value
		if name, isFile := strings.CutSuffix(c.CSV, "_m"); isFile {
			c.CSV = name + "_" + l.Name
			c.file = func(n int) float64 { return value(n) * l.PerMetre }
		}
		if strings.HasSuffix(c.Text, " mm") && l.Name != "mm" {
			c.Text = in(c.Text, "mm", l.Name)
			c.Unit = Unit{scale: l.PerMetre, location: true, format: fixed(l.PerMetre, 1).format}
		}
	}
	return &out
}

// in replaces the unit at the end of a heading.
func in(heading, unit, by string) string {
	if rest, ok := strings.CutSuffix(heading, unit); ok {
		return rest + by
	}
	return heading
}
