package cmg

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// DeviceRows is where launches and waits take longer than the host's work.
func (s gpuOperations) DeviceRows() int { return 20000 }

// setup is the module of set-up kernels with the space that launches them.
type setup struct {
	*Kernels
	s gpuOperations
}

func (s gpuOperations) setup() (setup, error) {
	k, err := cuda.Module(s.Device, "cmg", LoadKernels)
	return setup{k, s}, err
}

// starts sets each of n values of start, 32 bits, or wide, 64 bits, to the sum of those before it, and the one after
// the last to the sum of all.
func (k setup) starts(n int64, values, start cudriver.Ptr[int32], wide cudriver.Ptr[int64]) {
	grid := k.s.each(n)
	w := cuda.NewTemporary(k.s.Space)
	defer w.Discard()
	sums := cuda.Take[int64](w, int64(grid[0]))
	if k.s.Ready() {
		k.s.Note(k.SumParts(k.s.Stream, grid, KernelsSumPartsArgs{N: n, Values: values, Sums: sums}))
		k.s.Note(k.StartParts(k.s.Stream, [3]uint32{1, 1, 1},
			KernelsStartPartsArgs{Blocks: int32(grid[0]), Sums: sums}))
		k.s.Note(k.StartValues(k.s.Stream, grid, KernelsStartValuesArgs{N: n, Values: values, Sums: sums, Start: start,
			Wide: wide}))
	}
}

// ReadMatrix reads the matrix as a graph.
func (s gpuOperations) ReadMatrix(r ops.Rows) (deviceGraph, bool, error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	n := int64(r.Len())
	g := &gpuGraph{s: s, n: n, entries: r.Entries() - n}
	if g.entries <= 0 {
		return nil, false, s.Err()
	}
	g.ptr, g.to, g.weight = cuda.Alloc[int64](s.Space, g.n+1), cuda.Alloc[int32](s.Space, g.entries),
		cuda.Alloc[float32](s.Space, g.entries)
	g.ground, g.diagonal = cuda.Alloc[float64](s.Space, g.n), cuda.Alloc[float64](s.Space, g.n)
	w := cuda.NewTemporary(s.Space)
	defer w.Discard()
	fault := cuda.Take[int32](w, 1)
	rowPtr, col, val := r.(*cuda.Rows).Arrays()
	if s.Ready() {
		s.Note(k.ReadRows(s.Stream, s.each(g.n+1), KernelsReadRowsArgs{
			N: g.n, RowPtr: rowPtr, Col: col, Val: val, Ptr: g.ptr, To: g.to, Weight: g.weight, Ground: g.ground,
			Diagonal: g.diagonal, Fault: fault,
		}))
	}
	if cuda.ReceiveOne(s.Space, fault) != 0 || s.Err() != nil {
		g.Release()
		return nil, false, s.Err()
	}
	return g, true, nil
}

// gpuGraph is a Graph in device memory.
type gpuGraph struct {
	s                gpuOperations
	n, entries       int64
	ptr              cudriver.Ptr[int64]
	to               cudriver.Ptr[int32]
	weight           cudriver.Ptr[float32]
	ground, diagonal cudriver.Ptr[float64]
}

// gpuPartition is a graph's clusters in device memory, with what the next quotient needs of them.
type gpuPartition struct {
	s                 gpuOperations
	n, count          int64 // vertices and clusters
	of, first, member cudriver.Ptr[int32]
	ground            cudriver.Ptr[float64] // of the clusters: sums of grounds
	terms             cudriver.Ptr[int32]   // and of neighbours
	quality, average  float64
	split             int
}

// N is the number of vertices.
func (g *gpuGraph) N() int { return int(g.n) }

// Entries is the number of neighbours.
func (g *gpuGraph) Entries() int64 { return g.entries }

// Release gives the memory back.
func (g *gpuGraph) Release() {
	g.s.Discard(g.ptr, g.to, g.weight, g.ground, g.diagonal)
}

// Download copies the graph to the host.
func (g *gpuGraph) Download() *Graph {
	l, n, entries := g.s.Arrays(), int(g.n), int(g.entries)
	h := &Graph{
		Ptr: reuse.Make[int64](l, n+1), Col: reuse.Make[int32](l, entries), Weight: reuse.Make[float32](l, entries),
		Ground: reuse.Make[float64](l, n), Diagonal: reuse.Make[float64](l, n), arrays: l,
	}
	cuda.Receive(g.s.Space, h.Ptr, g.ptr)
	cuda.Receive(g.s.Space, h.Col, g.to)
	cuda.Receive(g.s.Space, h.Weight, g.weight)
	cuda.Receive(g.s.Space, h.Ground, g.ground)
	cuda.Receive(g.s.Space, h.Diagonal, g.diagonal)
	return h
}

