package stack

import (
	"cmp"
	"fmt"
	"slices"

	"thermsim/stack/internal/faults"
)

// placed is one rectangle of one block, for the search for overlaps.
type placed struct {
	Rect
	block *Block
}

// MaxOverlaps is how many overlaps of a layer are reported: a floorplan in the wrong unit has thousands.
const MaxOverlaps = 5

// overlaps reports overlapping blocks of a layer, because their powers would add there.
//
// A sweep from west to east keeps the rectangles that the sweep line cuts, sorted by their south edge. As long as none
// overlap they are disjoint in y, so each newcomer needs to be compared with its two neighbours only, and ten thousand
// blocks take milliseconds. Powers that allow overlaps are left out.
func (v *validator) overlaps(y *Layer, layer string) {
	rects := v.placedRects(y)
	slices.SortFunc(rects, func(a, b placed) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	ends := slices.Clone(rects)
	slices.SortFunc(ends, func(a, b placed) int { return cmp.Compare(a.X+a.Width, b.X+b.Width) })
	var active []placed
	found, reported := 0, map[[2]*Block]bool{}
	for _, r := range rects {
		for len(ends) > 0 && ends[0].X+ends[0].Width <= r.X+v.slack {
			active = remove(active, ends[0])
			ends = ends[1:]
		}
		at, _ := slices.BinarySearchFunc(active, r, bySouth)
		hit := false
		for _, near := range []int{at - 1, at} {
			if near < 0 || near >= len(active) || !v.overlap(active[near].Rect, r.Rect) {
				continue
			}
			hit = true
			// The strips of a shape overlap one by one: once is enough.
			if pair := [2]*Block{active[near].block, r.block}; len(r.block.Shapes)+len(active[near].block.Shapes) > 0 {
				if reported[pair] || reported[[2]*Block{pair[1], pair[0]}] {
					continue
				}
				reported[pair] = true
			}
			if found++; found <= MaxOverlaps {
				v.overlapFault(active[near], r, layer)
			}
		}
		if !hit {
			active = slices.Insert(active, at, r)
		}
	}
	if found > MaxOverlaps {
		v.AddRest(y.Pos, fmt.Sprintf("%s: and at least %d more overlaps", layer, found-MaxOverlaps))
	}
}

func bySouth(a, b placed) int { return cmp.Compare(a.Y, b.Y) }

// placedRects lists the rectangles that may not overlap. Slivers within rounding cannot, and would break the order in
// y.
func (v *validator) placedRects(y *Layer) []placed {
	var rects []placed
	for i := range y.Powers {
		p := &y.Powers[i]
		if p.AllowOverlap {
			continue
		}
		for j := range p.Blocks {
			for _, r := range p.Blocks[j].Inside() {
				if r.Width > v.slack && r.Height > v.slack {
					rects = append(rects, placed{r, &p.Blocks[j]})
				}
			}
		}
	}
	return rects
}

// remove takes a rectangle off the sweep line, if it is on it.
func remove(active []placed, r placed) []placed {
	at, _ := slices.BinarySearchFunc(active, r, bySouth)
	for ; at < len(active) && active[at].Y == r.Y; at++ {
		if active[at] == r {
			return slices.Delete(active, at, at+1)
		}
	}
	return active
}

// overlap reports whether two rectangles share more than rounding explains.
func (v *validator) overlap(a, b Rect) bool {
	w, h := Intersection(a, b)
	return w > v.slack && h > v.slack
}

// Intersection is the width and height of the intersection; negative where the rectangles are apart.
func Intersection(a, b Rect) (w, h float64) {
	return min(a.X+a.Width, b.X+b.Width) - max(a.X, b.X), min(a.Y+a.Height, b.Y+b.Height) - max(a.Y, b.Y)
}

func (v *validator) overlapFault(a, b placed, layer string) {
	w, h := Intersection(a.Rect, b.Rect)
	later, earlier := b.block, a.block
	if cmp.Or(cmp.Compare(later.Pos.Line, earlier.Pos.Line), cmp.Compare(later.Pos.Col, earlier.Pos.Col)) < 0 {
		later, earlier = earlier, later
	}
	where := fmt.Sprintf("by %s x %s at x = %s, y = %s", faults.Metres(w), faults.Metres(h),
		faults.Metres(max(a.X, b.X)), faults.Metres(max(a.Y, b.Y)))
	if len(later.Shapes)+len(earlier.Shapes) > 0 {
		where = fmt.Sprintf("near x = %s, y = %s", faults.Metres(max(a.X, b.X)), faults.Metres(max(a.Y, b.Y)))
	}
	if later == earlier {
		v.fail(later.Pos, "split it into rectangles that only touch", "%s: rectangles of block %q overlap %s", layer,
			faults.Shorten(later.Name), where)
		return
	}
	v.fail(later.Pos, "move one, or set allow_overlap = true in its power if the powers are meant to add",
		"%s: block %q overlaps block %q %s", layer, faults.Shorten(later.Name), faults.Shorten(earlier.Name), where)
}
