package host

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
)

// elimination builds a randomised Cholesky factor on all cores. Vertices are named by their places in the order of elimination. A vertex may go once
// no edge to an earlier one is left; whoever removes the last puts it into the queue. Edges made on the way wait in a linked list of their earlier
// end until that is eliminated (left-looking).
type elimination struct {
	a        *sparse.CSR
	order    []int32 // place -> row of a
	place    []int32 // row -> place
	seed     uint64
	headroom int

	vertices []vertex
	queue    []atomic.Int32 // places plus 1, 0 while unknown
	tail     atomic.Int64   // how many have been put in
	next     atomic.Int64   // how many have been taken
	overflow atomic.Bool    // a ground left its fixed-point range

	mu      sync.Mutex
	chunks  atomic.Pointer[[]*[chunk]pooled] // the edges of all lists
	columns []column                         // of the factor, by place
	workers []eliminator
}

// vertex is the state of one vertex while it waits.
type vertex struct {
	waits  atomic.Int32 // edges to earlier vertices, by multiplicity
	level  atomic.Int32 // 1 + the highest level among the eliminated neighbours
	height atomic.Int32 // the same along the elimination tree alone
	unit   int32
	ground atomic.Int64 // in units of 2^unit
	list   atomic.Int64 // newest edge, 0 for none
}

// pooled is an edge in a list; next is the one inserted before.
type pooled struct {
	next int64
	link
}

const chunk = 1 << 14

// asymmetry is what rounding may leave between an entry and its mirror image, relative to them.
const asymmetry = 1e-10

// column is where the entries of a column of G stand.
type column struct {
	worker, count int32
	first         int64
	pivot         float64
}

// eliminator is one worker with its memory.
type eliminator struct {
	*elimination
	number int32
	star   star
	free   []int64 // edges to use again
	fresh  int64   // next unused edge of the worker's chunk
	limit  int64
	rows   []int32 // entries of G
	shares []float32
}

// newElimination checks the matrix and readies it for so many workers.
func newElimination(a *sparse.CSR, order []int32, seed uint64, headroom, workers int) (*elimination, error) {
	n := a.N()
	e := &elimination{a: a, order: order, place: make([]int32, n), seed: seed, headroom: headroom, vertices: make([]vertex, n), queue: make([]atomic.Int32, n),
		columns: make([]column, n), workers: make([]eliminator, workers)}
	e.chunks.Store(new([]*[chunk]pooled))
	for k, v := range order {
		e.place[v] = int32(k)
	}
	failed := make([]error, workers)
	e.each(func(w int) {
		for row := n * w / workers; row < n*(w+1)/workers && failed[w] == nil; row++ {
			failed[w] = e.start(int32(row))
		}
	})
	for _, err := range failed { // the first in the order of the rows
		if err != nil {
			return nil, err
		}
	}
	return e, nil
}

// each runs a part of the work on every worker.
func (e *elimination) each(part func(worker int)) {
	var wait sync.WaitGroup
	for w := range e.workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			part(w)
		}()
	}
	wait.Wait()
}

// start counts the earlier neighbours of a row's vertex and takes the excess of its diagonal as ground.
func (e *elimination) start(row int32) error {
	k := e.place[row]
	cols, vals := e.a.Row(int(row))
	diagonal, coupled := 0.0, 0.0
	waits := int32(0)
	for i, c := range cols {
		w := vals[i]
		switch {
		case c == row:
			diagonal = w
			continue
		case !(w <= 0):
			return fmt.Errorf("parac: the entry in row %d, column %d is %g: %w", row+1, c+1, w, ops.ErrPositive)
		}
		if back := e.entry(c, row); math.Abs(back-w) > asymmetry*-w {
			return fmt.Errorf("parac: the matrix is not symmetric: %g in row %d, column %d, and %g in row %d, column %d", w, row+1, c+1, back, c+1, row+1)
		}
		coupled -= w
		if w < 0 && e.place[c] < k {
			waits++
		}
	}
	excess, err := groundOf(row, diagonal, coupled, len(cols))
	if err != nil {
		return err
	}
	v := &e.vertices[k]
	v.unit = fixedUnit(diagonal, e.headroom)
	v.ground.Store(toFixed(excess, v.unit))
	v.waits.Store(waits)
	if waits == 0 {
		e.push(k)
	}
	return nil
}

