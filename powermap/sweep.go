package powermap

import (
	"slices"
	"sort"

	"thermsim/stack"
)

// coveredAreas measures the area that at least one and at least two of the rectangles cover, by a line that sweeps
// along x over the edges. Edges closer than tolerance count as one, so neighbours that differ by rounding do not
// overlap.
func coveredAreas(rects []stack.Rect, tolerance float64) (once, twice float64) {
	var xs, ys edges
	for _, r := range rects {
		xs = append(xs, r.X, r.X+r.Width)
		ys = append(ys, r.Y, r.Y+r.Height)
	}
	xs, ys = xs.merged(tolerance), ys.merged(tolerance)

	type change struct{ y0, y1, by int }
	changes := make([][]change, len(xs)) // at each x: rectangles that begin and end there
	for _, r := range rects {
		x0, x1 := xs.index(r.X), xs.index(r.X+r.Width)
		y0, y1 := ys.index(r.Y), ys.index(r.Y+r.Height)
		changes[x0] = append(changes[x0], change{y0, y1, 1})
		changes[x1] = append(changes[x1], change{y0, y1, -1})
	}
	depth := make([]int, len(ys))
	for i := 0; i+1 < len(xs); i++ {
		for _, c := range changes[i] {
			for y := c.y0; y < c.y1; y++ {
				depth[y] += c.by
			}
		}
		width := xs[i+1] - xs[i]
		for y := 0; y+1 < len(ys); y++ {
			if depth[y] > 0 {
				once += width * (ys[y+1] - ys[y])
			}
			if depth[y] > 1 {
				twice += width * (ys[y+1] - ys[y])
			}
		}
	}
	return once, twice
}

// edges are coordinates in m.
type edges []float64

// merged sorts e and keeps the first of every group that spans no more than tolerance.
func (e edges) merged(tolerance float64) edges {
	slices.Sort(e)
	kept := e[:0]
	for _, v := range e {
		if len(kept) == 0 || v-kept[len(kept)-1] > tolerance {
			kept = append(kept, v)
		}
	}
	return kept
}

// index of the group that v belongs to.
func (e edges) index(v float64) int {
	return sort.Search(len(e), func(i int) bool { return e[i] > v }) - 1
}
