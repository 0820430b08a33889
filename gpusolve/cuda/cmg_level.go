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
	l.ground, l.scale = s.alloc(4*g.n), s.alloc(4*g.n)
	counts := s.alloc(8 * kernels.CmgLengths)
	if s.ready() {
		s.note(k.Scales(s.stream, s.each(g.n), g.n, g.ground, g.diagonal, layout.Damping, l.ground, l.scale))
		s.note(k.Tally(s.stream, s.each(g.n), g.n, g.ptr, counts))
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
	l.w, l.col = s.alloc(4*l.segments*int64(l.length)), s.alloc(4*l.segments*int64(l.length))
	var segmentRow, rowSegment cu.DevicePtr
	if l.ragged != nil {
		segmentRow, rowSegment = l.ragged.segmentRow, l.ragged.rowSegment
	}
	if s.ready() {
		s.note(products.FillSegments(s.stream, s.each(l.segments), l.segments, l.length, segmentRow, rowSegment, g.ptr, g.to, g.weight, 0, l.w, l.col))
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
