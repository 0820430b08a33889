package stackfile

import (
	"fmt"
	"slices"
	"strings"

	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/internal/units"
)

// power writes one source. Those of regions stand in the layer, with their area.
func (p *printer) power(s *stack.Power) {
	p.line("")
	p.comment(p.comments.Powers[s]...)
	p.line("[[layer.power]]")
	if s.Shape != nil {
		p.line("%s", shapeEntry(s.Shape))
	} else if s.Area != p.s.Domain() {
		p.line("area = %s", rectList(s.Area))
	}
	p.text("name", s.Name)
	p.tmax(s.TMax)
	if len(s.Schedule) > 0 {
		lines(p, "schedule", s.Schedule, func(sp stack.ScalePoint) string { return inline("scale", &sp) })
	}
	switch {
	case s.Map != nil:
		p.line(`unit = "W"`)
		p.tiles(s.Map.NX, s.Map.Values)
	case len(s.Blocks) > 0:
		p.blocks(s)
	default:
		p.line("uniform = %s", quantity(units.Power, s.Uniform))
		if s.Leakage.Factor != nil {
			p.line("leakage = %s", leakageEntry(&s.Leakage))
		}
	}
}

// lines writes an array with a line for each element.
func lines[T any](p *printer, key string, list []T, write func(T) string) {
	p.line("%s = [", key)
	for _, x := range list {
		p.line("  %s,", write(x))
	}
	p.line("]")
}

// tiles writes a map with rows of nx values.
func (p *printer) tiles(nx int, values []float64) {
	p.line(`orientation = "south-first"`)
	lines(p, "map", slices.Collect(slices.Chunk(values, nx)), numberList)
}

func (p *printer) blocks(s *stack.Power) {
	if s.AllowOverlap {
		p.line("allow_overlap = true")
	}
	lines(p, "block", s.Blocks, func(b stack.Block) string {
		limit := ""
		if b.TMax != 0 {
			limit = ", tmax = " + quantity(units.Temperature, b.TMax)
		}
		if b.Leakage.Factor != nil {
			limit += ", leakage = " + leakageEntry(&b.Leakage)
		}
		return fmt.Sprintf("{ name = %s, %s, power = %s%s }", quote(b.Name), blockEntry(&b),
			quantity(units.Power, b.Watts), limit)
	})
	if s.Trace != nil {
		p.trace(s)
	}
}

// leakageEntry writes a leakage with its law.
func leakageEntry(l *stack.Leakage) string {
	law := strings.TrimPrefix(property(units.Number, 0, l.Factor), "{ ")
	return fmt.Sprintf("{ power = %s, %s", quantity(units.Power, l.Watts), law)
}

func (p *printer) trace(s *stack.Power) {
	t := s.Trace
	if t.Repeat {
		p.line("repeat = true")
	}
	p.line("[layer.power.trace]")
	p.line("end = %s", quantity(units.Time, t.End))
	p.line("blocks = %s", array(each(s.Blocks, func(b stack.Block) string { return quote(b.Name) })))
	lines(p, "times", t.Times, number)
	lines(p, "watts", t.Watts, numberList)
}

// shapeEntry writes a shape as key and value.
func shapeEntry(s geometry.Shape) string {
	switch s := s.(type) {
	case geometry.Circle:
		return "circle = " + inline("circle", &s)
	case geometry.Polygon:
		return "polygon = " + array(each(s, func(c geometry.Point) string { return lengthList(c.X, c.Y) }))
	}
	return ""
}

// blockEntry writes where a block lies.
func blockEntry(b *stack.Block) string {
	if len(b.Shapes) == 1 && len(b.Rects) == 0 {
		return shapeEntry(b.Shapes[0])
	}
	if r := b.Rects[0]; len(b.Rects) == 1 {
		return strings.Join(entries("block", &r), ", ")
	}
	return "rects = " + array(each(b.Rects, rectList))
}

// rectList writes [x, y, width, height].
func rectList(r stack.Rect) string { return lengthList(r.X, r.Y, r.Width, r.Height) }

// fill writes the inclusions of a region.
func (p *printer) fill(f *stack.Fill) {
	p.line("[layer.region.fill]")
	p.text("inclusion", p.s.Materials[f.Inclusion].Name)
	p.text("rule", string(f.Rule))
	if f.NX == 1 && f.NY == 1 {
		p.line("fraction = %s", number(f.Values[0]))
		return
	}
	p.tiles(f.NX, f.Values)
}
