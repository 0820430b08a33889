package webpage

import (
	"strconv"
	"strings"

	"thermsim/report/quantity"
)

// In writes all temperatures of the document and their differences in a unit; nil leaves degrees Celsius.
func (d *Document) In(s *quantity.Scale) {
	if s == nil {
		return
	}
	d.unit = s
	parts := func(list []Part) {
		for i := range list {
			list[i].in(s)
		}
	}
	facts := func(list []Fact) {
		for i := range list {
			parts(list[i].Value)
		}
	}
	parts(d.Lead)
	facts(d.Facts)
	for i := range d.Groups {
		facts(d.Groups[i].Facts)
	}
	for n := range d.Tables {
		for i, c := range d.Tables[n].Columns {
			if name, ok := strings.CutSuffix(c.Name, " K"); ok && c.Difference {
				d.Tables[n].Columns[i].Name = name + " " + s.DifferenceSymbol()
			}
			for _, row := range d.Tables[n].Rows {
				switch {
				case c.Temperature:
					row[i].in(s)
				case c.Difference:
					row[i].differ(s)
				}
			}
		}
	}
}

// in writes a temperature in another unit.
func (p *Part) in(s *quantity.Scale) {
	if kelvin, err := strconv.ParseFloat(p.Kelvin, 64); err == nil && p.Temperature {
		p.Text, p.Symbol = quantity.Fixed(s.Of(kelvin), decimals(p.Text)), s.Symbol()
	}
}

// differ writes a difference of temperatures in another unit.
func (c *Cell) differ(s *quantity.Scale) {
	if kelvin, err := strconv.ParseFloat(c.Sort, 64); err == nil {
		v := s.Difference(kelvin)
		c.Sort, c.Text = strconv.FormatFloat(v, 'g', 12, 64), quantity.Fixed(v, decimals(c.Text))
	}
}

// decimals of a number.
func decimals(text string) int {
	_, fraction, _ := strings.Cut(text, ".")
	return len(fraction)
}

// Symbol is the unit of temperatures.
func (d *Document) Symbol() string { return d.unit.Or("degC").Symbol() }

// UnitLetter is what scripts call the unit: C, K or F.
func (d *Document) UnitLetter() string { return strings.TrimPrefix(d.unit.Or("degC").Name, "deg") }
