package printout

import (
	"cmp"
	"fmt"

	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/report/tables"
)

func (p *Page) jedec(s *summary.Summary) {
	if len(s.Jedec.Figures) == 0 {
		return
	}
	t := tables.New("figure", "#K/W", "from the junction to", "#degC")
	for _, f := range s.Jedec.Figures {
		t.Add(f.Name, quantity.Significant(f.KPerW, 4), f.Reference, p.Deg.Celsius(f.ReferenceK))
	}
	p.Heading("JEDEC",
		s.Jedec.Environment+", junction "+p.Deg.Celsius(s.Jedec.JunctionK)+" degC, "+quantity.Significant(
			s.Jedec.PowerW, 4)+" W")
	p.Table(t)
}

// limits lists the margins, worst first.
func (p *Page) limits(s *summary.Summary) {
	if len(s.Limits) == 0 {
		return
	}
	last := "#W"
	if s.Steps > 0 {
		last = "#at"
	}
	t := tables.New("limit", "#tmax degC", "#max degC", "#margin K", last, "layer", "block")
	bad := 0
	for i, l := range s.Limits {
		if !l.OK {
			bad++
		}
		if i >= MaxTextBlocks {
			continue
		}
		of := l.Label()
		if l.Kind != "stack" {
			of = l.Kind + " " + cmp.Or(l.Name, l.Layer)
		}
		extra := signed(l.MarginW, quantity.Significant(l.MarginW, 3))
		if s.Steps > 0 {
			extra = quantity.Seconds(l.TimeS)
		}
		t.Add(of, p.Deg.Celsius(l.TMaxK), p.Deg.Celsius(l.MaxK), signed(l.MarginK, p.Deg.Kelvin(l.MarginK)), extra,
			l.At.Layer, quantity.Dash(cmp.Or(l.At.Block, l.At.Region)))
	}
	note := "worst first; W: what the whole power may grow by"
	if s.Steps > 0 {
		note = "worst first, at the peak over time"
	}
	if len(s.Limits) > MaxTextBlocks {
		note += fmt.Sprintf("; %d of %d, limits.csv has them all", MaxTextBlocks, len(s.Limits))
	}
	verdict := "Limits"
	if bad > 0 {
		verdict += p.Paint(Red, fmt.Sprintf(": %d of %d EXCEEDED", bad, len(s.Limits)))
	}
	p.Heading(verdict, note)
	p.Table(t)
}

// signed writes a plus before a positive number.
func signed(v float64, text string) string {
	if v > 0 {
		return "+" + text
	}
	return text
}
