package parac

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
	"thermsim/gpusolve/sparse/ordering"
)

// hostElimination builds a randomised Cholesky factor on all cores. Vertices are numbered in the order of elimination.
// A vertex is ready once no edge to an earlier one is left; the worker that removes the last one queues it. Edges made
// on the way wait in a linked list of their earlier end until that is eliminated (left-looking).
type hostElimination struct {
	a        *sparse.CSR
	arrays   *reuse.List // where memory comes from; may be nil
	order    []int32     // place -> row of a
	position []int32     // row -> place
	seed     uint64
	headroom int
	double   bool // columns are kept in FP64

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

// column is where the entries of a column of G stand.
type column struct {
	worker, count int32
	first         int64
	pivot         float64
}

// eliminator is one worker with its memory.
type eliminator struct {
	*hostElimination
	number int32
	star   star
	free   []int64 // edges to use again
	fresh  int64   // next unused edge of the worker's chunk
	limit  int64
	rows   []int32 // entries of G
	// Their values, in one of the precisions.
	shares  []float32
	doubles []float64
}

// each runs a part of the work on every worker.
func (e *hostElimination) each(part func(worker int)) {
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

// push puts a vertex into the queue.
func (e *hostElimination) push(k int32) { e.queue[e.tail.Add(1)-1].Store(k + 1) }

// run eliminates all vertices.
func (e *hostElimination) run() {
	e.each(func(w int) {
		e.workers[w].hostElimination, e.workers[w].number = e, int32(w)
		e.workers[w].work()
	})
}

// work takes vertices in the order of the queue until all are eliminated. Waiting cannot last for ever: while vertices
// are left, the earliest of them waits for none but those that other workers have in hand.
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
		if p := w.position[c]; p > k && vals[i] < 0 {
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
		if w.double {
			w.doubles = reuse.Append(w.arrays, w.doubles, s.share[i])
			continue
		}
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
func (e *hostElimination) newChunk() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	old := *e.chunks.Load()
	table := append(old[:len(old):len(old)], (*[chunk]pooled)(reuse.Make[pooled](e.arrays, chunk)))
	e.chunks.Store(&table)
	return int64(len(old)) * chunk
}

// link is an edge of the graph in elimination, in the list of its end that goes first.
type link struct {
	col    int32 // the later end
	origin int32 // the vertex whose elimination made the edge, plus 1; 0 for edges of the matrix
	w      float64
}

// star is what the elimination of one vertex looks at: the vertex, its neighbours and its ground. The arithmetic below,
// its order included, is that of the GPU's kernel, which gives the same bits.
type star struct {
	links []link    // all of the vertex, then one a neighbour, ascending by weight
	times []int32   // how many edges were merged into the one to a neighbour
	sum   []float64 // sum[i] is the weight of neighbours i and later
	share []float64 // weight over pivot: minus the entry of G
	pivot float64

	merged []link // scratch
	counts []int32
}

// prepare merges edges to the same neighbour, sorts the neighbours by weight, the lighter first, and sums.
func (s *star) prepare(ground float64) {
	byKey := func(a, b link) int {
		if c := cmp.Compare(a.col, b.col); c != 0 {
			return c
		}
		return cmp.Compare(a.origin, b.origin)
	}
	sortShort(s.links, byKey)
	s.merged, s.counts = s.merged[:0], s.counts[:0]
	for i := 0; i < len(s.links); {
		e := s.links[i]
		n := int32(1)
		for i++; i < len(s.links) && s.links[i].col == e.col; i++ {
			e.w += s.links[i].w
			n++
		}
		e.origin = int32(len(s.counts)) // finds its count after the sort
		s.merged, s.counts = append(s.merged, e), append(s.counts, n)
	}
	s.links = append(s.links[:0], s.merged...)
	sortShort(s.links, func(a, b link) int {
		if c := cmp.Compare(a.w, b.w); c != 0 {
			return c
		}
		return cmp.Compare(a.col, b.col)
	})
	m := len(s.links)
	s.times, s.sum, s.share = s.times[:0], s.sum[:0], s.share[:0]
	for _, e := range s.links {
		s.times = append(s.times, s.counts[e.origin])
		s.sum = append(s.sum, e.w)
	}
	suffixSums(s.sum)
	s.pivot = ground
	if m > 0 {
		s.pivot += s.sum[0]
	}
	for _, e := range s.links {
		s.share = append(s.share, e.w/s.pivot)
	}
}

// sortShort sorts by insertion where that is fastest.
func sortShort(v []link, compare func(a, b link) int) {
	if len(v) > 24 {
		slices.SortFunc(v, compare)
		return
	}
	for i := 1; i < len(v); i++ {
		e, j := v[i], i
		for ; j > 0 && compare(v[j-1], e) > 0; j-- {
			v[j] = v[j-1]
		}
		v[j] = e
	}
}

// warp is the number of lanes by which sums are arranged.
const warp = 32

// suffixSums replaces v[i] by v[i] + v[i+1] + ... in the order in which a warp adds: by doubling distances within
// pieces of 32, the sum of the pieces behind on top.
func suffixSums(v []float64) {
	carry := 0.0
	for lo := (len(v) - 1) &^ (warp - 1); lo >= 0; lo -= warp {
		piece := v[lo:min(lo+warp, len(v))]
		for by := 1; by < warp; by *= 2 {
			for i := 0; i+by < len(piece); i++ {
				piece[i] += piece[i+by]
			}
		}
		for i := range piece {
			piece[i] += carry
		}
		carry = piece[0]
	}
}

// stream is the start of the random numbers of a vertex.
func stream(seed uint64, vertex int32) uint64 {
	return ordering.Mix(ordering.Mix(seed+golden) + (uint64(vertex)+1)*golden)
}

const golden = 0x9e3779b97f4a7c15

// uniform is number i of a stream, in [0, 1) with 53 bits.
func uniform(stream uint64, i int) float64 {
	return float64(ordering.Mix(stream+(uint64(i)+1)*golden)>>11) * 0x1p-53
}

// sample draws the partner of neighbour i among the heavier ones, with probability in proportion to their weights, and
// gives the weight of the new edge: in expectation that of the clique of an exact elimination, w_i w_j / pivot.
func (s *star) sample(i int, stream uint64) (j int, w float64) {
	total := s.sum[i+1]
	t := uniform(stream, i) * total
	lo, hi := i+1, len(s.sum)-1
	for lo < hi { // the last j whose suffix sum lies above t
		if mid := (lo + hi + 1) / 2; s.sum[mid] > t {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo, float64(total * s.share[i])
}

// fixedUnit is the exponent of the units in which the ground of a vertex is summed.
func fixedUnit(diagonal float64, headroom int) int32 {
	return int32(biasedExponent(diagonal)) - 1022 - 63 + int32(headroom)
}

func biasedExponent(x float64) int { return int(math.Float64bits(x) >> 52 & 0x7ff) }

// power is 2^e, for -1022 <= e <= 1023.
func power(e int32) float64 { return math.Float64frombits(uint64(e+1023) << 52) }

func toFixed(x float64, unit int32) int64   { return int64(math.RoundToEven(x * power(-unit))) }
func fromFixed(x int64, unit int32) float64 { return float64(x) * power(unit) }
