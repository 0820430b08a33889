package report

import (
	"cmp"
	"slices"

	"thermsim/geometry"
	"thermsim/stack"
)

// What covers an area is cut into this many strips where it is no rectangle: a circle's area is then good to 0.3 %, a polygon's exact. Of very many
// shapes there are fewer strips each.
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

// visible cuts a layer into rectangles by what can be seen from above: later regions lie over earlier ones. Item r+1 of the result is region r, item
// 0 the layer's own material. The rectangles of all items fill the domain and do not overlap.
//
// The domain is swept from south to north in strips between edges; in a strip every interval between edges goes to the last region that covers it.
// Rectangles of neighbouring strips are joined where they continue each other.
func visible(s *stack.Stack, layer int) [][]stack.Rect {
	regions := s.Layers[layer].Regions
	domain := s.Domain()
	var all []laid
	xs, ys := []float64{0, domain.Width}, []float64{0, domain.Height}
	for r := range regions {
		for _, q := range regionArea(&regions[r], len(regions)) {
			l := laid{max(q.X, 0), min(q.X+q.Width, domain.Width), max(q.Y, 0), min(q.Y+q.Height, domain.Height), r + 1}
			if l.x1 > l.x0 && l.y1 > l.y0 {
				all = append(all, l)
				xs, ys = append(xs, l.x0, l.x1), append(ys, l.y0, l.y1)
			}
		}
	}
	const slack = 1e-9 // of the domain, as far as edges may miss each other for reasons of rounding
	xs, ys = edges(xs, slack*domain.Width), edges(ys, slack*domain.Height)
	for i := range all {
		l := &all[i]
		l.x0, l.x1, l.y0, l.y1 = snapped(xs, l.x0), snapped(xs, l.x1), snapped(ys, l.y0), snapped(ys, l.y1)
	}
	slices.SortFunc(all, func(a, b laid) int { return cmp.Compare(a.y0, b.y0) })

	parts := make([][]stack.Rect, len(regions)+1)
	var active, before []laid
	next := 0
	for n := range len(ys) - 1 {
		south, north := ys[n], ys[n+1]
		active = slices.DeleteFunc(active, func(l laid) bool { return l.y1 <= south })
		for ; next < len(all) && all[next].y0 <= south; next++ {
			active = append(active, all[next])
		}
		strip := paintStrip(active, domain.Width)
		for i := range strip {
			strip[i].y0, strip[i].y1 = south, north
		}
		before = join(parts, before, strip)
	}
	join(parts, before, nil)
	return parts
}

// edges are coordinates in order; of those closer than slack the last.
func edges(at []float64, slack float64) []float64 {
	slices.Sort(at)
	out := at[:0]
	for _, v := range at {
		if n := len(out); n > 0 && v-out[n-1] <= slack {
			out[n-1] = v
			continue
		}
		out = append(out, v)
	}
	return out
}

// snapped is the edge that a coordinate became: the first that is not below it.
func snapped(edges []float64, v float64) float64 {
	i, _ := slices.BinarySearch(edges, v)
	return edges[min(i, len(edges)-1)]
}

// laid is a rectangle of item of, in m.
type laid struct {
	x0, x1, y0, y1 float64
	of             int
}

// paintStrip is who lies on top from west to east, neighbours of one item in one.
func paintStrip(active []laid, width float64) []laid {
	xs := []float64{0, width}
	for _, l := range active {
		xs = append(xs, l.x0, l.x1)
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	slices.SortFunc(active, func(a, b laid) int { return a.of - b.of }) // so that the last that covers an interval lies on top
	top := make([]int, len(xs)-1)
	for _, l := range active {
		from, _ := slices.BinarySearch(xs, l.x0)
		for i := from; xs[i] < l.x1; i++ {
			top[i] = l.of
		}
	}
	var strip []laid
	for i, of := range top {
		if n := len(strip); n > 0 && strip[n-1].of == of {
			strip[n-1].x1 = xs[i+1]
			continue
		}
		strip = append(strip, laid{x0: xs[i], x1: xs[i+1], of: of})
	}
	return strip
}

// join lengthens the rectangles of a strip by those below that end where they begin, and puts the other ones below among the parts. It returns the strip.
func join(parts [][]stack.Rect, below, strip []laid) []laid {
	s := 0
	for _, b := range below {
		for s < len(strip) && strip[s].x0 < b.x0 {
			s++
		}
		if s < len(strip) && strip[s].x0 == b.x0 && strip[s].x1 == b.x1 && strip[s].of == b.of {
			strip[s].y0 = b.y0
			continue
		}
		parts[b.of] = append(parts[b.of], stack.Rect{X: b.x0, Y: b.y0, Width: b.x1 - b.x0, Height: b.y1 - b.y0})
	}
	return strip
}
