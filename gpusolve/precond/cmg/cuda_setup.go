package cmg

import (
	"math"
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// Large graphs are decomposed on the device, which also forms their quotients, as Decompose and Quotient do on the
// host: the same clusters, the same quotients. What the device cannot do it leaves to the host, and says so by a false
// ok.

// deviceRows is the size of a graph up to which launches and waits take longer than the host's work.
const deviceRows = 20000

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
	count             int64
	of, first, member cudriver.Ptr[int32]
	ground            cudriver.Ptr[float64] // of the clusters: sums of grounds
	terms             cudriver.Ptr[int32]   // and of neighbours
	figures
}

func (g *gpuGraph) N() int         { return int(g.n) }
func (g *gpuGraph) Entries() int64 { return g.entries }

func (g *gpuGraph) Release() {
	g.s.Discard(g.ptr, g.to, g.weight, g.ground, g.diagonal)
}

func (g *gpuGraph) Download() *Graph {
	l, n, entries := g.s.Arrays(), int(g.n), int(g.entries)
	h := newGraph(l, n)
	h.Col, h.Weight = reuse.Make[int32](l, entries), reuse.Make[float32](l, entries)
	cuda.Receive(g.s.Space, h.Ptr, g.ptr)
	cuda.Receive(g.s.Space, h.Col, g.to)
	cuda.Receive(g.s.Space, h.Weight, g.weight)
	cuda.Receive(g.s.Space, h.Ground, g.ground)
	cuda.Receive(g.s.Space, h.Diagonal, g.diagonal)
	return h
}

// buildOnDevice decomposes large graphs where they are, and gives the rows back early. done is false where the host
// must start from the matrix.
func (c *Cycle) buildOnDevice(d gpuOperations, rows ops.Rows, release func()) (done bool, err error) {
	least := max(d.least, c.options.Direct)
	if rows.Len() <= least {
		return false, nil
	}
	start := time.Now()
	g, ok, err := d.ReadMatrix(rows)
	if err != nil || !ok {
		return false, err
	}
	release()
	for g.N() > least && g.Entries() > 0 {
		q, err := c.levelOnDevice(d, g)
		if err != nil {
			return false, err
		}
		if q == nil {
			break
		}
		g.Release()
		g = q
	}
	c.timing.device = time.Since(start)
	start = time.Now()
	rest := g.Download()
	g.Release()
	c.timing.copied = time.Since(start)
	return true, c.buildOnHost(rest, nil)
}

// levelOnDevice adds the level of a graph and returns the quotient, nil where the host must decompose it.
func (c *Cycle) levelOnDevice(d gpuOperations, g *gpuGraph) (*gpuGraph, error) {
	p, ok, err := d.Decompose(g, c.options.Kappa)
	if err != nil || !ok {
		return nil, err
	}
	q, ok, err := d.Quotient(g, p)
	if err != nil || !ok {
		return nil, err
	}
	l := level{repeats: visits(g, q, c.options.Repeats), figures: p.figures}
	loaded, err := d.loadDevice(g, c.layout())
	if err != nil {
		return nil, err
	}
	loaded.of, loaded.first, loaded.member = p.of, p.first, p.member
	loaded.bigFrom = math.MaxInt32 // no cluster is that large, so a thread each is enough
	l.graph = loaded
	return q, c.add(l)
}

// setup is the module of setup kernels with the space that launches them.
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
	grid := threads(n)
	w := cuda.NewTemporary(k.s.Space)
	defer w.Discard()
	sums := cuda.Take[int64](w, int64(grid[0]))
	cuda.Launch(k.s.Space, &k.SumParts, grid, KernelsSumPartsArgs{N: n, Values: values, Sums: sums})
	cuda.Launch(k.s.Space, &k.StartParts, one, KernelsStartPartsArgs{Blocks: int32(grid[0]), Sums: sums})
	cuda.Launch(k.s.Space, &k.StartValues, grid,
		KernelsStartValuesArgs{N: n, Values: values, Sums: sums, Start: start, Wide: wide})
}

