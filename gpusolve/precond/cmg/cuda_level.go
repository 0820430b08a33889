package cmg

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
)

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