// N is the number of clusters.
func (p *gpuPartition) N() int { return int(p.count) }

// Figures of the decomposition.
func (p *gpuPartition) Figures() (quality, average float64, split int) {
	return p.quality, p.average, p.split
}

// Download copies the clusters to the host.
func (p *gpuPartition) Download() *Clusters {
	c := &Clusters{Of: make([]int32, p.n), Ptr: make([]int32, p.count+1), Members: make([]int32, p.n)}
	cuda.Receive(p.s.Space, c.Of, p.of)
	cuda.Receive(p.s.Space, c.Ptr, p.first)
	cuda.Receive(p.s.Space, c.Members, p.member)
	return c
}

func (p *gpuPartition) release() {
	p.s.Discard(p.of, p.first, p.member, p.ground, p.terms)
}

// Decompose finds the clusters.
func (s gpuOperations) Decompose(net deviceGraph, kappa float64) (partition, bool, error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	g := net.(*gpuGraph)
	w := cuda.NewTemporary(s.Space)
	defer w.Discard()
	p := &gpuPartition{s: s, n: g.n}
	top, ok := k.pieces(g, kappa, p, w)
	if !ok || s.Err() != nil {
		return nil, false, s.Err()
	}
	if !k.gather(g, p, top, w) || s.Err() != nil {
		p.release()
		return nil, false, s.Err()
	}
	return p, true, nil
}

// pieces grows the forest and cuts it up; the result is the top of every vertex's piece.
func (k setup) pieces(g *gpuGraph, kappa float64, p *gpuPartition, w *cuda.Temporary) (top cudriver.Ptr[int32],
	ok bool) {
	s, n, grid := k.s, g.n, k.s.each(g.n)
	pick, picked, cut, parent := cuda.Take[int32](w, n), cuda.Take[float32](w, n), cuda.Take[int32](w, n),
		cuda.Take[int32](w, n)
	depth, tops, count, final := cuda.Take[int32](w, n), cuda.Take[int32](w, n), cuda.Take[int32](w, n),
		cuda.Take[int32](w, n)
	partial, mean, deeper := cuda.Take[float64](w, 2*int64(grid[0])), cuda.Take[float64](w, 1), cuda.Take[int32](w, 1)
	if !s.Ready() {
		return top, false
	}
	s.Note(k.Heaviest(s.Stream, grid, KernelsHeaviestArgs{
		N: n, Ptr: g.ptr, To: g.to, Weight: g.weight, Diagonal: g.diagonal, Pick: pick, Picked: picked,
		Partial: partial,
	}))
	s.Note(k.Average(s.Stream, [3]uint32{1, 1, 1}, KernelsAverageArgs{Blocks: int32(grid[0]), Partial: partial,
		Mean: mean}))
	s.Note(k.CutHigh(s.Stream, grid, KernelsCutHighArgs{
		N: n, Ptr: g.ptr, To: g.to, Weight: g.weight, Diagonal: g.diagonal, Pick: pick, Picked: picked, Mean: mean,
		Kappa: kappa,
		Cut:   cut,
	}))
	s.Note(k.Join(s.Stream, grid, KernelsJoinArgs{N: n, Pick: pick, Cut: cut, Parent: parent}))
	s.Note(k.Climb(s.Stream, grid, KernelsClimbArgs{N: n, Parent: parent, Depth: depth, Top: tops, Count: count,
		Deeper: deeper}))
	s.Note(k.SettlePieces(s.Stream, grid, KernelsSettlePiecesArgs{N: n, Parent: parent, Top: tops, Count: count,
		Final: final}))
	p.average = cuda.ReceiveOne(s.Space, mean)
	if cuda.ReceiveOne(s.Space, deeper) != 0 || s.Err() != nil {
		return top, false
	}

	volume, whole, below := cuda.Take[float64](w, n), cuda.Take[float64](w, n), cuda.Take[float64](w, n)
	trimmed, quality, cuts := cuda.Take[int32](w, n), cuda.Take[uint64](w, 1), cuda.Take[int32](w, 1)
	cuda.Send(s.Space, quality, []uint64{math.Float64bits(1)})
	if !s.Ready() {
		return top, false
	}
	s.Note(k.Bare(s.Stream, grid, KernelsBareArgs{
		N: n, Ptr: g.ptr, To: g.to, Weight: g.weight, Diagonal: g.diagonal, Parent: parent, Picked: picked, Top: final,
		Volume: volume,
	}))
	// A piece is two edges deep, and pieces of two vertices may hang from it.
	for layer := int32(4); layer >= 0; layer-- {
		s.Note(k.WeighLayer(s.Stream, grid, KernelsWeighLayerArgs{
			N: n, Layer: layer, Ptr: g.ptr, To: g.to, Weight: g.weight, Parent: parent, Depth: depth, Top: final,
			Volume: volume,
			Below:  whole,
		}))
	}
	for layer := int32(4); layer > 0; layer-- {
		s.Note(k.TrimLayer(s.Stream, grid, KernelsTrimLayerArgs{
			N: n, Layer: layer, Least: 1 / (2 * kappa), Mean: mean, Ptr: g.ptr, To: g.to, Weight: g.weight,
			Parent: parent,
			Picked: picked, Depth: depth, Top: final, Volume: volume, Whole: whole, Below: below, Cut: trimmed,
			Quality: quality,
			Cuts:    cuts,
		}))
	}
	p.quality, p.split = math.Float64frombits(cuda.ReceiveOne(s.Space, quality)), int(cuda.ReceiveOne(s.Space, cuts))
	if p.split == 0 {
		return final, s.Err() == nil
	}
	if s.Ready() {
		s.Note(
			k.Relabel(s.Stream, grid, KernelsRelabelArgs{N: n, Parent: parent, Cut: trimmed, Top: final, Fresh: tops}))
	}
	return tops, s.Err() == nil
}

