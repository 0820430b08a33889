package stack

import (
	"fmt"
	"strings"

	"thermsim/stack/internal/units"
)

// power writes one source. Those of regions stand in the layer, with their area.
func (p *printer) power(s *Power) {
	p.line("")
	p.comment(p.comments.Powers[s]...)
	p.line("[[layer.power]]")
	if s.Shape != nil {
		p.line("%s", shapeEntry(s.Shape))
	} else if s.Area != p.s.Domain() {
		p.line("area = %s", lengthList(s.Area.X, s.Area.Y, s.Area.Width, s.Area.Height))
	}
	p.text("name", s.Name)
	p.value("tmax", units.Temperature, s.TMax)
	if len(s.Schedule) > 0 {
		p.line("schedule = [")
		for _, sp := range s.Schedule {
			p.line("  { t = %s, factor = %s },", quantity(units.Time, sp.Time), number(sp.Factor))
		}
		p.line("]")
	}
	switch {
	case s.Map != nil:
		p.powerMap(s.Map)
	case len(s.Blocks) > 0:
		p.blocks(s)
	default:
		p.line("uniform = %s", quantity(units.Power, s.Uniform))
		if s.Leakage.Factor != nil {
			p.line("leakage = %s", leakageEntry(&s.Leakage))
		}
	}
}

func (p *printer) powerMap(m *PowerMap) {
	p.line(`unit = "W"`)
	p.line(`orientation = "south-first"`)
	p.line("map = [")
	for j := range m.NY {
		p.row(m.Values[j*m.NX : (j+1)*m.NX])
	}
	p.line("]")
}

// row writes an array of numbers as one element of an array.
func (p *printer) row(xs []float64) {
	fmt.Fprint(p.w, "  [")
	for i, x := range xs {
		if i > 0 {
			fmt.Fprint(p.w, ", ")
		}
		fmt.Fprint(p.w, number(x))
	}
	p.line("],")
}

func (p *printer) blocks(s *Power) {
	if s.AllowOverlap {
		p.line("allow_overlap = true")
	}
	p.line("block = [")
	for _, b := range s.Blocks {
		limit := ""
		if b.TMax != 0 {
			limit = ", tmax = " + quantity(units.Temperature, b.TMax)
		}
		if b.Leakage.Factor != nil {
			limit += ", leakage = " + leakageEntry(&b.Leakage)
		}
		p.line("  { name = %s, %s, power = %s%s },", quote(b.Name), blockEntry(&b), quantity(units.Power, b.Watts),
			limit)
	}
	p.line("]")
	if s.Trace != nil {
		p.trace(s)
	}
}

// leakageEntry writes a leakage with its law.
func leakageEntry(l *Leakage) string {
	law := strings.TrimPrefix(property(units.Number, 0, l.Factor), "{ ")
	return fmt.Sprintf("{ power = %s, %s", quantity(units.Power, l.Watts), law)
}

func (p *printer) trace(s *Power) {
	t := s.Trace
	if t.Repeat {
		p.line("repeat = true")
	}
	names := make([]string, len(s.Blocks))
	for i, b := range s.Blocks {
		names[i] = b.Name
	}
	p.line("[layer.power.trace]")
	p.line("end = %s", quantity(units.Time, t.End))
	p.line("blocks = %s", quoteAll(names))
	p.line("times = [")
	for _, x := range t.Times {
		p.line("  %s,", number(x))
	}
	p.line("]")
	p.line("watts = [")
	for _, row := range t.Watts {
		p.row(row)
	}
	p.line("]")
}
