package statistics

import (
	"cmp"
	"slices"

	"thermsim/stack"
)

// sheet holds the regions of a layer as overlapping rectangles, and their edges.
type sheet struct {
	rects  []laid // from south to north
	xs, ys []float64
	items  int
	met    int // number of rectangles in all processed strips
	// sampled reports that shares of cells are sampled along lines.
	sampled bool
}

// laid is a rectangle of item of between edges along x, by their numbers, and y in m.
type laid struct {
	x0, x1, of int32
	y0, y1     float64
}

// slack is the tolerance for rounding errors of edges relative to the domain.
const slack = 1e-9

// newSheet converts the regions of a layer. Region r is item r+1, item 0 the layer's own material under them.
func newSheet(s *stack.Stack, layer int) *sheet {
	regions := s.Layers[layer].Regions
	domain := s.Domain()
	h := &sheet{xs: []float64{0, domain.Width}, ys: []float64{0, domain.Height}, items: len(regions) + 1}
	type at struct{ x0, x1, y0, y1 float64 }
	visit := func(f func(of int, a at)) {
		for r := range regions {
			for _, q := range regionArea(&regions[r], len(regions)) {
				a := at{max(q.X, 0), min(q.X+q.Width, domain.Width), max(q.Y, 0), min(q.Y+q.Height, domain.Height)}
				if a.x1 > a.x0 && a.y1 > a.y0 {
					f(r+1, a)
				}
			}
		}
	}
	visit(func(_ int, a at) { h.xs, h.ys = append(h.xs, a.x0, a.x1), append(h.ys, a.y0, a.y1) })
	h.xs, h.ys = edges(h.xs, slack*domain.Width), edges(h.ys, slack*domain.Height)
	visit(func(of int, a at) {
		l := laid{edge(h.xs, a.x0), edge(h.xs, a.x1), int32(of), h.ys[edge(h.ys, a.y0)], h.ys[edge(h.ys, a.y1)]}
		if l.x0 < l.x1 && l.y0 < l.y1 {
			h.rects = append(h.rects, l)
		}
	})
	h.order()
	return h
}

// edges sorts coordinates and merges those closer than slack into the last one.
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

// edge is the index of the edge of a coordinate: the first that is not below it.
func edge(edges []float64, v float64) int32 {
	i, _ := slices.BinarySearch(edges, v)
	return int32(min(i, len(edges)-1))
}

// order sorts the rectangles from south to north.
func (h *sheet) order() {
	slices.SortFunc(h.rects, func(a, b laid) int { return cmp.Compare(a.y0, b.y0) })
}

// between is the strip between two edges along y.
type between struct {
	south, north float64 // m
	active       []laid  // the topmost first
	xs           []int32 // the edges of all of them along x, in order
	mark         uint64  // of the active ones, in 64 scrambled bits
}

// sweep visits the strips from south to north until f returns false.
func (h *sheet) sweep(f func(s *between) (on bool)) {
	topmost := func(a, b laid) int {
		return cmp.Or(cmp.Compare(b.of, a.of), cmp.Compare(a.x0, b.x0), cmp.Compare(a.y0, b.y0))
	}
	var s between
	var come []laid
	var added, removed []int32
	next := 0
	for n := range len(h.ys) - 1 {
		s.south, s.north = h.ys[n], h.ys[n+1]
		come, added, removed = come[:0], added[:0], removed[:0]
		s.active = slices.DeleteFunc(s.active, func(l laid) bool {
			if l.y1 > s.south {
				return false
			}
			s.mark -= l.mark()
			removed = append(removed, l.x0, l.x1)
			return true
		})
		for ; next < len(h.rects) && h.rects[next].y0 <= s.south; next++ {
			l := h.rects[next]
			s.mark += l.mark()
			come = append(come, l)
			added = append(added, l.x0, l.x1)
		}
		slices.SortFunc(come, topmost)
		s.active = merged(s.active, come, topmost)
		slices.Sort(removed)
		slices.Sort(added)
		s.xs = merged(without(s.xs, removed), added, cmp.Compare[int32])
		if !f(&s) {
			return
		}
	}
}

// mark is a hash of a rectangle. The sum of the marks identifies a strip.
func (l *laid) mark() uint64 {
	return scrambled(scrambled(uint64(l.of)<<32|uint64(l.x0)) ^ uint64(l.x1))
}