// gather numbers the clusters by their first vertices and lists their members.
func (k setup) gather(g *gpuGraph, p *gpuPartition, top cudriver.Ptr[int32], w *cuda.Temporary) (ok bool) {
	s, n, grid := k.s, g.n, k.s.each(g.n)
	first, lead, before, number := cuda.Take[int32](w, n), cuda.Take[int32](w, n), cuda.Take[int32](w, n+1),
		cuda.Take[int32](w, n)
	if !s.Ready() {
		return false
	}
	s.Note(k.Mark(s.Stream, grid, KernelsMarkArgs{N: n, Top: top, First: first}))
	s.Note(k.Leads(s.Stream, grid, KernelsLeadsArgs{N: n, Top: top, First: first, Lead: lead}))
	k.starts(n, lead, before, cudriver.Ptr[int64]{})
	p.count = int64(cuda.ReceiveOne(s.Space, before.Add(n)))
	if s.Err() != nil || 2*p.count > n {
		return false
	}
	p.of, p.first, p.member = cuda.Alloc[int32](s.Space, n), cuda.Alloc[int32](s.Space, p.count+1),
		cuda.Alloc[int32](s.Space, n)
	p.ground, p.terms = cuda.Alloc[float64](s.Space, p.count), cuda.Alloc[int32](s.Space, p.count)
	size, most := cuda.Take[int32](w, p.count), cuda.Take[int32](w, 1)
	if !s.Ready() {
		return false
	}
	s.Note(
		k.NumberTops(s.Stream, grid, KernelsNumberTopsArgs{N: n, Top: top, Lead: lead, Before: before, Number: number}))
	s.Note(k.Assign(s.Stream, grid, KernelsAssignArgs{N: n, Top: top, Number: number, Of: p.of, Size: size}))
	k.starts(p.count, size, p.first, cudriver.Ptr[int64]{})
	s.Note(k.Place(s.Stream, grid, KernelsPlaceArgs{N: n, Of: p.of, First: p.first, Size: size, Member: p.member}))
	s.Note(k.SortMembers(s.Stream, s.each(p.count), KernelsSortMembersArgs{
		Clusters: int32(p.count), First: p.first, Member: p.member, Ground: g.ground, Ptr: g.ptr,
		CoarseGround: p.ground,
		Terms:        p.terms, Most: most,
	}))
	return cuda.ReceiveOne(s.Space, most) == 0
}