// one is the grid of a single block.
var one = [3]uint32{1, 1, 1}

// ReadMatrix reads a matrix on the device as a graph. ok is false where it has positive off-diagonals, stored zeros, or
// anything that is wrong with it.
func (s gpuOperations) ReadMatrix(r ops.Rows) (g *gpuGraph, ok bool, err error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	n := int64(r.Len())
	g = &gpuGraph{s: s, n: n, entries: r.Entries() - n}
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
	cuda.Launch(s.Space, &k.ReadRows, threads(g.n+1), KernelsReadRowsArgs{
		N: g.n, RowPtr: rowPtr, Col: col, Val: val, Ptr: g.ptr, To: g.to, Weight: g.weight, Ground: g.ground,
		Diagonal: g.diagonal, Fault: fault,
	})
	if cuda.ReceiveOne(s.Space, fault) != 0 || s.Err() != nil {
		g.Release()
		return nil, false, s.Err()
	}
	return g, true, nil
}

// Decompose finds the clusters. ok is false where trees are very deep or clusters very large.
func (s gpuOperations) Decompose(g *gpuGraph, kappa float64) (p *gpuPartition, ok bool, err error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	w := cuda.NewTemporary(s.Space)
	defer w.Discard()
	p = &gpuPartition{figures: figures{decomposed: true}}
	top, ok := k.pieces(g, kappa, p, w)
	if !ok || s.Err() != nil {
		return nil, false, s.Err()
	}
	if !k.gather(g, p, top, w) || s.Err() != nil {
		s.Discard(p.of, p.first, p.member, p.ground, p.terms)
		return nil, false, s.Err()
	}
	return p, true, nil
}

