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

	w, ground, scale cu.Ptr[float32]
	col              cu.Ptr[int32]
	ragged           *raggedRows     // nil where every row has one segment
	upper            cu.Ptr[float32] // sums of products, where only the upper triangle is stored

	of, first, member cu.Ptr[int32] // clusters
	big               cu.Ptr[int32] // those of many members
	bigCount          uint32
	bigFrom           int32 // members from which a cluster is big

	dense *denseGraph // for Invert
	bytes int64
}

// raggedRows say which rows the segments and blocks of a graph belong to.
type raggedRows struct {
	blocks, segmentRow, rowSegment cu.Ptr[int32]
	blockCount                     uint32
	longRow, longPart              cu.Ptr[int32]
	longSums                       cu.Ptr[float64]
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
	if l.dense != nil && !l.dense.inverse.IsNil() {
		return fmt.Sprintf("%d neighbours", l.entries)
	}
	half := ""
	if !l.upper.IsNil() {
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
		l.upper = alloc[float32](s, l.n)
	}
	l.entries = g.Entries()
	l.setLength(layout.Length, func(length int32) int64 { return segmentsOf(g, length) })
	l.cut(g)
	l.w, l.col = alloc[float32](s, l.segments*int64(l.length)), alloc[int32](s, l.segments*int64(l.length))
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
	var segmentRow, rowSegment cu.Ptr[int32]
	if l.ragged != nil {
		segmentRow, rowSegment = l.ragged.segmentRow, l.ragged.rowSegment
	}
	grid := [3]uint32{blocks(int(l.segments), kernels.SegmentsWide), 1, 1}
	// Zeros that the matrix stores are no edges of the graph, and would be in the way.
	if r, ok := from.(*rows); ok && r.entries == g.Entries()+l.n {
		if s.ready() {
			s.note(l.kernels.FillSegments(s.stream, grid, kernels.SegmentsFillSegmentsArgs{
				Segments: l.segments, Length: l.length, SegmentRow: segmentRow, RowSegment: rowSegment, RowPtr: r.rowPtr,
				From: r.col, Entry: r.val, W: l.w, Col: l.col,
			}))
		}
		return
	}
	ptr, col, weight := upload(s, g.Ptr), upload(s, g.Col), upload(s, g.Weight)
	if s.ready() {
		s.note(l.kernels.FillSegments(s.stream, grid, kernels.SegmentsFillSegmentsArgs{
			Segments: l.segments, Length: l.length, SegmentRow: segmentRow, RowSegment: rowSegment, RowPtr: ptr, From: col,
			Weight: weight, W: l.w, Col: l.col,
		}))
	}
	s.free(ptr, col, weight)
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
	return newVector[float32](s, int64(l.Len()), 0), s.err
}

// each is a grid of a thread per value.
func (s *space) each(n int64) [3]uint32 { return [3]uint32{blocks(int(n), kernels.SegmentsWide), 1, 1} }

// GraphStart sets x = s b.
func (s *space) GraphStart(l ops.GraphLevel, x, b ops.Vector) {
	if g := l.(*graphLevel); s.ready() {
		s.note(g.kernels.Start(s.stream, s.each(g.n), kernels.SegmentsStartArgs{N: g.n, Scale: g.scale, B: f32(b), X: f32(x)}))
	}
}

// GraphResidual sets r = b - A x.
func (s *space) GraphResidual(l ops.GraphLevel, r, x, b ops.Vector) {
	s.graphProduct(l.(*graphLevel), cu.Ptr[float32]{}, r, x, b)
}

// GraphRelax sets dst = x + s (b - A x).
func (s *space) GraphRelax(l ops.GraphLevel, dst, x, b ops.Vector) {
	s.graphProduct(l.(*graphLevel), l.(*graphLevel).scale, dst, x, b)
}

