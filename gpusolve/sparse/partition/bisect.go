package partition

import "sync"

// bisector divides a graph by bisections.
type bisector struct {
	limit int64   // rows of a part
	part  []int32 // the result
}

// divide divides a graph into parts from first on. vertices are the positions of its vertices in the result.
func (b bisector) divide(g *graph, vertices []int32, first, parts int) {
	if parts == 1 || g.n() == 0 {
		for _, v := range vertices {
			b.part[v] = int32(first)
		}
		return
	}
	left := parts / 2
	total := g.total()
	target := total * int64(left) / int64(parts)
	free := max(0, int64(parts)*b.limit-total) * int64(left) / int64(parts) / 2
	aim := &aim{target: target, most: [2]int64{target + free, total - target + free}}
	side := aim.halves(g)
	var wait sync.WaitGroup
	for s, count := range []int{left, parts - left} {
		half := func() {
			sub, of := g.induced(side, uint8(s))
			for i, v := range of {
				of[i] = vertices[v]
			}
			b.divide(sub, of, first+s*left, count)
		}
		if g.n() > 2000 {
			wait.Go(half)
		} else {
			half()
		}
	}
	wait.Wait()
}

const (
	bisectVertices = 60 // at which coarsening ends
	trials         = 6  // starts on the smallest graph
	fmPasses       = 6
	fmPatience     = 60 // moves without a better cut that end a pass
)

// aim of a bisection: the rows of side 0, and the most of either side.
type aim struct {
	target int64
	most   [2]int64
}

// halves divides a graph in two, coarser ones first.
func (b *aim) halves(g *graph) []uint8 {
	if g.n() > bisectVertices {
		limit := min(2*g.largest(), (b.most[0]+b.most[1])/16)
		if of, coarse := g.coarsen(limit); 10*coarse.n() < 9*g.n() {
			above := b.halves(coarse)
			f := newFM(g, b)
			for v := range f.side {
				f.side[v] = above[of[v]]
			}
			f.improve()
			return f.side
		}
	}
	var best *fm
	for t := range trials {
		f := newFM(g, b)
		f.start(int32(g.n() * t / trials))
		f.improve()
		if best == nil || f.better(best.over(), best.cut) {
			best = f
		}
	}
	return best.side
}

// fm is the method of Fiduccia and Mattheyses (1982): vertices change sides one by one, the best first, each once in a
// pass, also where the cut grows; then the best state is restored.
type fm struct {
	*graph
	*aim
	side   []uint8
	gain   []int32
	locked []bool
	load   [2]int64
	cut    int64
	queue  [2]heap
}

func newFM(g *graph, b *aim) *fm {
	n := g.n()
	return &fm{graph: g, aim: b, side: make([]uint8, n), gain: make([]int32, n), locked: make([]bool, n)}
}

// over is how many rows are too many on a side.
func (f *fm) over() int64 { return max(0, f.load[0]-f.most[0], f.load[1]-f.most[1]) }

func (f *fm) better(over, cut int64) bool {
	return f.over() < over || f.over() == over && f.cut < cut
}

// count sets gains, loads and the cut. The cut is in entries of both directions.
func (f *fm) count() {
	f.cut, f.load = 0, [2]int64{}
	for v := range int32(f.n()) {
		f.load[f.side[v]] += f.rows(v)
		f.gain[v] = 0
		for e := f.ptr[v]; e < f.ptr[v+1]; e++ {
			switch u := f.to[e]; {
			case u == v:
			case f.side[u] == f.side[v]:
				f.gain[v] -= f.edge(e)
			default:
				f.gain[v] += f.edge(e)
				f.cut += int64(f.edge(e))
			}
		}
	}
}

// start grows side 0 from a vertex, always by the adjacent vertex with the greatest gain.
func (f *fm) start(v int32) {
	for u := range f.side {
		f.side[u] = 1
	}
	f.count()
	f.queue = [2]heap{}
	next := 0
	for f.load[0]+f.rows(v)/2 < f.target {
		f.flip(v)
		v = f.pop(1)
		for ; v < 0 && next < f.n(); next++ {
			if f.side[next] == 1 {
				v = int32(next)
			}
		}
		if v < 0 {
			return
		}
	}
}

// flip moves a vertex to the other side and queues its neighbours.
func (f *fm) flip(v int32) {
	from := f.side[v]
	f.side[v] = 1 - from
	f.load[from] -= f.rows(v)
	f.load[1-from] += f.rows(v)
	f.cut -= 2 * int64(f.gain[v])
	f.gain[v] = -f.gain[v]
	for e := f.ptr[v]; e < f.ptr[v+1]; e++ {
		u := f.to[e]
		if u == v {
			continue
		}
		if f.side[u] == from {
			f.gain[u] += 2 * f.edge(e)
		} else {
			f.gain[u] -= 2 * f.edge(e)
		}
		if !f.locked[u] {
			f.queue[f.side[u]].push(f.gain[u], u)
		}
	}
}

// pop takes the vertex with the greatest gain from a side's queue, or returns -1.
func (f *fm) pop(side uint8) int32 {
	q := &f.queue[side]
	for len(*q) > 0 {
		top := q.pop()
		if f.side[top.v] == side && !f.locked[top.v] && f.gain[top.v] == top.gain {
			return top.v
		}
	}
	return -1
}

// next takes the next vertex that may change sides, or returns -1.
func (f *fm) next() int32 {
	var v [2]int32
	for s := range v {
		for {
			v[s] = f.pop(uint8(s))
			if v[s] < 0 || f.load[1-s]+f.rows(v[s]) <= f.most[1-s] || f.load[s] > f.most[s] {
				break
			}
		}
	}
	take := 0
	switch {
	case v[0] < 0:
		take = 1
	case v[1] < 0:
	case f.load[0] > f.most[0]:
	case f.load[1] > f.most[1]:
		take = 1
	case f.gain[v[1]] > f.gain[v[0]]:
		take = 1
	}
	if other := v[1-take]; other >= 0 {
		f.queue[1-take].push(f.gain[other], other)
	}
	return v[take]
}

// improve makes passes until one changes nothing.
func (f *fm) improve() {
	f.count()
	for range fmPasses {
		if !f.pass() {
			return
		}
	}
}

func (f *fm) pass() (improved bool) {
	f.queue = [2]heap{}
	over := f.over()
	for v := range int32(f.n()) {
		if f.ptr[v] == f.ptr[v+1] || over > 0 || f.borders(v) {
			f.queue[f.side[v]].push(f.gain[v], v)
		}
	}
	cut, kept := f.cut, 0
	var moves []int32
	for len(moves)-kept < fmPatience {
		v := f.next()
		if v < 0 {
			break
		}
		f.locked[v] = true
		f.flip(v)
		moves = append(moves, v)
		if f.better(over, cut) {
			over, cut, kept, improved = f.over(), f.cut, len(moves), true
		}
	}
	f.queue = [2]heap{}
	for i := len(moves) - 1; i >= kept; i-- {
		f.flip(moves[i])
	}
	for _, v := range moves {
		f.locked[v] = false
	}
	return improved
}

// borders says whether a vertex has neighbours on the other side.
func (f *fm) borders(v int32) bool {
	for e := f.ptr[v]; e < f.ptr[v+1]; e++ {
		if f.side[f.to[e]] != f.side[v] {
			return true
		}
	}
	return false
}
