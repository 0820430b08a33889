package cuda

import (
	"math"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// network is a graph in device memory; see ops.Graph.
type network struct {
	s                *space
	n, entries       int64
	ptr, to, weight  cu.DevicePtr
	ground, diagonal cu.DevicePtr
}

// partition is a graph's clusters in device memory, with what the next quotient needs of them.
type partition struct {
	s                 *space
	n, count          int64 // vertices and clusters
	of, first, member cu.DevicePtr
	ground, terms     cu.DevicePtr // of the clusters: sums of grounds and of neighbours
	quality, average  float64
	split             int
}

var (
	_ ops.Coarsener = (*system)(nil)
	_ ops.Coarsener = (*matrix)(nil)
	_ ops.Network   = (*network)(nil)
	_ ops.Partition = (*partition)(nil)
)

// Len is the number of vertices.
func (g *network) Len() int { return int(g.n) }

// Entries is the number of neighbours.
func (g *network) Entries() int64 { return g.entries }

// Release gives the memory back.
func (g *network) Release() {
	for _, p := range []cu.DevicePtr{g.ptr, g.to, g.weight, g.ground, g.diagonal} {
		g.s.free(p)
	}
}

// Download copies the graph to the host.
func (g *network) Download() *ops.Graph {
	h := &ops.Graph{
		Ptr: make([]int64, g.n+1), Col: make([]int32, g.entries), Weight: make([]float32, g.entries),
		Ground: make([]float64, g.n), Diagonal: make([]float64, g.n),
	}
	receiveSlice(g.s, h.Ptr, g.ptr)
	receiveSlice(g.s, h.Col, g.to)
	receiveSlice(g.s, h.Weight, g.weight)
	receiveSlice(g.s, h.Ground, g.ground)
	receiveSlice(g.s, h.Diagonal, g.diagonal)
	return h
}

// N is the number of clusters.
func (p *partition) N() int { return int(p.count) }

// Figures of the decomposition.
func (p *partition) Figures() (quality, average float64, split int) {
	return p.quality, p.average, p.split
}

// Download copies the clusters to the host.
func (p *partition) Download() *ops.Clusters {
	c := &ops.Clusters{Of: make([]int32, p.n), Ptr: make([]int32, p.count+1), Members: make([]int32, p.n)}
	receiveSlice(p.s, c.Of, p.of)
	receiveSlice(p.s, c.Ptr, p.first)
	receiveSlice(p.s, c.Members, p.member)
	return c
}

// NetworkRows is where launches and waits take longer than the host's work.
func (s *space) NetworkRows() int { return 20000 }

// workspace is device memory for the time of an operation.
type workspace struct {
	s   *space
	all []cu.DevicePtr
}

func (w *workspace) take(bytes int64) cu.DevicePtr {
	p := w.s.alloc(bytes)
	w.all = append(w.all, p)
	return p
}

func (w *workspace) free() {
	for _, p := range w.all {
		w.s.free(p)
	}
}

// setup is the module of set-up kernels with the space that launches them.
type setup struct {
	*kernels.Cmg
	s *space
}

func (s *space) setup() (setup, error) {
	k, err := module(s.Device, "cmg", kernels.LoadCmg)
	return setup{k, s}, err
}

// read copies one value and waits.
func read[T any](s *space, p cu.DevicePtr) T {
	var v [1]T
	receiveSlice(s, v[:], p)
	return v[0]
}

// starts sets each of n values of start, 32 bits, or wide, 64 bits, to the sum of those before it, and the one after the last to the sum of all.
func (k setup) starts(n int64, values, start, wide cu.DevicePtr) {
	grid := k.s.each(n)
	w := workspace{s: k.s}
	defer w.free()
	sums := w.take(8 * int64(grid[0]))
	if k.s.ready() {
		k.s.note(k.SumParts(k.s.stream, grid, n, values, sums))
		k.s.note(k.StartParts(k.s.stream, [3]uint32{1, 1, 1}, int32(grid[0]), sums))
		k.s.note(k.StartValues(k.s.stream, grid, n, values, sums, start, wide))
	}
}

// ReadNetwork reads the matrix as a graph.
func (s *space) ReadNetwork(r ops.Rows) (ops.Network, bool, error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	a := r.(*rows)
	g := &network{s: s, n: a.n, entries: a.entries - a.n}
	if g.entries <= 0 {
		return nil, false, s.err
	}
	g.ptr, g.to, g.weight = s.alloc(8*(g.n+1)), s.alloc(4*g.entries), s.alloc(4*g.entries)
	g.ground, g.diagonal = s.alloc(8*g.n), s.alloc(8*g.n)
	w := workspace{s: s}
	defer w.free()
	fault := w.take(4)
	if s.ready() {
		s.note(k.ReadRows(s.stream, s.each(g.n+1), g.n, a.rowPtr, a.col, a.val, g.ptr, g.to, g.weight, g.ground, g.diagonal, fault))
	}
	if read[int32](s, fault) != 0 || s.err != nil {
		g.Release()
		return nil, false, s.err
	}
	return g, true, nil
}

// DecomposeNetwork finds the clusters.
func (s *space) DecomposeNetwork(net ops.Network, kappa float64) (ops.Partition, bool, error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	g := net.(*network)
	w := workspace{s: s}
	defer w.free()
	p := &partition{s: s, n: g.n}
	top, ok := k.pieces(g, kappa, p, &w)
	if !ok || s.err != nil {
		return nil, false, s.err
	}
	if !k.gather(g, p, top, &w) || s.err != nil {
		p.release()
		return nil, false, s.err
	}
	return p, true, nil
}

func (p *partition) release() {
	for _, a := range []cu.DevicePtr{p.of, p.first, p.member, p.ground, p.terms} {
		p.s.free(a)
	}
}

// pieces grows the forest and cuts it up; the result is the top of every vertex's piece.
func (k setup) pieces(g *network, kappa float64, p *partition, w *workspace) (top cu.DevicePtr, ok bool) {
	s, n, grid := k.s, g.n, k.s.each(g.n)
	pick, picked, cut, parent := w.take(4*n), w.take(4*n), w.take(4*n), w.take(4*n)
	depth, tops, count, final := w.take(4*n), w.take(4*n), w.take(4*n), w.take(4*n)
	partial, mean, deeper := w.take(16*int64(grid[0])), w.take(8), w.take(4)
	if !s.ready() {
		return 0, false
	}
	s.note(k.Heaviest(s.stream, grid, n, g.ptr, g.to, g.weight, g.diagonal, pick, picked, partial))
	s.note(k.Average(s.stream, [3]uint32{1, 1, 1}, int32(grid[0]), partial, mean))
	s.note(k.CutHigh(s.stream, grid, n, g.ptr, g.to, g.weight, g.diagonal, pick, picked, mean, kappa, cut))
	s.note(k.Join(s.stream, grid, n, pick, cut, parent))
	s.note(k.Climb(s.stream, grid, n, parent, depth, tops, count, deeper))
	s.note(k.SettlePieces(s.stream, grid, n, parent, tops, count, final))
	p.average = read[float64](s, mean)
	if read[int32](s, deeper) != 0 || s.err != nil {
		return 0, false
	}

	volume, whole, below := w.take(8*n), w.take(8*n), w.take(8*n)
	trimmed, quality, cuts := w.take(4*n), w.take(8), w.take(4)
	sendSlice(s, quality, []float64{1})
	if !s.ready() {
		return 0, false
	}
	s.note(k.Bare(s.stream, grid, n, g.ptr, g.to, g.weight, g.diagonal, parent, picked, final, volume))
	// A piece is two edges deep, and pieces of two vertices may hang from it.
	for layer := int32(4); layer >= 0; layer-- {
		s.note(k.WeighLayer(s.stream, grid, n, layer, g.ptr, g.to, g.weight, parent, depth, final, volume, whole))
	}
	for layer := int32(4); layer > 0; layer-- {
		s.note(k.TrimLayer(s.stream, grid, n, layer, 1/(2*kappa), mean, g.ptr, g.to, g.weight, parent, picked, depth, final, volume, whole, below, trimmed, quality, cuts))
	}
	p.quality, p.split = math.Float64frombits(read[uint64](s, quality)), int(read[int32](s, cuts))
	if p.split == 0 {
		return final, s.err == nil
	}
	if s.ready() {
		s.note(k.Relabel(s.stream, grid, n, parent, trimmed, final, tops))
	}
	return tops, s.err == nil
}

// gather numbers the clusters by their first vertices and lists their members.
func (k setup) gather(g *network, p *partition, top cu.DevicePtr, w *workspace) (ok bool) {
	s, n, grid := k.s, g.n, k.s.each(g.n)
	first, lead, before, number := w.take(4*n), w.take(4*n), w.take(4*(n+1)), w.take(4*n)
	if !s.ready() {
		return false
	}
	s.note(k.Mark(s.stream, grid, n, top, first))
	s.note(k.Leads(s.stream, grid, n, top, first, lead))
	k.starts(n, lead, before, 0)
	p.count = int64(read[int32](s, before+cu.DevicePtr(4*n)))
	if s.err != nil || 2*p.count > n {
		return false
	}
	p.of, p.first, p.member = s.alloc(4*n), s.alloc(4*(p.count+1)), s.alloc(4*n)
	p.ground, p.terms = s.alloc(8*p.count), s.alloc(4*p.count)
	size, most := w.take(4*p.count), w.take(4)
	if !s.ready() {
		return false
	}
	s.note(k.NumberTops(s.stream, grid, n, top, lead, before, number))
	s.note(k.Assign(s.stream, grid, n, top, number, p.of, size))
	k.starts(p.count, size, p.first, 0)
	s.note(k.Place(s.stream, grid, n, p.of, p.first, size, p.member))
	s.note(k.SortMembers(s.stream, s.each(p.count), int32(p.count), p.first, p.member, g.ground, g.ptr, p.ground, p.terms, most))
	return read[int32](s, most) == 0
}

// QuotientNetwork forms R A R^T. Rows of the quotient have room for all of their terms first, which are as many as the graph has entries.
func (s *space) QuotientNetwork(net ops.Network, clusters ops.Partition) (ops.Network, bool, error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	g, p := net.(*network), clusters.(*partition)
	w := workspace{s: s}
	defer w.free()
	q := &network{s: s, n: p.count, ptr: s.alloc(8 * (p.count + 1)), ground: p.ground, diagonal: s.alloc(8 * p.count)}
	room, kept := w.take(8*(p.count+1)), w.take(4*p.count)
	to, weight := w.take(4*g.entries), w.take(4*g.entries)
	rows := [3]uint32{blocks(int(p.count), kernels.CmgRows), 1, 1}
	k.starts(p.count, p.terms, 0, room)
	if s.ready() {
		s.note(k.Merge(s.stream, rows, int32(p.count), p.first, p.member, g.ptr, g.to, g.weight, p.of, room, to, weight, kept))
	}
	k.starts(p.count, kept, 0, q.ptr)
	q.entries = read[int64](s, q.ptr+cu.DevicePtr(8*p.count))
	q.to, q.weight = s.alloc(4*q.entries), s.alloc(4*q.entries)
	if s.ready() {
		s.note(k.Compact(s.stream, rows, int32(p.count), room, to, weight, q.ptr, q.ground, q.to, q.weight, q.diagonal))
	}
	s.free(p.terms)
	return q, s.err == nil, s.err
}
