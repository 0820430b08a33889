package gds

import (
	"cmp"
	"errors"
	"slices"
)

// slicer cuts the area inside edges into slices between heights at which edges begin, end or cross. A point is inside
// if its winding number is not zero, so what is covered twice counts once.
type slicer struct {
	edges  []edge
	ys     []float64
	active []crossing // edges in the slice
	spans  []span     // parts of the slice inside
	work   int64      // steps so far

	out []trapezoid
}

// edge is a side that is not horizontal, upwards.
type edge struct {
	y0, y1, x0, x1 float64
	up             int // how the winding number changes to its right; 0 at the sides of a box
}

func (e *edge) at(y float64) float64 {
	switch {
	case e.x0 == e.x1 || y == e.y0:
		return e.x0
	case y == e.y1:
		return e.x1
	}
	return e.x0 + (y-e.y0)/(e.y1-e.y0)*(e.x1-e.x0)
}

type crossing struct {
	x    float64
	edge int
}

// span is the part of a slice between two edges, which are at l and r in its middle.
type span struct {
	left, right int
	l, r        float64
}

var errCrossings = errors.New("sides cross each other more than 100000 times")

// cross adds the heights at which edges cross, if any are oblique, and sorts the heights.
func (s *slicer) cross(oblique bool) error {
	slices.SortFunc(s.edges, func(a, b edge) int { return cmp.Compare(a.y0, b.y0) })
	ends := len(s.ys)
	for i := 0; oblique && i < len(s.edges); i++ {
		a := &s.edges[i]
		for j := i + 1; j < len(s.edges) && s.edges[j].y0 < a.y1; j++ {
			s.work++
			if y, ok := meeting(a, &s.edges[j]); ok {
				s.ys = append(s.ys, y)
			}
		}
		if len(s.ys)-ends > 100_000 {
			return errCrossings
		}
	}
	slices.Sort(s.ys)
	s.ys = slices.Compact(s.ys)
	return nil
}

// meeting is the height at which two edges cross, if they do between their ends.
func meeting(a, b *edge) (y float64, ok bool) {
	lo, hi := max(a.y0, b.y0), min(a.y1, b.y1)
	if a.x0 == a.x1 && b.x0 == b.x1 || !(lo < hi) {
		return 0, false
	}
	d0, d1 := a.at(lo)-b.at(lo), a.at(hi)-b.at(hi)
	if d0 == 0 || d1 == 0 || (d0 < 0) == (d1 < 0) {
		return 0, false
	}
	y = lo + d0/(d0-d1)*(hi-lo)
	return y, y > lo && y < hi
}

// each finds the spans of one slice after the other.
func (s *slicer) each(do func(lo, hi float64)) {
	s.active = s.active[:0]
	reached := 0
	for i := 0; i+1 < len(s.ys); i++ {
		lo, hi := s.ys[i], s.ys[i+1]
		mid := lo + (hi-lo)/2
		for ; reached < len(s.edges) && s.edges[reached].y0 <= lo; reached++ {
			s.active = append(s.active, crossing{edge: reached})
		}
		n := 0
		for _, c := range s.active {
			if e := &s.edges[c.edge]; e.y1 >= hi {
				s.active[n] = crossing{e.at(mid), c.edge}
				n++
			}
		}
		s.active = s.active[:n]
		slices.SortFunc(s.active, func(a, b crossing) int { return cmp.Compare(a.x, b.x) })
		s.work += int64(n)
		s.spans = s.spans[:0]
		winding := 0
		var left crossing
		for _, c := range s.active {
			if winding == 0 {
				left = c
			}
			up := s.edges[c.edge].up
			if winding += up; winding == 0 && up != 0 {
				s.spans = append(s.spans, span{left.edge, c.edge, left.x, c.x})
			}
		}
		do(lo, hi)
	}
}