// scrambled is a step of SplitMix64.
func scrambled(v uint64) uint64 {
	v += 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// merged merges two sorted lists.
func merged[T any](all, come []T, compare func(a, b T) int) []T {
	a, b := len(all)-1, len(come)-1
	all = append(all, come...)
	for to := len(all) - 1; b >= 0; to-- {
		if a >= 0 && compare(all[a], come[b]) > 0 {
			all[to] = all[a]
			a--
			continue
		}
		all[to] = come[b]
		b--
	}
	return all
}

// without removes sorted values from a sorted list, each of them once.
func without(all, gone []int32) []int32 {
	if len(gone) == 0 {
		return all
	}
	n := 0
	return slices.DeleteFunc(all, func(v int32) bool {
		if n < len(gone) && gone[n] == v {
			n++
			return true
		}
		return false
	})
}

// seen is an interval of a strip between two edges and its visible item.
type seen struct{ x0, x1, of int32 }

// painter finds the visible items of strips.
type painter struct {
	xs    []int32
	place []int32 // of an edge among those of the strip
	top   []int32
	next  []int32 // the first interval from here on that is not painted
}

// paint returns the visible items of a strip from west to east, with adjacent intervals of one item merged.
func (p *painter) paint(h *sheet, s *between) []seen {
	last := int32(len(h.xs) - 1)
	if len(s.active) > 0 && s.active[0].x0 == 0 && s.active[0].x1 == last {
		h.met++
		return []seen{{0, last, s.active[0].of}}
	}
	h.met += 1 + len(s.active)
	p.xs = append(p.xs[:0], 0)
	for _, x := range s.xs {
		if x != p.xs[len(p.xs)-1] {
			p.xs = append(p.xs, x)
		}
	}
	if p.xs[len(p.xs)-1] != last {
		p.xs = append(p.xs, last)
	}
	if p.place == nil {
		p.place = make([]int32, len(h.xs))
	}
	for n, x := range p.xs {
		p.place[x] = int32(n)
	}
	intervals := len(p.xs) - 1
	p.top, p.next = slices.Grow(p.top[:0], intervals)[:intervals], slices.Grow(p.next[:0], intervals+1)[:intervals+1]
	clear(p.top)
	for n := range p.next {
		p.next[n] = int32(n)
	}
	left := intervals
	for n := 0; n < len(s.active) && left > 0; n++ {
		l := &s.active[n]
		for i, end := p.free(p.place[l.x0]), p.place[l.x1]; i < end; i = p.free(i) {
			p.top[i], p.next[i] = l.of, i+1
			left--
		}
	}
	var shown []seen
	for i, of := range p.top {
		if n := len(shown); n > 0 && shown[n-1].of == of {
			shown[n-1].x1 = p.xs[i+1]
			continue
		}
		shown = append(shown, seen{p.xs[i], p.xs[i+1], of})
	}
	return shown
}

// free is the first interval from i on that is not painted.
func (p *painter) free(i int32) int32 {
	for p.next[i] != i {
		p.next[i] = p.next[p.next[i]]
		i = p.next[i]
	}
	return i
}

// Bounds of what the visible parts of a layer may have: rectangles, and rectangles met in all strips together.
const (
	mostPieces = 1 << 18
	mostMet    = 100_000_000
)

// piece is a visible interval in all strips from south on.
type piece struct {
	seen
	south float64
}

// visible decomposes a layer into the visible rectangles of its items: later regions cover earlier ones. The rectangles
// fill the domain without overlaps. ok is false if there are too many rectangles or overlaps.
//
// In a strip every interval between edges belongs to the last region that covers it. Rectangles of adjacent strips are
// merged.
func (h *sheet) visible() (parts [][]stack.Rect, ok bool) {
	parts = make([][]stack.Rect, h.items)
	var p painter
	var open []piece
	pieces := 0
	h.sweep(func(s *between) bool {
		shown := p.paint(h, s)
		var joined int
		open, joined = h.join(parts, open, shown, s.south)
		pieces += len(shown) - joined
		return pieces <= mostPieces && h.met <= mostMet
	})
	h.join(parts, open, nil, h.ys[len(h.ys)-1])
	return parts, pieces <= mostPieces && h.met <= mostMet
}

// join keeps the pieces that continue in a strip, and adds those that end at its south edge to the parts. It returns
// the pieces of the strip and the number of continued ones.
func (h *sheet) join(parts [][]stack.Rect, below []piece, shown []seen, south float64) (open []piece, joined int) {
	open = make([]piece, len(shown))
	for n, v := range shown {
		open[n] = piece{v, south}
	}
	n := 0
	for _, b := range below {
		for n < len(open) && open[n].x0 < b.x0 {
			n++
		}
		if n < len(open) && open[n].seen == b.seen {
			open[n].south = b.south
			joined++
			continue
		}
		parts[b.of] = append(parts[b.of], stack.Rect{X: h.xs[b.x0], Y: b.south, Width: h.xs[b.x1] - h.xs[b.x0],
			Height: south - b.south})
	}
	return open, joined
}
