package stack

import (
	"strings"

	"thermsim/stack/geometry"
)

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
func blockEntry(b *Block) string {
	if len(b.Shapes) == 1 && len(b.Rects) == 0 {
		return shapeEntry(b.Shapes[0])
	}
	if r := b.Rects[0]; len(b.Rects) == 1 {
		return strings.Join(entries("block", &r), ", ")
	}
	return "rects = " + array(each(b.Rects, rectList))
}

// rectList writes [x, y, width, height].
func rectList(r Rect) string { return lengthList(r.X, r.Y, r.Width, r.Height) }

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
