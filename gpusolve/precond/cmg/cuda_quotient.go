package cmg

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
)

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
