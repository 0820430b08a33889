package mcpat

import (
	"cmp"
	"math"
	"slices"

	"thermsim/stack"
)

// slice divides a rectangle among components by their areas, and their rectangles among their parts: it bisects the
// parts, larger ones first, across the longer side.
func slice(r stack.Rect, parts []component, place func(*component, stack.Rect)) {
	ordered := slices.Clone(parts)
	slices.SortStableFunc(ordered, func(a, b component) int { return cmp.Compare(b.amounts[area], a.amounts[area]) })
	bisect(r, ordered, place)
}

func bisect(r stack.Rect, parts []component, place func(*component, stack.Rect)) {
	if len(parts) == 1 {
		if p := &parts[0]; len(p.parts) > 0 {
			slice(r, p.parts, place)
		} else {
			place(p, r)
		}
		return
	}
	total := 0.0
	for i := range parts {
		total += parts[i].amounts[area]
	}
	n, part := 1, parts[0].amounts[area]
	for n < len(parts)-1 && math.Abs(part+parts[n].amounts[area]-total/2) <= math.Abs(part-total/2) {
		part += parts[n].amounts[area]
		n++
	}
	first, second := r, r
	const square = 1e-9 // squares of equal components are cut alike
	if r.Width >= (1-square)*r.Height {
		first.Width *= part / total
		second.X, second.Width = r.X+first.Width, r.Width-first.Width
	} else {
		first.Height *= part / total
		second.Y, second.Height = r.Y+first.Height, r.Height-first.Height
	}
	bisect(first, parts[:n], place)
	bisect(second, parts[n:], place)
}
