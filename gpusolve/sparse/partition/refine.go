package partition

import (
	"cmp"
	"slices"
)

const (
	refinePasses = 8
	// coarseExcess is the share by which parts of graphs other than the matrix's may exceed the limit.
	coarseExcess = 0.03
)

// refinement moves vertices between parts.
type refinement struct {
	parts int
	limit int64   // rows of a part
	load  []int64 // rows of each part
	most  int64   // rows of a part on the present graph
}

// refine moves vertices at the borders of parts if that reduces the cut, or the rows of parts that have too many. In
// every pass the moves are found in parallel and made one by one.
func (r *refinement) refine(g *graph, part []int32) {
	r.most = r.limit
	if g.size != nil {
		r.most += int64(coarseExcess * float64(r.limit))
	}
	r.load = make([]int64, r.parts)
	for v, p := range part {
		r.load[p] += g.rows(int32(v))
	}
	n := g.n()
	due, later := make([]bool, n), make([]bool, n) // vertices to look at, in this pass and in the next
	for v := range due {
		due[v] = true
	}
	for range refinePasses {
		moves := r.find(g, part, due)
		s := scan{tie: make([]int32, r.parts)}
		moved := false
		for _, m := range moves {
			to, _ := r.best(g, part, m.v, &s)
			if to < 0 {
				continue
			}
			moved = true
			r.load[part[m.v]] -= g.rows(m.v)
			r.load[to] += g.rows(m.v)
			part[m.v] = to
			later[m.v] = true
			for e := g.ptr[m.v]; e < g.ptr[m.v+1]; e++ {
				later[g.to[e]] = true
			}
		}
		if !moved {
			return
		}
		due, later = later, due
	}
}

// find lists the moves of the due vertices, the best first, and clears due.
func (r *refinement) find(g *graph, part []int32, due []bool) []move {
	var found [chunks][]move
	inChunks(g.n(), func(c, lo, hi int) {
		s := scan{tie: make([]int32, r.parts)}
		for v := lo; v < hi; v++ {
			if !due[v] {
				continue
			}
			due[v] = false
			if to, gain := r.best(g, part, int32(v), &s); to >= 0 {
				found[c] = append(found[c], move{int32(v), gain})
			}
		}
	})
	moves := slices.Concat(found[:]...)
	slices.SortFunc(moves, func(a, b move) int { return cmp.Or(cmp.Compare(b.gain, a.gain), cmp.Compare(a.v, b.v)) })
	return moves
}

// scan is memory for the couplings of a vertex to each part.
type scan struct {
	tie     []int32
	touched []int32 // parts with couplings
}

// best is the part to which a vertex should move, or -1, and the entries by which that reduces the cut.
func (r *refinement) best(g *graph, part []int32, v int32, s *scan) (to, gain int32) {
	own, end := part[v], g.ptr[v+1]
	e := g.ptr[v]
	for e < end && part[g.to[e]] == own {
		e++
	}
	if e == end {
		return -1, 0
	}
	s.touched = s.touched[:0]
	for e = g.ptr[v]; e < end; e++ {
		if u := g.to[e]; u != v {
			if s.tie[part[u]] == 0 {
				s.touched = append(s.touched, part[u])
			}
			s.tie[part[u]] += g.edge(e)
		}
	}
	rows, excess := g.rows(v), r.load[own] > r.most
	to = -1
	for _, p := range s.touched {
		after := r.load[p] + rows
		if p == own || after > r.most && !(excess && after < r.load[own]) {
			continue
		}
		if to < 0 || s.tie[p] > s.tie[to] || s.tie[p] == s.tie[to] && r.load[p] < r.load[to] {
			to = p
		}
	}
	if to >= 0 {
		gain = s.tie[to] - s.tie[own]
		if !excess && (gain < 0 || gain == 0 && r.load[to]+rows >= r.load[own]) {
			to = -1
		}
	}
	for _, p := range s.touched {
		s.tie[p] = 0
	}
	return to, gain
}

// spill moves rows of parts that are still too large to parts with room, adjacent ones if possible.
func (r *refinement) spill(g *graph, part []int32) {
	room := int32(0)
	for _, anywhere := range []bool{false, true} {
		for v, p := range part {
			if r.load[p] <= r.limit {
				continue
			}
			to := int32(-1)
			for _, u := range g.to[g.ptr[v]:g.ptr[v+1]] {
				if r.load[part[u]] < r.limit {
					to = part[u]
					break
				}
			}
			if to < 0 && anywhere {
				for r.load[room] >= r.limit {
					room++
				}
				to = room
			}
			if to >= 0 {
				r.load[p]--
				r.load[to]++
				part[v] = to
			}
		}
	}
}