// pieces grows the forest and cuts it up; the result is the top of every vertex's piece.
func (k setup) pieces(g *gpuGraph, kappa float64, p *gpuPartition, w *cuda.Temporary) (top cudriver.Ptr[int32],
	ok bool) {
	s, n, grid := k.s.Space, g.n, threads(g.n)
	pick, picked, cut, parent := cuda.Take[int32](w, n), cuda.Take[float32](w, n), cuda.Take[int32](w, n),
		cuda.Take[int32](w, n)
	depth, tops, count, final := cuda.Take[int32](w, n), cuda.Take[int32](w, n), cuda.Take[int32](w, n),
		cuda.Take[int32](w, n)
	partial, mean, deeper := cuda.Take[float64](w, 2*int64(grid[0])), cuda.Take[float64](w, 1), cuda.Take[int32](w, 1)
	cuda.Launch(s, &k.Heaviest, grid, KernelsHeaviestArgs{N: n, Ptr: g.ptr, To: g.to, Weight: g.weight,
		Diagonal: g.diagonal, Pick: pick, Picked: picked, Partial: partial})
	cuda.Launch(s, &k.Average, one, KernelsAverageArgs{Blocks: int32(grid[0]), Partial: partial, Mean: mean})
	cuda.Launch(s, &k.CutHigh, grid, KernelsCutHighArgs{N: n, Ptr: g.ptr, To: g.to, Weight: g.weight,
		Diagonal: g.diagonal, Pick: pick, Picked: picked, Mean: mean, Kappa: kappa, Cut: cut})
	cuda.Launch(s, &k.Join, grid, KernelsJoinArgs{N: n, Pick: pick, Cut: cut, Parent: parent})
	cuda.Launch(s, &k.Climb, grid,
		KernelsClimbArgs{N: n, Parent: parent, Depth: depth, Top: tops, Count: count, Deeper: deeper})
	cuda.Launch(s, &k.SettlePieces, grid,
		KernelsSettlePiecesArgs{N: n, Parent: parent, Top: tops, Count: count, Final: final})
	p.average = cuda.ReceiveOne(s, mean)
	if cuda.ReceiveOne(s, deeper) != 0 || s.Err() != nil {
		return top, false
	}

	volume, whole, below := cuda.Take[float64](w, n), cuda.Take[float64](w, n), cuda.Take[float64](w, n)
	trimmed, quality, cuts := cuda.Take[int32](w, n), cuda.Take[uint64](w, 1), cuda.Take[int32](w, 1)
	cuda.Send(s, quality, []uint64{math.Float64bits(1)})
	cuda.Launch(s, &k.Bare, grid, KernelsBareArgs{N: n, Ptr: g.ptr, To: g.to, Weight: g.weight, Diagonal: g.diagonal,
		Parent: parent, Picked: picked, Top: final, Volume: volume})
	// A piece is two edges deep, and pieces of two vertices may hang from it.
	for layer := int32(4); layer >= 0; layer-- {
		cuda.Launch(s, &k.WeighLayer, grid, KernelsWeighLayerArgs{N: n, Layer: layer, Ptr: g.ptr, To: g.to,
			Weight: g.weight, Parent: parent, Depth: depth, Top: final, Volume: volume, Below: whole})
	}
	for layer := int32(4); layer > 0; layer-- {
		cuda.Launch(s, &k.TrimLayer, grid, KernelsTrimLayerArgs{
			N: n, Layer: layer, Least: 1 / (2 * kappa), Mean: mean, Ptr: g.ptr, To: g.to, Weight: g.weight,
			Parent: parent, Picked: picked, Depth: depth, Top: final, Volume: volume, Whole: whole, Below: below,
			Cut: trimmed, Quality: quality, Cuts: cuts,
		})
	}
	p.quality, p.split = math.Float64frombits(cuda.ReceiveOne(s, quality)), int(cuda.ReceiveOne(s, cuts))
	if p.split == 0 {
		return final, s.Err() == nil
	}
	cuda.Launch(s, &k.Relabel, grid, KernelsRelabelArgs{N: n, Parent: parent, Cut: trimmed, Top: final, Fresh: tops})
	return tops, s.Err() == nil
}

// gather numbers the clusters by their first vertices and lists their members.
func (k setup) gather(g *gpuGraph, p *gpuPartition, top cudriver.Ptr[int32], w *cuda.Temporary) (ok bool) {
	s, n, grid := k.s.Space, g.n, threads(g.n)
	first, lead, before, number := cuda.Take[int32](w, n), cuda.Take[int32](w, n), cuda.Take[int32](w, n+1),
		cuda.Take[int32](w, n)
	cuda.Launch(s, &k.Mark, grid, KernelsMarkArgs{N: n, Top: top, First: first})
	cuda.Launch(s, &k.Leads, grid, KernelsLeadsArgs{N: n, Top: top, First: first, Lead: lead})
	k.starts(n, lead, before, cudriver.Ptr[int64]{})
	p.count = int64(cuda.ReceiveOne(s, before.Add(n)))
	if s.Err() != nil || 2*p.count > n {
		return false
	}
	p.of, p.first, p.member = cuda.Alloc[int32](s, n), cuda.Alloc[int32](s, p.count+1), cuda.Alloc[int32](s, n)
	p.ground, p.terms = cuda.Alloc[float64](s, p.count), cuda.Alloc[int32](s, p.count)
	size, most := cuda.Take[int32](w, p.count), cuda.Take[int32](w, 1)
	cuda.Launch(s, &k.NumberTops, grid,
		KernelsNumberTopsArgs{N: n, Top: top, Lead: lead, Before: before, Number: number})
	cuda.Launch(s, &k.Assign, grid, KernelsAssignArgs{N: n, Top: top, Number: number, Of: p.of, Size: size})
	k.starts(p.count, size, p.first, cudriver.Ptr[int64]{})
	cuda.Launch(s, &k.Place, grid, KernelsPlaceArgs{N: n, Of: p.of, First: p.first, Size: size, Member: p.member})
	cuda.Launch(s, &k.SortMembers, threads(p.count), KernelsSortMembersArgs{Clusters: int32(p.count), First: p.first,
		Member: p.member, Ground: g.ground, Ptr: g.ptr, CoarseGround: p.ground, Terms: p.terms, Most: most})
	return cuda.ReceiveOne(s, most) == 0
}

