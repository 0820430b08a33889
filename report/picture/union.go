package picture

import (
	"cmp"
	"slices"
	"sort"

	"thermsim/stack"
)

// union is the pixels of several rectangles, row by row.
type union struct {
	top  int // of the first row
	rows []spans
}

// spans of a row ascend and do not meet.
type spans []span

type span struct{ from, to int }

// unite unites those rectangles that the picture shows a part of, and that only from one pixel above it to one below.
func (f *frame) unite(rects []stack.Rect) *union {
	u := &f.united
	first, last := f.area.Max.Y, f.area.Min.Y
	for _, r := range rects {
		if b := f.whole(r); b.Overlaps(f.area) {
			first, last = min(first, max(b.Min.Y, f.area.Min.Y-1)), max(last, min(b.Max.Y, f.area.Max.Y+1))
		}
	}
	u.top = first
	u.rows = slices.Grow(u.rows[:0], max(0, last-first))[:max(0, last-first)]
	for k := range u.rows {
		u.rows[k] = u.rows[k][:0]
	}
	for _, r := range rects {
		if b := f.whole(r); b.Overlaps(f.area) {
			for y := max(b.Min.Y, first); y < min(b.Max.Y, last); y++ {
				u.rows[y-first] = append(u.rows[y-first], span{b.Min.X, b.Max.X})
			}
		}
	}
	for k := range u.rows {
		u.rows[k] = joined(u.rows[k])
	}
	return u
}

// joined sorts spans and joins those that overlap or touch.
func joined(row spans) spans {
	if len(row) < 2 {
		return row
	}
	slices.SortFunc(row, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	n := 0
	for _, s := range row[1:] {
		if s.from <= row[n].to {
			row[n].to = max(row[n].to, s.to)
			continue
		}
		n++
		row[n] = s
	}
	return row[:n+1]
}

// row is that at y, empty beside the union.
func (u *union) row(y int) spans {
	if y < u.top || y >= u.top+len(u.rows) {
		return nil
	}
	return u.rows[y-u.top]
}

// end of the span that holds x; x itself where none does.
func (row spans) end(x int) int {
	k := sort.Search(len(row), func(k int) bool { return row[k].to > x })
	if k == len(row) || row[k].from > x {
		return x
	}
	return row[k].to
}
