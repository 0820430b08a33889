package stack

import (
	"fmt"
	"math"
	"thermsim/stack/geometry"
	"thermsim/stack/internal/faults"
)

// Around is the rectangle around a shape.
func Around(s geometry.Shape) Rect {
	b := s.Bounds()
	return Rect{b.X0, b.Y0, b.X1 - b.X0, b.Y1 - b.Y0}
}

// Box is the rectangle by its corners.
func (r Rect) Box() geometry.Box {
	return geometry.Box{X0: r.X, Y0: r.Y, X1: r.X + r.Width, Y1: r.Y + r.Height}
}

// Outline is a shape as lying rectangles no higher than strip, in m, for what draws rectangles.
func Outline(s geometry.Shape, strip float64) []Rect { return rects(geometry.Strips(s, strip)) }

// Outline is the block as rectangles, its shapes as strips no higher than strip, in m.
func (b *Block) Outline(strip float64) []Rect {
	all := b.Rects
	for _, s := range b.Shapes {
		all = append(all[:len(all):len(all)], Outline(s, strip)...)
	}
	return all
}

// Inside is the block as rectangles that do not extend beyond it: its rectangles, and strips inside its shapes of a
// hundredth of their height.
func (b *Block) Inside() []Rect {
	all := b.Rects
	for _, s := range b.Shapes {
		all = append(all[:len(all):len(all)], rects(geometry.InnerStrips(s, Around(s).Height/100))...)
	}
	return all
}

func rects(boxes []geometry.Box) []Rect {
	list := make([]Rect, len(boxes))
	for i, b := range boxes {
		list[i] = Rect{b.X0, b.Y0, b.X1 - b.X0, b.Y1 - b.Y0}
	}
	return list
}

// Bounds are the rectangles of a block and those around its shapes.
func (b *Block) Bounds() []Rect {
	list := append([]Rect(nil), b.Rects...)
	for _, s := range b.Shapes {
		list = append(list, Around(s))
	}
	return list
}

func (r *Region) Describe() string {
	if r.Name == "" {
		return "region"
	}
	return fmt.Sprintf("region %q", faults.Shorten(r.Name))
}

// finiteShape says whether all coordinates are finite and the shape has an area.
func finiteShape(s geometry.Shape) bool {
	b := s.Bounds()
	for _, x := range []float64{b.X0, b.Y0, b.X1, b.Y1, s.Area()} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return s.Area() > 0
}
