package cuda

import (
	"fmt"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// graphLevel is a graph by segments of its rows; see kernels/segments.cu.
type graphLevel struct {
	s             *space
	kernels       *kernels.Segments
	n             int64
	length, shift int32 // entries of a segment: length = 4 << shift
	segments      int64
	entries       int64

	w, col, ground, scale cu.DevicePtr
	ragged                *raggedRows  // nil where every row has one segment
	upper                 cu.DevicePtr // sums of products, where only the upper triangle is stored

	of, first, member cu.DevicePtr // clusters
	big               cu.DevicePtr // those of many members
	bigCount          uint32
	bigFrom           int32 // members from which a cluster is big

	dense *denseGraph // for Invert
	bytes int64
}

// raggedRows say which rows the segments and blocks of a graph belong to.
type raggedRows struct {
	blocks, segmentRow, rowSegment cu.DevicePtr
	blockCount                     uint32
	longRow, longPart, longSums    cu.DevicePtr
	longCount                      uint32
}

var (
	_ ops.GraphLevel = (*graphLevel)(nil)
	_ ops.Segments   = (*system)(nil)
	_ ops.Segments   = (*matrix)(nil)
)

// Len is the number of vertices.
func (l *graphLevel) Len() int { return int(l.n) }

// Bytes of the graph, its transfer and its inverse.
func (l *graphLevel) Bytes() int64 { return l.bytes }

// Layout in segments.
func (l *graphLevel) Layout() string {
	if l.dense != nil && l.dense.inverse != 0 {
		return fmt.Sprintf("%d neighbours", l.entries)
	}
	half := ""
	if l.upper != 0 {
		half = " of the upper triangle"
	}
	return fmt.Sprintf("%d neighbours%s in %d segments of %d, %.0f %% padding", l.entries, half, l.segments, l.length,
		100*(1-float64(l.entries)/float64(l.segments*int64(l.length))))
}

// LoadGraph lays a graph out by segments, from its rows on the device where they are there.
func (s *space) LoadGraph(g *ops.Graph, from ops.Rows, layout ops.Layout) (ops.GraphLevel, error) {
	k, err := module(s.Device, "segments", kernels.LoadSegments)
	if err != nil {
		return nil, err
	}
	before := s.live
	n := g.N()
	l := &graphLevel{s: s, kernels: k, n: int64(n)}
	ground, scale := make([]float32, n), make([]float32, n)
	for v := range n {
		ground[v] = float32(g.Ground[v])
		if d := g.Diagonal[v]; d > 0 {
			scale[v] = float32(float64(layout.Damping) / d)
		}
	}
	l.ground, l.scale = upload(s, ground), upload(s, scale)
	if layout.Upper {
		g, from = upperHalf(g), nil
		l.upper = s.alloc(4 * l.n)
	}
	l.entries = g.Entries()
	l.setLength(layout.Length, func(length int32) int64 { return segmentsOf(g, length) })
	l.cut(g)
	l.w, l.col = s.alloc(4*l.segments*int64(l.length)), s.alloc(4*l.segments*int64(l.length))
	l.fill(g, from)
	l.bytes = s.live - before
	if n <= mostDirectRows && !layout.Upper {
		l.dense = &denseGraph{g: g}
	}
	return l, s.err
}

// fill copies the entries into the segments.
func (l *graphLevel) fill(g *ops.Graph, from ops.Rows) {
	s := l.s
	var segmentRow, rowSegment cu.DevicePtr
	if l.ragged != nil {
		segmentRow, rowSegment = l.ragged.segmentRow, l.ragged.rowSegment
	}
	grid := [3]uint32{blocks(int(l.segments), kernels.SegmentsWide), 1, 1}
	// Zeros that the matrix stores are no edges of the graph, and would be in the way.
	if r, ok := from.(*rows); ok && r.entries == g.Entries()+l.n {
		if s.ready() {
			s.note(l.kernels.FillSegments(s.stream, grid, l.segments, l.length, segmentRow, rowSegment, r.rowPtr, r.col, 0, r.val, l.w, l.col))
		}
		return
	}
	ptr, col, weight := upload(s, g.Ptr), upload(s, g.Col), upload(s, g.Weight)
	if s.ready() {
		s.note(l.kernels.FillSegments(s.stream, grid, l.segments, l.length, segmentRow, rowSegment, ptr, col, weight, 0, l.w, l.col))
	}
	for _, p := range []cu.DevicePtr{ptr, col, weight} {
		s.free(p)
	}
}

// JoinLevels sends the clusters to the device.
func (s *space) JoinLevels(fine ops.GraphLevel, c *ops.Clusters) error {
	l, before := fine.(*graphLevel), s.live
	l.of, l.first, l.member = upload(s, c.Of), upload(s, c.Ptr), upload(s, c.Members)
	var big []int32
	for k := range c.N() {
		if len(c.Cluster(k)) >= kernels.SegmentsBig {
			big = append(big, int32(k))
		}
	}
	l.big, l.bigCount, l.bigFrom = upload(s, big), uint32(len(big)), kernels.SegmentsBig
	l.bytes += s.live - before
	return s.err
}

// NewGraphVector makes a vector without pads.
func (s *space) NewGraphVector(l ops.GraphLevel) (ops.Vector, error) {
	return s.newVector(int64(l.Len()), 0, 4), s.err
}

// each is a grid of a thread per value.
func (s *space) each(n int64) [3]uint32 { return [3]uint32{blocks(int(n), kernels.SegmentsWide), 1, 1} }

// GraphStart sets x = s b.
func (s *space) GraphStart(l ops.GraphLevel, x, b ops.Vector) {
	if g := l.(*graphLevel); s.ready() {
		s.note(g.kernels.Start(s.stream, s.each(g.n), g.n, g.scale, ptr(b), ptr(x)))
	}
}

// GraphResidual sets r = b - A x.
func (s *space) GraphResidual(l ops.GraphLevel, r, x, b ops.Vector) {
	s.graphProduct(l.(*graphLevel), 0, r, x, b)
}

// GraphRelax sets dst = x + s (b - A x).
func (s *space) GraphRelax(l ops.GraphLevel, dst, x, b ops.Vector) {
	s.graphProduct(l.(*graphLevel), l.(*graphLevel).scale, dst, x, b)
}

func (s *space) graphProduct(g *graphLevel, scale cu.DevicePtr, dst, x, b ops.Vector) {
	if !s.ready() {
		return
	}
	r := g.ragged
	if g.upper != 0 {
		grid := [3]uint32{blocks(int(g.segments), kernels.SegmentsWide>>g.shift), 1, 1}
		s.note(g.kernels.ProductUpper(s.stream, grid, g.segments, g.shift, r.segmentRow, g.w, g.col, ptr(x), g.upper))
		s.note(g.kernels.SettleUpper(s.stream, s.each(g.n), g.n, g.upper, g.ground, scale, ptr(x), ptr(b), ptr(dst)))
		return
	}
	if r == nil {
		grid := [3]uint32{blocks(int(g.n), kernels.SegmentsWide>>g.shift), 1, 1}
		s.note(g.kernels.ProductEven(s.stream, grid, g.n, g.shift, g.w, g.col, g.ground, scale, ptr(x), ptr(b), ptr(dst)))
		return
	}
	s.note(g.kernels.ProductRagged(s.stream, [3]uint32{r.blockCount, 1, 1}, g.shift, r.blocks, r.segmentRow, r.rowSegment,
		g.w, g.col, g.ground, scale, ptr(x), ptr(b), ptr(dst), r.longSums))
	if r.longCount > 0 {
		s.note(g.kernels.FinishLong(s.stream, [3]uint32{r.longCount, 1, 1}, r.longRow, r.longPart, r.longSums, g.ground, scale, ptr(x), ptr(b), ptr(dst)))
	}
}

// GraphRestrict sums r over clusters.
func (s *space) GraphRestrict(fine, coarse ops.GraphLevel, b, x, r ops.Vector) {
	if !s.ready() {
		return
	}
	f, c := fine.(*graphLevel), coarse.(*graphLevel)
	s.note(f.kernels.RestrictSmall(s.stream, s.each(c.n), int32(c.n), f.bigFrom, f.first, f.member, ptr(r), c.scale, ptr(b), ptr(x)))
	if f.bigCount > 0 {
		s.note(f.kernels.RestrictBig(s.stream, [3]uint32{f.bigCount, 1, 1}, f.big, f.first, f.member, ptr(r), c.scale, ptr(b), ptr(x)))
	}
}

// GraphProlong adds the clusters' values.
func (s *space) GraphProlong(fine, _ ops.GraphLevel, x, coarseX ops.Vector) {
	if f := fine.(*graphLevel); s.ready() {
		s.note(f.kernels.Prolong(s.stream, s.each(f.n), f.n, f.of, ptr(coarseX), ptr(x)))
	}
}

// Cover sets dst = (r, -r).
func (s *space) Cover(dst, r ops.Vector) {
	k, err := module(s.Device, "segments", kernels.LoadSegments)
	s.note(err)
	if s.ready() {
		n := int64(r.Len())
		s.note(k.Cover(s.stream, s.each(n), n, ptr(r), ptr(dst)))
	}
}

// Fold sets z to half the difference of src's halves.
func (s *space) Fold(z, src ops.Vector) {
	k, err := module(s.Device, "segments", kernels.LoadSegments)
	s.note(err)
	if s.ready() {
		n := int64(z.Len())
		s.note(k.Fold(s.stream, s.each(n), n, ptr(src), ptr(z)))
	}
}