func (s *space) graphProduct(g *graphLevel, scale cu.Ptr[float32], dst, x, b ops.Vector) {
	if !s.ready() {
		return
	}
	r := g.ragged
	if !g.upper.IsNil() {
		grid := [3]uint32{blocks(int(g.segments), kernels.SegmentsWide>>g.shift), 1, 1}
		s.note(g.kernels.ProductUpper(s.stream, grid, kernels.SegmentsProductUpperArgs{
			Segments: g.segments, Shift: g.shift, SegmentRow: r.segmentRow, W: g.w, Col: g.col, X: f32(x), Flow: g.upper,
		}))
		s.note(g.kernels.SettleUpper(s.stream, s.each(g.n), kernels.SegmentsSettleUpperArgs{
			N: g.n, Flow: g.upper, Ground: g.ground, Scale: scale, X: f32(x), B: f32(b), Dst: f32(dst),
		}))
		return
	}
	if r == nil {
		grid := [3]uint32{blocks(int(g.n), kernels.SegmentsWide>>g.shift), 1, 1}
		s.note(g.kernels.ProductEven(s.stream, grid, kernels.SegmentsProductEvenArgs{
			N: g.n, Shift: g.shift, W: g.w, Col: g.col, Ground: g.ground, Scale: scale, X: f32(x), B: f32(b), Dst: f32(dst),
		}))
		return
	}
	s.note(g.kernels.ProductRagged(s.stream, [3]uint32{r.blockCount, 1, 1}, kernels.SegmentsProductRaggedArgs{
		Shift: g.shift, Blocks: r.blocks, SegmentRow: r.segmentRow, RowSegment: r.rowSegment, W: g.w, Col: g.col, Ground: g.ground,
		Scale: scale, X: f32(x), B: f32(b), Dst: f32(dst), LongSums: r.longSums,
	}))
	if r.longCount > 0 {
		s.note(g.kernels.FinishLong(s.stream, [3]uint32{r.longCount, 1, 1}, kernels.SegmentsFinishLongArgs{
			Row: r.longRow, Part: r.longPart, LongSums: r.longSums, Ground: g.ground, Scale: scale, X: f32(x), B: f32(b),
			Dst: f32(dst),
		}))
	}
}

// GraphRestrict sums r over clusters.
func (s *space) GraphRestrict(fine, coarse ops.GraphLevel, b, x, r ops.Vector) {
	if !s.ready() {
		return
	}
	f, c := fine.(*graphLevel), coarse.(*graphLevel)
	s.note(f.kernels.RestrictSmall(s.stream, s.each(c.n), kernels.SegmentsRestrictSmallArgs{
		Clusters: int32(c.n), Big: f.bigFrom, First: f.first, Member: f.member, R: f32(r), Scale: c.scale, B: f32(b), X: f32(x),
	}))
	if f.bigCount > 0 {
		s.note(f.kernels.RestrictBig(s.stream, [3]uint32{f.bigCount, 1, 1}, kernels.SegmentsRestrictBigArgs{
			List: f.big, First: f.first, Member: f.member, R: f32(r), Scale: c.scale, B: f32(b), X: f32(x),
		}))
	}
}

// GraphProlong adds the clusters' values.
func (s *space) GraphProlong(fine, _ ops.GraphLevel, x, coarseX ops.Vector) {
	if f := fine.(*graphLevel); s.ready() {
		s.note(f.kernels.Prolong(s.stream, s.each(f.n), kernels.SegmentsProlongArgs{N: f.n, Of: f.of, Coarse: f32(coarseX), X: f32(x)}))
	}
}

// Cover sets dst = (r, -r).
func (s *space) Cover(dst, r ops.Vector) {
	k, err := module(s.Device, "segments", kernels.LoadSegments)
	s.note(err)
	if s.ready() {
		n := int64(r.Len())
		s.note(k.Cover(s.stream, s.each(n), kernels.SegmentsCoverArgs{N: n, R: f32(r), Dst: f32(dst)}))
	}
}

// Fold sets z to half the difference of src's halves.
func (s *space) Fold(z, src ops.Vector) {
	k, err := module(s.Device, "segments", kernels.LoadSegments)
	s.note(err)
	if s.ready() {
		n := int64(z.Len())
		s.note(k.Fold(s.stream, s.each(n), kernels.SegmentsFoldArgs{N: n, Src: f32(src), Z: f32(z)}))
	}
}