// Quotient forms R A R^T. Rows of the quotient have room for all of their terms first, which are as many as the graph
// has entries.
func (s gpuOperations) Quotient(net deviceGraph, clusters partition) (deviceGraph, bool, error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	g, p := net.(*gpuGraph), clusters.(*gpuPartition)
	w := cuda.NewTemporary(s.Space)
	defer w.Discard()
	q := &gpuGraph{s: s, n: p.count, ptr: cuda.Alloc[int64](s.Space, p.count+1), ground: p.ground,
		diagonal: cuda.Alloc[float64](s.Space, p.count)}
	room, kept := cuda.Take[int64](w, p.count+1), cuda.Take[int32](w, p.count)
	to, weight := cuda.Take[int32](w, g.entries), cuda.Take[float32](w, g.entries)
	rows := [3]uint32{cuda.Blocks(int(p.count), KernelsRows), 1, 1}
	k.starts(p.count, p.terms, cudriver.Ptr[int32]{}, room)
	if s.Ready() {
		s.Note(k.Merge(s.Stream, rows, KernelsMergeArgs{
			Clusters: int32(p.count), First: p.first, Member: p.member, Ptr: g.ptr, To: g.to, Weight: g.weight,
			Of: p.of, Room: room,
			MergedTo: to, MergedWeight: weight, Kept: kept,
		}))
	}
	k.starts(p.count, kept, cudriver.Ptr[int32]{}, q.ptr)
	q.entries = cuda.ReceiveOne(s.Space, q.ptr.Add(p.count))
	q.to, q.weight = cuda.Alloc[int32](s.Space, q.entries), cuda.Alloc[float32](s.Space, q.entries)
	if s.Ready() {
		s.Note(k.Compact(s.Stream, rows, KernelsCompactArgs{
			Clusters: int32(p.count), Room: room, MergedTo: to, MergedWeight: weight, Ptr: q.ptr, Ground: q.ground,
			To:     q.to,
			Weight: q.weight, Diagonal: q.diagonal,
		}))
	}
	s.Discard(p.terms)
	return q, s.Err() == nil, s.Err()
}

// LoadDevice cuts a graph that is on the device into segments. Only where rows have several does the host see the rows'
// lengths.
func (s gpuOperations) LoadDevice(net deviceGraph, layout Layout) (graphLevel, error) {
	k, err := s.setup()
	if err != nil {
		return nil, err
	}
	products, err := cuda.Module(s.Device, "segments", LoadSegments)
	if err != nil {
		return nil, err
	}
	g := net.(*gpuGraph)
	if layout.Upper {
		return s.Load(g.Download(), nil, layout)
	}
	before := s.Allocated()
	l := &gpuLevel{s: s, kernels: products, n: g.n, entries: g.entries}
	l.ground, l.scale = cuda.Alloc[float32](s.Space, g.n), cuda.Alloc[float32](s.Space, g.n)
	counts := cuda.Alloc[int64](s.Space, KernelsLengths)
	if s.Ready() {
		s.Note(k.Scales(s.Stream, s.each(g.n), KernelsScalesArgs{
			N: g.n, Ground: g.ground, Diagonal: g.diagonal, Damping: layout.Damping, Single: l.ground, Scale: l.scale,
		}))
		s.Note(k.Tally(s.Stream, s.each(g.n), KernelsTallyArgs{N: g.n, Ptr: g.ptr, Counts: counts}))
	}
	var segments [KernelsLengths]int64
	cuda.Receive(s.Space, segments[:], counts)
	s.Discard(counts)
	l.setLength(layout.Length, func(length int32) int64 {
		at := 0
		for 4<<at < length {
			at++
		}
		return segments[at]
	})
	if l.segments > l.n {
		host := &Graph{Ptr: make([]int64, g.n+1), Ground: make([]float64, g.n)}
		cuda.Receive(s.Space, host.Ptr, g.ptr)
		l.cut(host)
	}
	l.w, l.col = cuda.Alloc[float32](s.Space, l.segments*int64(l.length)),
		cuda.Alloc[int32](s.Space, l.segments*int64(l.length))
	var segmentRow, rowSegment cudriver.Ptr[int32]
	if l.ragged != nil {
		segmentRow, rowSegment = l.ragged.segmentRow, l.ragged.rowSegment
	}
	if s.Ready() {
		s.Note(products.FillSegments(s.Stream, s.each(l.segments), SegmentsFillSegmentsArgs{
			Segments: l.segments, Length: l.length, SegmentRow: segmentRow, RowSegment: rowSegment, RowPtr: g.ptr,
			From:   g.to,
			Weight: g.weight, W: l.w, Col: l.col,
		}))
	}
	l.bytes = s.Allocated() - before
	return l, s.Err()
}

// JoinDevice takes the clusters over.
func (s gpuOperations) JoinDevice(fine graphLevel, clusters partition) error {
	l, p := fine.(*gpuLevel), clusters.(*gpuPartition)
	l.of, l.first, l.member = p.of, p.first, p.member
	l.bigFrom = math.MaxInt32 // no cluster is that large, so a thread each is enough
	return s.Err()
}
