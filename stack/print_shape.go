package stack

import (
	"fmt"
	"strings"

	"thermsim/stack/geometry"
	"thermsim/stack/internal/units"
)

// shapeEntry writes a shape as key and value.
func shapeEntry(s geometry.Shape) string {
	switch s := s.(type) {
	case geometry.Circle:
		return fmt.Sprintf("circle = { x = %s, y = %s, diameter = %s }", quantity(units.Length, s.X),
			quantity(units.Length, s.Y), quantity(units.Length, s.Diameter))
	case geometry.Polygon:
		corners := make([]string, len(s))
		for i, c := range s {
			corners[i] = lengthList(c.X, c.Y)
		}
		return "polygon = [" + strings.Join(corners, ", ") + "]"
	}
	return ""
}

// blockEntry writes where a block lies.
func blockEntry(b *Block) string {
	if len(b.Shapes) == 1 && len(b.Rects) == 0 {
		return shapeEntry(b.Shapes[0])
	}
	if r := b.Rects[0]; len(b.Rects) == 1 {
		return fmt.Sprintf("x = %s, y = %s, width = %s, height = %s", quantity(units.Length, r.X),
			quantity(units.Length, r.Y), quantity(units.Length, r.Width), quantity(units.Length, r.Height))
	}
	rects := make([]string, len(b.Rects))
	for i, r := range b.Rects {
		rects[i] = lengthList(r.X, r.Y, r.Width, r.Height)
	}
	return "rects = [" + strings.Join(rects, ", ") + "]"
}

// fill writes the inclusions of a region.
func (p *printer) fill(f *Fill) {
	p.line("[layer.region.fill]")
	p.text("inclusion", p.s.Materials[f.Inclusion].Name)
	p.text("rule", string(f.Rule))
	if f.NX == 1 && f.NY == 1 {
		p.line("fraction = %s", number(f.Values[0]))
		return
	}
	p.line(`orientation = "south-first"`)
	p.line("map = [")
	for j := range f.NY {
		p.row(f.Values[j*f.NX : (j+1)*f.NX])
	}
	p.line("]")
}
