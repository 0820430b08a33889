package report

import (
	"cmp"
	"fmt"
)

// limits lists the margins, worst first.
func (p *page) limits(s *Summary) {
	if len(s.Limits) == 0 {
		return
	}
	t := table{columns: []column{name("limit"), number("tmax degC"), number("max degC"), number("margin K"),
		number("W"), name("layer"), name("block")}}
	if s.Steps > 0 {
		t.columns[4] = number("at")
	}
	bad := 0
	for i, l := range s.Limits {
		if !l.OK {
			bad++
		}
		if i >= maxTextBlocks {
			continue
		}
		of := l.Label()
		if l.Kind != "stack" {
			of = l.Kind + " " + cmp.Or(l.Name, l.Layer)
		}
		extra := signed(l.MarginW, significant(l.MarginW, 3))
		if s.Steps > 0 {
			extra = seconds(l.TimeS)
		}
		t.add(of, p.deg.celsius(l.TMaxK), p.deg.celsius(l.MaxK), signed(l.MarginK, p.deg.kelvin(l.MarginK)), extra,
			l.At.Layer, dash(cmp.Or(l.At.Block, l.At.Region)))
	}
	note := "worst first; W: what the whole power may grow by"
	if s.Steps > 0 {
		note = "worst first, at the peak over time"
	}
	if len(s.Limits) > maxTextBlocks {
		note += fmt.Sprintf("; %d of %d, limits.csv has them all", maxTextBlocks, len(s.Limits))
	}
	verdict := "Limits"
	if bad > 0 {
		verdict += p.paint(red, fmt.Sprintf(": %d of %d EXCEEDED", bad, len(s.Limits)))
	}
	p.heading(verdict, note)
	p.table(&t)
}

// signed writes a plus before a positive number.
func signed(v float64, text string) string {
	if v > 0 {
		return "+" + text
	}
	return text
}
