package report

import (
	"slices"

	"thermsim/report/picture"
	"thermsim/stack"
)

// sectionBorders are where a section along x (axis 0) or y (axis 1), at a place of the other axis, passes from one
// region to another: not where a later region covers the border.
func sectionBorders(s *stack.Stack, axis int, at float64) []picture.SectionBorder {
	var borders []picture.SectionBorder
	for l := range s.Layers {
		var cut [][2]float64
		for i := range slices.Backward(s.Layers[l].Regions) {
			own := stretches(s, &s.Layers[l].Regions[i], axis, at)
			for _, span := range own {
				for _, place := range span {
					hidden := func(later [2]float64) bool { return place > later[0] && place < later[1] }
					if !slices.ContainsFunc(cut, hidden) {
						borders = append(borders, picture.SectionBorder{Layer: l, At: place})
					}
				}
			}
			cut = append(cut, own...)
		}
	}
	return borders
}

// stretches are what a section cuts of a region. Across shapes, they are those of its strips.
func stretches(s *stack.Stack, r *stack.Region, axis int, at float64) [][2]float64 {
	if axis == 0 && r.Shape != nil {
		var out [][2]float64
		for span := range slices.Chunk(r.Shape.Spans(at), 2) {
			out = append(out, [2]float64{span[0], span[1]})
		}
		return out
	}
	rects := []stack.Rect{r.Rect}
	if r.Shape != nil {
		rects = stack.Outline(r.Shape, strip(s, r.Shape))
	}
	var out [][2]float64
	for _, q := range rects {
		from, to, inside := q.X, q.X+q.Width, at >= q.Y && at < q.Y+q.Height
		if axis == 1 {
			from, to, inside = q.Y, q.Y+q.Height, at >= q.X && at < q.X+q.Width
		}
		if inside {
			out = append(out, [2]float64{from, to})
		}
	}
	return joined(out)
}

// joined puts stretches that meet together.
func joined(all [][2]float64) [][2]float64 {
	slices.SortFunc(all, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	var out [][2]float64
	for _, s := range all {
		if n := len(out); n > 0 && s[0] <= out[n-1][1]+1e-12 {
			out[n-1][1] = max(out[n-1][1], s[1])
			continue
		}
		out = append(out, s)
	}
	return out
}
