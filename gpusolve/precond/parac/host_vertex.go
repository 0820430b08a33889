package parac

import (
	"sync/atomic"

	"thermsim/gpusolve/reuse"
)

// eliminate removes a vertex: its column goes to the factor, a random tree takes the place of the clique of its
// neighbours.
func (w *eliminator) eliminate(k int32) {
	v := &w.vertices[k]
	w.gather(k)
	ground := fromFixed(v.ground.Load(), v.unit)
	s := &w.star
	s.prepare(ground)
	level := v.level.Load()
	w.keep(k)
	m := len(s.links)
	random := stream(w.seed, w.order[k])
	for i := range m - 1 {
		j, weight := s.sample(i, random)
		first, later := i, j
		if s.links[i].col > s.links[j].col {
			first, later = j, i
		}
		// Counted before any neighbour is let go: the earlier end might be eliminated at once, and would take the edge
		// off the count again.
		w.vertices[s.links[later].col].waits.Add(1)
		w.insert(s.links[first].col, link{s.links[later].col, k + 1, weight})
	}
	parent := int32(-1)
	for i, l := range s.links {
		n := &w.vertices[l.col]
		if ground > 0 {
			w.addGround(n, float64(ground*s.share[i]))
		}
		raise(&n.level, level+1)
		if parent < 0 || l.col < parent {
			parent = l.col
		}
	}
	if parent >= 0 {
		raise(&w.vertices[parent].height, v.height.Load()+1)
	}
	for i, l := range s.links {
		if w.vertices[l.col].waits.Add(-s.times[i]) == 0 {
			w.push(l.col)
		}
	}
}

// gather fills the star with the edges of the matrix and of the list that lead to later vertices.
func (w *eliminator) gather(k int32) {
	s := &w.star
	s.links = s.links[:0]
	cols, vals := w.a.Row(int(w.order[k]))
	for i, c := range cols {
		if p := w.place[c]; p > k && vals[i] < 0 {
			s.links = append(s.links, link{p, 0, -vals[i]})
		}
	}
	chunks := *w.chunks.Load()
	for at := w.vertices[k].list.Load(); at != 0; {
		p := &chunks[(at-1)/chunk][(at-1)%chunk]
		s.links = append(s.links, p.link)
		w.free = reuse.Append(w.arrays, w.free, at)
		at = p.next
	}
}

// keep adds the column to the factor.
func (w *eliminator) keep(k int32) {
	s := &w.star
	w.columns[k] = column{w.number, int32(len(s.links)), int64(len(w.rows)), s.pivot}
	for i, l := range s.links {
		w.rows = reuse.Append(w.arrays, w.rows, l.col)
		w.shares = reuse.Append(w.arrays, w.shares, float32(s.share[i]))
	}
}

// addGround gives a neighbour its part of the ground. Its sum must stay below half of the range.
func (e *hostElimination) addGround(v *vertex, x float64) {
	const half = 1 << 62
	if scaled := x * power(-v.unit); !(scaled < half) || v.ground.Add(toFixed(x, v.unit)) >= half {
		e.overflow.Store(true)
	}
}

func raise(v *atomic.Int32, to int32) {
	for {
		old := v.Load()
		if old >= to || v.CompareAndSwap(old, to) {
			return
		}
	}
}
