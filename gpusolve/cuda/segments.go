package cuda

import (
	"fmt"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// graphLevel is a graph by segments of its rows; see kernels/segments.cu.
type graphLevel struct {
	s             *Space
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
func (s *Space) LoadGraph(g *ops.Graph, from ops.Rows, layout ops.Layout) (ops.GraphLevel, error) {
	k, err := Module(s.Device, "segments", kernels.LoadSegments)
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
	l.ground, l.scale = Upload(s, ground), Upload(s, scale)
	if layout.Upper {
		g, from = upperHalf(g), nil
		l.upper = Alloc[float32](s, l.n)
	}
	l.entries = g.Entries()
	l.setLength(layout.Length, func(length int32) int64 { return segmentsOf(g, length) })
	l.cut(g)
	l.w, l.col = Alloc[float32](s, l.segments*int64(l.length)), Alloc[int32](s, l.segments*int64(l.length))
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
	grid := [3]uint32{Blocks(int(l.segments), kernels.SegmentsWide), 1, 1}
	// Zeros that the matrix stores are no edges of the graph, and would be in the way.
	if r, ok := from.(*Rows); ok && r.entries == g.Entries()+l.n {
		if s.Ready() {
			s.Note(l.kernels.FillSegments(s.Stream, grid, kernels.SegmentsFillSegmentsArgs{
				Segments: l.segments, Length: l.length, SegmentRow: segmentRow, RowSegment: rowSegment, RowPtr: r.rowPtr,
				From: r.col, Entry: r.val, W: l.w, Col: l.col,
			}))
		}
		return
	}
	ptr, col, weight := Upload(s, g.Ptr), Upload(s, g.Col), Upload(s, g.Weight)
	if s.Ready() {
		s.Note(l.kernels.FillSegments(s.Stream, grid, kernels.SegmentsFillSegmentsArgs{
			Segments: l.segments, Length: l.length, SegmentRow: segmentRow, RowSegment: rowSegment, RowPtr: ptr, From: col,
			Weight: weight, W: l.w, Col: l.col,
		}))
	}
	s.Discard(ptr, col, weight)
}

// JoinLevels sends the clusters to the device.
func (s *Space) JoinLevels(fine ops.GraphLevel, c *ops.Clusters) error {
	l, before := fine.(*graphLevel), s.live
	l.of, l.first, l.member = Upload(s, c.Of), Upload(s, c.Ptr), Upload(s, c.Members)
	var big []int32
	for k := range c.N() {
		if len(c.Cluster(k)) >= kernels.SegmentsBig {
			big = append(big, int32(k))
		}
	}
	l.big, l.bigCount, l.bigFrom = Upload(s, big), uint32(len(big)), kernels.SegmentsBig
	l.bytes += s.live - before
	return s.err
}

// NewGraphVector makes a vector without pads.
func (s *Space) NewGraphVector(l ops.GraphLevel) (ops.Vector, error) {
	return NewVector[float32](s, int64(l.Len()), 0), s.err
}

// each is a grid of a thread per value.
func (s *Space) each(n int64) [3]uint32 { return [3]uint32{Blocks(int(n), kernels.SegmentsWide), 1, 1} }

// GraphStart sets x = s b.
func (s *Space) GraphStart(l ops.GraphLevel, x, b ops.Vector) {
	if g := l.(*graphLevel); s.Ready() {
		s.Note(g.kernels.Start(s.Stream, s.each(g.n), kernels.SegmentsStartArgs{N: g.n, Scale: g.scale, B: F32(b), X: F32(x)}))
	}
}

// GraphResidual sets r = b - A x.
func (s *Space) GraphResidual(l ops.GraphLevel, r, x, b ops.Vector) {
	s.graphProduct(l.(*graphLevel), cu.Ptr[float32]{}, r, x, b)
}

// GraphRelax sets dst = x + s (b - A x).
func (s *Space) GraphRelax(l ops.GraphLevel, dst, x, b ops.Vector) {
	s.graphProduct(l.(*graphLevel), l.(*graphLevel).scale, dst, x, b)
}

func (s *Space) graphProduct(g *graphLevel, scale cu.Ptr[float32], dst, x, b ops.Vector) {
	if !s.Ready() {
		return
	}
	r := g.ragged
	if !g.upper.IsNil() {
		grid := [3]uint32{Blocks(int(g.segments), kernels.SegmentsWide>>g.shift), 1, 1}
		s.Note(g.kernels.ProductUpper(s.Stream, grid, kernels.SegmentsProductUpperArgs{
			Segments: g.segments, Shift: g.shift, SegmentRow: r.segmentRow, W: g.w, Col: g.col, X: F32(x), Flow: g.upper,
		}))
		s.Note(g.kernels.SettleUpper(s.Stream, s.each(g.n), kernels.SegmentsSettleUpperArgs{
			N: g.n, Flow: g.upper, Ground: g.ground, Scale: scale, X: F32(x), B: F32(b), Dst: F32(dst),
		}))
		return
	}
	if r == nil {
		grid := [3]uint32{Blocks(int(g.n), kernels.SegmentsWide>>g.shift), 1, 1}
		s.Note(g.kernels.ProductEven(s.Stream, grid, kernels.SegmentsProductEvenArgs{
			N: g.n, Shift: g.shift, W: g.w, Col: g.col, Ground: g.ground, Scale: scale, X: F32(x), B: F32(b), Dst: F32(dst),
		}))
		return
	}
	s.Note(g.kernels.ProductRagged(s.Stream, [3]uint32{r.blockCount, 1, 1}, kernels.SegmentsProductRaggedArgs{
		Shift: g.shift, Blocks: r.blocks, SegmentRow: r.segmentRow, RowSegment: r.rowSegment, W: g.w, Col: g.col, Ground: g.ground,
		Scale: scale, X: F32(x), B: F32(b), Dst: F32(dst), LongSums: r.longSums,
	}))
	if r.longCount > 0 {
		s.Note(g.kernels.FinishLong(s.Stream, [3]uint32{r.longCount, 1, 1}, kernels.SegmentsFinishLongArgs{
			Row: r.longRow, Part: r.longPart, LongSums: r.longSums, Ground: g.ground, Scale: scale, X: F32(x), B: F32(b),
			Dst: F32(dst),
		}))
	}
}

// GraphRestrict sums r over clusters.
func (s *Space) GraphRestrict(fine, coarse ops.GraphLevel, b, x, r ops.Vector) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*graphLevel), coarse.(*graphLevel)
	s.Note(f.kernels.RestrictSmall(s.Stream, s.each(c.n), kernels.SegmentsRestrictSmallArgs{
		Clusters: int32(c.n), Big: f.bigFrom, First: f.first, Member: f.member, R: F32(r), Scale: c.scale, B: F32(b), X: F32(x),
	}))
	if f.bigCount > 0 {
		s.Note(f.kernels.RestrictBig(s.Stream, [3]uint32{f.bigCount, 1, 1}, kernels.SegmentsRestrictBigArgs{
			List: f.big, First: f.first, Member: f.member, R: F32(r), Scale: c.scale, B: F32(b), X: F32(x),
		}))
	}
}

// GraphProlong adds the clusters' values.
func (s *Space) GraphProlong(fine, _ ops.GraphLevel, x, coarseX ops.Vector) {
	if f := fine.(*graphLevel); s.Ready() {
		s.Note(f.kernels.Prolong(s.Stream, s.each(f.n), kernels.SegmentsProlongArgs{N: f.n, Of: f.of, Coarse: F32(coarseX), X: F32(x)}))
	}
}
