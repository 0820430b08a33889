package geometry

import "slices"

// Strips cuts a shape into lying rectangles no higher than most, each as wide as the shape at half its height: what
// draws rectangles can draw the shape. A polygon's strips have its area.
func Strips(s Shape, most float64) []Box {
	var strips []Box
	cuts := levels(s, most)
	for i, y1 := range cuts[1:] {
		y0 := cuts[i]
		xs := s.Spans((y0 + y1) / 2)
		for n := 0; n+1 < len(xs); n += 2 {
			strips = append(strips, Box{xs[n], y0, xs[n+1], y1})
		}
	}
	return strips
}

// InnerStrips is like Strips, with every rectangle inside the shape: rectangles of shapes that only touch do not
// overlap.
func InnerStrips(s Shape, most float64) []Box {
	const beside = 1e-9 // of a strip's height: at a corner itself the intervals jump
	var strips []Box
	cuts := levels(s, most)
	for i, y1 := range cuts[1:] {
		y0 := cuts[i]
		low, high := s.Spans(y0+beside*(y1-y0)), s.Spans(y1-beside*(y1-y0))
		for n := 0; n+1 < min(len(low), len(high)); n += 2 {
			if a, b := max(low[n], high[n]), min(low[n+1], high[n+1]); b > a {
				strips = append(strips, Box{a, y0, b, y1})
			}
		}
	}
	return strips
}

// levels are heights from the lowest to the highest point, those of the corners among them, no further apart than most.
func levels(s Shape, most float64) []float64 {
	turns := s.Heights()
	levels := turns[:1:1]
	for i, y1 := range turns[1:] {
		n := max(1, int((y1-turns[i])/most+0.999))
		for k := 1; k < n; k++ {
			levels = append(levels, turns[i]+(y1-turns[i])*float64(k)/float64(n))
		}
		levels = append(levels, y1)
	}
	return slices.Compact(levels)
}