// polygon appends the trapezoids of a polygon. Its last corner may repeat the first.
func (s *slicer) polygon(p []point) error {
	if n := len(p); n > 1 && p[0] == p[n-1] {
		p = p[:n-1]
	}
	if len(p) == 4 && (p[0].x == p[1].x && p[1].y == p[2].y && p[2].x == p[3].x && p[3].y == p[0].y ||
		p[0].y == p[1].y && p[1].x == p[2].x && p[2].y == p[3].y && p[3].x == p[0].x) {
		s.rectangle(boundsOf(p))
		return nil
	}
	s.edges, s.ys = s.edges[:0], s.ys[:0]
	oblique := false
	for i, a := range p {
		b := p[(i+1)%len(p)]
		switch {
		case a.y < b.y:
			s.edges = append(s.edges, edge{y0: a.y, y1: b.y, x0: a.x, x1: b.x, up: 1})
		case a.y > b.y:
			s.edges = append(s.edges, edge{y0: b.y, y1: a.y, x0: b.x, x1: a.x, up: -1})
		}
		oblique = oblique || a.x != b.x && a.y != b.y
		s.ys = append(s.ys, a.y)
	}
	if err := s.cross(oblique && len(p) > 3); err != nil {
		return err
	}
	from := len(s.out) // trapezoids of the last slice
	s.each(func(lo, hi float64) {
		n := len(s.out)
		for _, c := range s.spans {
			l, r := &s.edges[c.left], &s.edges[c.right]
			s.out = append(s.out, trapezoid{lo, hi, l.at(lo), l.at(hi), r.at(lo), r.at(hi)})
		}
		if len(s.out)-n == n-from && continues(s.out[from:n], s.out[n:]) {
			s.out = s.out[:n]
		} else {
			from = n
		}
	})
	return nil
}

// continues joins the upright trapezoids of two slices if those of the second continue the first.
func continues(last, next []trapezoid) bool {
	for i, t := range last {
		if !t.upright() || t.l0 != next[i].l0 || t.l0 != next[i].l1 || t.r0 != next[i].r0 || t.r0 != next[i].r1 {
			return false
		}
	}
	for i := range last {
		last[i].y1 = next[i].y1
	}
	return true
}

// union is the area that the shapes of a map cover of a box.
func (s *slicer) union(shapes []shape, maps uint64, b *box) (area float64, err error) {
	s.out, s.ys = s.out[:0], append(s.ys[:0], b.y0, b.y1)
	oblique := false
	for i := range shapes {
		if t := &shapes[i]; t.maps&maps != 0 {
			s.out = append(s.out, t.trapezoid)
			s.ys = append(s.ys, max(t.y0, b.y0), min(t.y1, b.y1))
			oblique = oblique || !t.upright()
		}
	}
	if oblique {
		return s.obliqueUnion(b)
	}
	slices.SortFunc(s.out, func(a, b trapezoid) int { return cmp.Compare(a.l0, b.l0) })
	slices.Sort(s.ys)
	for i := 1; i < len(s.ys); i++ {
		lo, hi := s.ys[i-1], s.ys[i]
		if lo == hi {
			continue
		}
		s.work += int64(len(s.out))
		length, end := 0.0, b.x0
		for k := range s.out {
			t := &s.out[k]
			if t.y0 > lo || t.y1 < hi {
				continue
			}
			if l, r := max(t.l0, end), min(t.r0, b.x1); r > l {
				length += r - l
				end = r
			}
		}
		area += length * (hi - lo)
	}
	return area, nil
}

// obliqueUnion is the area that the trapezoids in s.out, with ends in s.ys, cover of a box.
func (s *slicer) obliqueUnion(b *box) (area float64, err error) {
	west, east := edge{y0: b.y0, y1: b.y1, x0: b.x0, x1: b.x0}, edge{y0: b.y0, y1: b.y1, x0: b.x1, x1: b.x1}
	s.edges = append(s.edges[:0], west, east)
	for _, t := range s.out {
		s.edges = append(s.edges, edge{y0: t.y0, y1: t.y1, x0: t.l0, x1: t.l1, up: 1},
			edge{y0: t.y0, y1: t.y1, x0: t.r0, x1: t.r1, up: -1})
	}
	if err := s.cross(true); err != nil {
		return 0, err
	}
	s.each(func(lo, hi float64) {
		if lo < b.y0 || hi > b.y1 {
			return
		}
		for _, c := range s.spans {
			area += max(min(c.r, b.x1)-max(c.l, b.x0), 0) * (hi - lo)
		}
	})
	return area, nil
}
