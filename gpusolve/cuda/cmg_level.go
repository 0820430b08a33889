package cuda

import (
	"math"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// LoadNetwork cuts a graph that is on the device into segments. Only where rows have several does the host see the rows' lengths.
func (s *space) LoadNetwork(net ops.Network, layout ops.Layout) (ops.GraphLevel, error) {
	k, err := s.setup()
	if err != nil {
		return nil, err
	}
	products, err := module(s.Device, "segments", kernels.LoadSegments)
	if err != nil {
		return nil, err
	}
	g := net.(*network)
	if layout.Upper {
		return s.LoadGraph(g.Download(), nil, layout)
	}
	before := s.live
	l := &graphLevel{s: s, kernels: products, n: g.n, entries: g.entries}
	l.ground, l.scale = alloc[float32](s, g.n), alloc[float32](s, g.n)
	counts := alloc[int64](s, kernels.CmgLengths)
	if s.ready() {
		s.note(k.Scales(s.stream, s.each(g.n), kernels.CmgScalesArgs{
			N: g.n, Ground: g.ground, Diagonal: g.diagonal, Damping: layout.Damping, Single: l.ground, Scale: l.scale,
		}))
		s.note(k.Tally(s.stream, s.each(g.n), kernels.CmgTallyArgs{N: g.n, Ptr: g.ptr, Counts: counts}))
	}
	var segments [kernels.CmgLengths]int64
	receiveSlice(s, segments[:], counts)
	s.free(counts)
	l.setLength(layout.Length, func(length int32) int64 {
		at := 0
		for 4<<at < length {
			at++
		}
		return segments[at]
	})
	if l.segments > l.n {
		host := &ops.Graph{Ptr: make([]int64, g.n+1), Ground: make([]float64, g.n)}
		receiveSlice(s, host.Ptr, g.ptr)
		l.cut(host)
	}
	l.w, l.col = alloc[float32](s, l.segments*int64(l.length)), alloc[int32](s, l.segments*int64(l.length))
	var segmentRow, rowSegment cu.Ptr[int32]
	if l.ragged != nil {
		segmentRow, rowSegment = l.ragged.segmentRow, l.ragged.rowSegment
	}
	if s.ready() {
		s.note(products.FillSegments(s.stream, s.each(l.segments), kernels.SegmentsFillSegmentsArgs{
			Segments: l.segments, Length: l.length, SegmentRow: segmentRow, RowSegment: rowSegment, RowPtr: g.ptr, From: g.to,
			Weight: g.weight, W: l.w, Col: l.col,
		}))
	}
	l.bytes = s.live - before
	return l, s.err
}

// JoinNetworks takes the clusters over.
func (s *space) JoinNetworks(fine ops.GraphLevel, clusters ops.Partition) error {
	l, p := fine.(*graphLevel), clusters.(*partition)
	l.of, l.first, l.member = p.of, p.first, p.member
	l.bigFrom = math.MaxInt32 // no cluster is that large, so a thread each is enough
	return s.err
}