// Quotient forms R A R^T. Rows of the quotient have room for all of their terms first, which are as many as the graph
// has entries. ok is false where a cluster has very many neighbours.
func (s gpuOperations) Quotient(g *gpuGraph, p *gpuPartition) (q *gpuGraph, ok bool, err error) {
	k, err := s.setup()
	if err != nil {
		return nil, false, err
	}
	w := cuda.NewTemporary(s.Space)
	defer w.Discard()
	q = &gpuGraph{s: s, n: p.count, ptr: cuda.Alloc[int64](s.Space, p.count+1), ground: p.ground,
		diagonal: cuda.Alloc[float64](s.Space, p.count)}
	starts, kept := cuda.Take[int64](w, p.count+1), cuda.Take[int32](w, p.count)
	to, weight := cuda.Take[int32](w, g.entries), cuda.Take[float32](w, g.entries)
	rows := cuda.Over(p.count, KernelsRows)
	k.starts(p.count, p.terms, cudriver.Ptr[int32]{}, starts)
	cuda.Launch(s.Space, &k.Merge, rows, KernelsMergeArgs{
		Clusters: int32(p.count), First: p.first, Member: p.member, Ptr: g.ptr, To: g.to, Weight: g.weight, Of: p.of,
		Room: starts, MergedTo: to, MergedWeight: weight, Kept: kept,
	})
	k.starts(p.count, kept, cudriver.Ptr[int32]{}, q.ptr)
	q.entries = cuda.ReceiveOne(s.Space, q.ptr.Add(p.count))
	q.to, q.weight = cuda.Alloc[int32](s.Space, q.entries), cuda.Alloc[float32](s.Space, q.entries)
	cuda.Launch(s.Space, &k.Compact, rows, KernelsCompactArgs{
		Clusters: int32(p.count), Room: starts, MergedTo: to, MergedWeight: weight, Ptr: q.ptr, Ground: q.ground,
		To: q.to, Weight: q.weight, Diagonal: q.diagonal,
	})
	s.Discard(p.terms)
	return q, s.Err() == nil, s.Err()
}

// loadDevice cuts a graph that is on the device into segments. Only where rows have several does the host see the rows'
// lengths.
func (s gpuOperations) loadDevice(g *gpuGraph, layout Layout) (*gpuLevel, error) {
	k, err := s.setup()
	if err != nil {
		return nil, err
	}
	products, err := cuda.Module(s.Device, "segments", LoadSegments)
	if err != nil {
		return nil, err
	}
	if layout.Upper {
		return s.load(g.Download(), nil, layout)
	}
	l := &gpuLevel{s: s, kernels: products, n: g.n, entries: g.entries}
	l.ground, l.scale = cuda.Alloc[float32](s.Space, g.n), cuda.Alloc[float32](s.Space, g.n)
	counts := cuda.Alloc[int64](s.Space, KernelsLengths)
	cuda.Launch(s.Space, &k.Scales, threads(g.n), KernelsScalesArgs{
		N: g.n, Ground: g.ground, Diagonal: g.diagonal, Damping: layout.Damping, Single: l.ground, Scale: l.scale,
	})
	cuda.Launch(s.Space, &k.Tally, threads(g.n), KernelsTallyArgs{N: g.n, Ptr: g.ptr, Counts: counts})
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
	l.allocate()
	l.fillFrom(SegmentsFillSegmentsArgs{RowPtr: g.ptr, From: g.to, Weight: g.weight})
	return l, s.Err()
}