// entry finds one of the matrix, 0 where none is stored.
func (e *elimination) entry(r, c int32) float64 {
	cols, vals := e.a.Row(int(r))
	if i, ok := slices.BinarySearch(cols, c); ok {
		return vals[i]
	}
	return 0
}

// groundOf is the excess of a diagonal over its row's couplings; what rounding of the row's sum explains is no ground.
func groundOf(row int32, diagonal, coupled float64, entries int) (float64, error) {
	if b := biasedExponent(diagonal); !(diagonal >= 0) || diagonal > 0 && (b < 128 || b > 1919) || coupled > 0 && diagonal == 0 {
		return 0, fmt.Errorf("parac: the diagonal of row %d is %g; it must be positive, and between 1e-270 and 1e270", row+1, diagonal)
	}
	excess, rounding := diagonal-coupled, float64(entries)*0x1p-52*diagonal
	if excess < -rounding {
		return 0, fmt.Errorf("parac: row %d is not diagonally dominant: its diagonal %g is below the sum %g of its couplings", row+1, diagonal, coupled)
	}
	if excess <= rounding {
		excess = 0
	}
	return excess, nil
}

// push puts a vertex into the queue.
func (e *elimination) push(k int32) { e.queue[e.tail.Add(1)-1].Store(k + 1) }

// run eliminates all vertices.
func (e *elimination) run() {
	e.each(func(w int) {
		e.workers[w].elimination, e.workers[w].number = e, int32(w)
		e.workers[w].work()
	})
}

// work takes vertices in the order of the queue until all are eliminated. Waiting cannot last for ever: while vertices are left, the earliest of them
// waits for none but those that other workers have in hand.
func (w *eliminator) work() {
	for {
		at := w.next.Add(1) - 1
		if at >= int64(len(w.queue)) {
			return
		}
		k := w.queue[at].Load()
		for spins := 0; k == 0; spins++ {
			if spins%16 == 15 {
				runtime.Gosched()
			}
			k = w.queue[at].Load()
		}
		w.eliminate(k - 1)
	}
}

// eliminate removes a vertex: its column goes to the factor, a random tree takes the place of the clique of its neighbours.
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
		// Counted before any neighbour is let go: the earlier end might be eliminated at once, and would take the edge off the count again.
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
		w.free = append(w.free, at)
		at = p.next
	}
}

// insert puts an edge into the list of its earlier end.
func (w *eliminator) insert(first int32, l link) {
	var at int64
	if n := len(w.free); n > 0 {
		at, w.free = w.free[n-1], w.free[:n-1]
	} else {
		if w.fresh == w.limit {
			w.fresh = w.newChunk()
			w.limit = w.fresh + chunk
		}
		w.fresh++
		at = w.fresh
	}
	p := &(*w.chunks.Load())[(at-1)/chunk][(at-1)%chunk]
	p.link = l
	list := &w.vertices[first].list
	for {
		p.next = list.Load()
		if list.CompareAndSwap(p.next, at) {
			return
		}
	}
}

// newChunk adds memory for edges. The table of chunks is replaced, never changed, so that others may read on.
func (e *elimination) newChunk() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	old := *e.chunks.Load()
	table := append(old[:len(old):len(old)], new([chunk]pooled))
	e.chunks.Store(&table)
	return int64(len(old)) * chunk
}

// keep adds the column to the factor.
func (w *eliminator) keep(k int32) {
	s := &w.star
	w.columns[k] = column{w.number, int32(len(s.links)), int64(len(w.rows)), s.pivot}
	for i, l := range s.links {
		w.rows = append(w.rows, l.col)
		w.shares = append(w.shares, float32(s.share[i]))
	}
}

// addGround gives a neighbour its part of the ground. Its sum must stay below half of the range.
func (e *elimination) addGround(v *vertex, x float64) {
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
