package cuda

import (
	"math"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// network is a graph in device memory; see ops.Graph.
type network struct {
	s                *Space
	n, entries       int64
	ptr              cu.Ptr[int64]
	to               cu.Ptr[int32]
	weight           cu.Ptr[float32]
	ground, diagonal cu.Ptr[float64]
}

// partition is a graph's clusters in device memory, with what the next quotient needs of them.
type partition struct {
	s                 *Space
	n, count          int64 // vertices and clusters
	of, first, member cu.Ptr[int32]
	ground            cu.Ptr[float64] // of the clusters: sums of grounds
	terms             cu.Ptr[int32]   // and of neighbours
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
	g.s.Discard(g.ptr, g.to, g.weight, g.ground, g.diagonal)
}

// Download copies the graph to the host.
func (g *network) Download() *ops.Graph {
	h := &ops.Graph{
		Ptr: make([]int64, g.n+1), Col: make([]int32, g.entries), Weight: make([]float32, g.entries),
		Ground: make([]float64, g.n), Diagonal: make([]float64, g.n),
	}
	Receive(g.s, h.Ptr, g.ptr)
	Receive(g.s, h.Col, g.to)
	Receive(g.s, h.Weight, g.weight)
	Receive(g.s, h.Ground, g.ground)
	Receive(g.s, h.Diagonal, g.diagonal)
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
	Receive(p.s, c.Of, p.of)
	Receive(p.s, c.Ptr, p.first)
	Receive(p.s, c.Members, p.member)
	return c
}

// NetworkRows is where launches and waits take longer than the host's work.
func (s *Space) NetworkRows() int { return 20000 }

// setup is the module of set-up kernels with the space that launches them.
type setup struct {
	*kernels.Cmg
	s *Space
}

func (s *Space) setup() (setup, error) {
	k, err := Module(s.Device, "cmg", kernels.LoadCmg)
	return setup{k, s}, err
}

// starts sets each of n values of start, 32 bits, or wide, 64 bits, to the sum of those before it, and the one after the last to the sum of all.
func (k setup) starts(n int64, values, start cu.Ptr[int32], wide cu.Ptr[int64]) {
	grid := k.s.each(n)
	w := NewTemporary(k.s)
	defer w.Discard()
	sums := Take[int64](w, int64(grid[0]))
	if k.s.Ready() {
		k.s.Note(k.SumParts(k.s.Stream, grid, kernels.CmgSumPartsArgs{N: n, Values: values, Sums: sums}))
		k.s.Note(k.StartParts(k.s.Stream, [3]uint32{1, 1, 1}, kernels.CmgStartPartsArgs{Blocks: int32(grid[0]), Sums: sums}))
		k.s.Note(k.StartValues(k.s.Stream, grid, kernels.CmgStartValuesArgs{N: n, Values: values, Sums: sums, Start: start, Wide: wide}))
	}
}

// ReadNetwork reads the matrix as a graph.
func (s *Space) ReadNetwork(r ops.Rows) (ops.Network, bool, error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	a := r.(*Rows)
	g := &network{s: s, n: a.n, entries: a.entries - a.n}
	if g.entries <= 0 {
		return nil, false, s.err
	}
	g.ptr, g.to, g.weight = Alloc[int64](s, g.n+1), Alloc[int32](s, g.entries), Alloc[float32](s, g.entries)
	g.ground, g.diagonal = Alloc[float64](s, g.n), Alloc[float64](s, g.n)
	w := NewTemporary(s)
	defer w.Discard()
	fault := Take[int32](w, 1)
	if s.Ready() {
		s.Note(k.ReadRows(s.Stream, s.each(g.n+1), kernels.CmgReadRowsArgs{
			N: g.n, RowPtr: a.rowPtr, Col: a.col, Val: a.val, Ptr: g.ptr, To: g.to, Weight: g.weight, Ground: g.ground,
			Diagonal: g.diagonal, Fault: fault,
		}))
	}
	if ReceiveOne(s, fault) != 0 || s.err != nil {
		g.Release()
		return nil, false, s.err
	}
	return g, true, nil
}

// DecomposeNetwork finds the clusters.
func (s *Space) DecomposeNetwork(net ops.Network, kappa float64) (ops.Partition, bool, error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	g := net.(*network)
	w := NewTemporary(s)
	defer w.Discard()
	p := &partition{s: s, n: g.n}
	top, ok := k.pieces(g, kappa, p, w)
	if !ok || s.err != nil {
		return nil, false, s.err
	}
	if !k.gather(g, p, top, w) || s.err != nil {
		p.release()
		return nil, false, s.err
	}
	return p, true, nil
}

func (p *partition) release() {
	p.s.Discard(p.of, p.first, p.member, p.ground, p.terms)
}

// pieces grows the forest and cuts it up; the result is the top of every vertex's piece.
func (k setup) pieces(g *network, kappa float64, p *partition, w *Temporary) (top cu.Ptr[int32], ok bool) {
	s, n, grid := k.s, g.n, k.s.each(g.n)
	pick, picked, cut, parent := Take[int32](w, n), Take[float32](w, n), Take[int32](w, n), Take[int32](w, n)
	depth, tops, count, final := Take[int32](w, n), Take[int32](w, n), Take[int32](w, n), Take[int32](w, n)
	partial, mean, deeper := Take[float64](w, 2*int64(grid[0])), Take[float64](w, 1), Take[int32](w, 1)
	if !s.Ready() {
		return top, false
	}
	s.Note(k.Heaviest(s.Stream, grid, kernels.CmgHeaviestArgs{
		N: n, Ptr: g.ptr, To: g.to, Weight: g.weight, Diagonal: g.diagonal, Pick: pick, Picked: picked, Partial: partial,
	}))
	s.Note(k.Average(s.Stream, [3]uint32{1, 1, 1}, kernels.CmgAverageArgs{Blocks: int32(grid[0]), Partial: partial, Mean: mean}))
	s.Note(k.CutHigh(s.Stream, grid, kernels.CmgCutHighArgs{
		N: n, Ptr: g.ptr, To: g.to, Weight: g.weight, Diagonal: g.diagonal, Pick: pick, Picked: picked, Mean: mean, Kappa: kappa,
		Cut: cut,
	}))
	s.Note(k.Join(s.Stream, grid, kernels.CmgJoinArgs{N: n, Pick: pick, Cut: cut, Parent: parent}))
	s.Note(k.Climb(s.Stream, grid, kernels.CmgClimbArgs{N: n, Parent: parent, Depth: depth, Top: tops, Count: count, Deeper: deeper}))
	s.Note(k.SettlePieces(s.Stream, grid, kernels.CmgSettlePiecesArgs{N: n, Parent: parent, Top: tops, Count: count, Final: final}))
	p.average = ReceiveOne(s, mean)
	if ReceiveOne(s, deeper) != 0 || s.err != nil {
		return top, false
	}

	volume, whole, below := Take[float64](w, n), Take[float64](w, n), Take[float64](w, n)
	trimmed, quality, cuts := Take[int32](w, n), Take[uint64](w, 1), Take[int32](w, 1)
	Send(s, quality, []uint64{math.Float64bits(1)})
	if !s.Ready() {
		return top, false
	}
	s.Note(k.Bare(s.Stream, grid, kernels.CmgBareArgs{
		N: n, Ptr: g.ptr, To: g.to, Weight: g.weight, Diagonal: g.diagonal, Parent: parent, Picked: picked, Top: final,
		Volume: volume,
	}))
	// A piece is two edges deep, and pieces of two vertices may hang from it.
	for layer := int32(4); layer >= 0; layer-- {
		s.Note(k.WeighLayer(s.Stream, grid, kernels.CmgWeighLayerArgs{
			N: n, Layer: layer, Ptr: g.ptr, To: g.to, Weight: g.weight, Parent: parent, Depth: depth, Top: final, Volume: volume,
			Below: whole,
		}))
	}
	for layer := int32(4); layer > 0; layer-- {
		s.Note(k.TrimLayer(s.Stream, grid, kernels.CmgTrimLayerArgs{
			N: n, Layer: layer, Least: 1 / (2 * kappa), Mean: mean, Ptr: g.ptr, To: g.to, Weight: g.weight, Parent: parent,
			Picked: picked, Depth: depth, Top: final, Volume: volume, Whole: whole, Below: below, Cut: trimmed, Quality: quality,
			Cuts: cuts,
		}))
	}
	p.quality, p.split = math.Float64frombits(ReceiveOne(s, quality)), int(ReceiveOne(s, cuts))
	if p.split == 0 {
		return final, s.err == nil
	}
	if s.Ready() {
		s.Note(k.Relabel(s.Stream, grid, kernels.CmgRelabelArgs{N: n, Parent: parent, Cut: trimmed, Top: final, Fresh: tops}))
	}
	return tops, s.err == nil
}

// gather numbers the clusters by their first vertices and lists their members.
func (k setup) gather(g *network, p *partition, top cu.Ptr[int32], w *Temporary) (ok bool) {
	s, n, grid := k.s, g.n, k.s.each(g.n)
	first, lead, before, number := Take[int32](w, n), Take[int32](w, n), Take[int32](w, n+1), Take[int32](w, n)
	if !s.Ready() {
		return false
	}
	s.Note(k.Mark(s.Stream, grid, kernels.CmgMarkArgs{N: n, Top: top, First: first}))
	s.Note(k.Leads(s.Stream, grid, kernels.CmgLeadsArgs{N: n, Top: top, First: first, Lead: lead}))
	k.starts(n, lead, before, cu.Ptr[int64]{})
	p.count = int64(ReceiveOne(s, before.Add(n)))
	if s.err != nil || 2*p.count > n {
		return false
	}
	p.of, p.first, p.member = Alloc[int32](s, n), Alloc[int32](s, p.count+1), Alloc[int32](s, n)
	p.ground, p.terms = Alloc[float64](s, p.count), Alloc[int32](s, p.count)
	size, most := Take[int32](w, p.count), Take[int32](w, 1)
	if !s.Ready() {
		return false
	}
	s.Note(k.NumberTops(s.Stream, grid, kernels.CmgNumberTopsArgs{N: n, Top: top, Lead: lead, Before: before, Number: number}))
	s.Note(k.Assign(s.Stream, grid, kernels.CmgAssignArgs{N: n, Top: top, Number: number, Of: p.of, Size: size}))
	k.starts(p.count, size, p.first, cu.Ptr[int64]{})
	s.Note(k.Place(s.Stream, grid, kernels.CmgPlaceArgs{N: n, Of: p.of, First: p.first, Size: size, Member: p.member}))
	s.Note(k.SortMembers(s.Stream, s.each(p.count), kernels.CmgSortMembersArgs{
		Clusters: int32(p.count), First: p.first, Member: p.member, Ground: g.ground, Ptr: g.ptr, CoarseGround: p.ground,
		Terms: p.terms, Most: most,
	}))
	return ReceiveOne(s, most) == 0
}

// QuotientNetwork forms R A R^T. Rows of the quotient have room for all of their terms first, which are as many as the graph has entries.
func (s *Space) QuotientNetwork(net ops.Network, clusters ops.Partition) (ops.Network, bool, error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	g, p := net.(*network), clusters.(*partition)
	w := NewTemporary(s)
	defer w.Discard()
	q := &network{s: s, n: p.count, ptr: Alloc[int64](s, p.count+1), ground: p.ground, diagonal: Alloc[float64](s, p.count)}
	room, kept := Take[int64](w, p.count+1), Take[int32](w, p.count)
	to, weight := Take[int32](w, g.entries), Take[float32](w, g.entries)
	rows := [3]uint32{Blocks(int(p.count), kernels.CmgRows), 1, 1}
	k.starts(p.count, p.terms, cu.Ptr[int32]{}, room)
	if s.Ready() {
		s.Note(k.Merge(s.Stream, rows, kernels.CmgMergeArgs{
			Clusters: int32(p.count), First: p.first, Member: p.member, Ptr: g.ptr, To: g.to, Weight: g.weight, Of: p.of, Room: room,
			MergedTo: to, MergedWeight: weight, Kept: kept,
		}))
	}
	k.starts(p.count, kept, cu.Ptr[int32]{}, q.ptr)
	q.entries = ReceiveOne(s, q.ptr.Add(p.count))
	q.to, q.weight = Alloc[int32](s, q.entries), Alloc[float32](s, q.entries)
	if s.Ready() {
		s.Note(k.Compact(s.Stream, rows, kernels.CmgCompactArgs{
			Clusters: int32(p.count), Room: room, MergedTo: to, MergedWeight: weight, Ptr: q.ptr, Ground: q.ground, To: q.to,
			Weight: q.weight, Diagonal: q.diagonal,
		}))
	}
	s.Discard(p.terms)
	return q, s.err == nil, s.err
}
