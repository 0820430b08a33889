package tables

import (
	"strings"

	"thermsim/report/quantity"
)

// In returns the table with temperatures in another unit, in its file and in terminals; nil returns it unchanged.
func (t *Table) In(s *quantity.Scale) *Table {
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

// in replaces the unit at the end of a heading.
func in(heading, unit, by string) string {
	if rest, ok := strings.CutSuffix(heading, unit); ok {
		return rest + by
	}
	return heading
}
