package statistics

import (
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// What covers an area is cut into this many strips where it is no rectangle: a circle's area is then good to 0.3 %, a
// polygon's exact. Of very many shapes there are fewer strips each.
const (
	stripsOfArea = 32
	mostStrips   = 1 << 20
)

// areaStrips are the rectangles of a shape that is one of so many.
func areaStrips(shape geometry.Shape, among int) []stack.Rect {
	n := max(2, min(stripsOfArea, mostStrips/max(1, among)))
	return stack.Outline(shape, stack.Around(shape).Height/float64(n))
}

// regionArea is the rectangles that a region, one of so many, covers.
func regionArea(r *stack.Region, among int) []stack.Rect {
	if r.Shape == nil {
		return []stack.Rect{r.Rect}
	}
	return areaStrips(r.Shape, among)
}

// blockArea is the rectangles that a block covers.
func blockArea(b *stack.Block) []stack.Rect {
	all := b.Rects
	for _, s := range b.Shapes {
		all = append(all[:len(all):len(all)], areaStrips(s, len(b.Shapes))...)
	}
	return all
}

// powerArea is the rectangles on which a uniform power or a map acts.
func powerArea(s *stack.Stack, p *stack.Power) []stack.Rect {
	switch {
	case p.Shape != nil:
		return areaStrips(p.Shape, 1)
	case p.Area == (stack.Rect{}):
		return []stack.Rect{s.Domain()}
	}
	return []stack.Rect{p.Area}
}

// areaOf is the sum of the areas of rectangles in m2.
func areaOf(rects []stack.Rect) float64 {
	sum := 0.0
	for _, r := range rects {
		sum += r.Area()
	}
	return sum
}
