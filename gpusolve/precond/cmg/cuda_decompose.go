package cmg

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
)

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
