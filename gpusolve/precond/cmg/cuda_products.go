package cmg

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// each is a grid of a thread per value.
func (s gpuOperations) each(n int64) [3]uint32 {
	return [3]uint32{cuda.Blocks(int(n), SegmentsWide), 1, 1}
}

// Start sets x = s b.
func (s gpuOperations) Start(l graphLevel, x, b ops.Vector) {
	if g := l.(*gpuLevel); s.Ready() {
		s.Note(g.kernels.Start(s.Stream, s.each(g.n),
			SegmentsStartArgs{N: g.n, Scale: g.scale, B: cuda.F32(b), X: cuda.F32(x)}))
	}
}

// Residual sets r = b - A x.
func (s gpuOperations) Residual(l graphLevel, r, x, b ops.Vector) {
	s.graphProduct(l.(*gpuLevel), cudriver.Ptr[float32]{}, r, x, b)
}

// Relax sets dst = x + s (b - A x).
func (s gpuOperations) Relax(l graphLevel, dst, x, b ops.Vector) {
	s.graphProduct(l.(*gpuLevel), l.(*gpuLevel).scale, dst, x, b)
}

func (s gpuOperations) graphProduct(g *gpuLevel, scale cudriver.Ptr[float32], dst, x, b ops.Vector) {
	if !s.Ready() {
		return
	}
	r := g.ragged
	if !g.upper.IsNil() {
		grid := [3]uint32{cuda.Blocks(int(g.segments), SegmentsWide>>g.shift), 1, 1}
		s.Note(g.kernels.ProductUpper(s.Stream, grid, SegmentsProductUpperArgs{
			Segments: g.segments, Shift: g.shift, SegmentRow: r.segmentRow, W: g.w, Col: g.col, X: cuda.F32(x),
			Flow: g.upper,
		}))
		s.Note(g.kernels.SettleUpper(s.Stream, s.each(g.n), SegmentsSettleUpperArgs{
			N: g.n, Flow: g.upper, Ground: g.ground, Scale: scale, X: cuda.F32(x), B: cuda.F32(b), Dst: cuda.F32(dst),
		}))
		return
	}
	if r == nil {
		grid := [3]uint32{cuda.Blocks(int(g.n), SegmentsWide>>g.shift), 1, 1}
		s.Note(g.kernels.ProductEven(s.Stream, grid, SegmentsProductEvenArgs{
			N: g.n, Shift: g.shift, W: g.w, Col: g.col, Ground: g.ground, Scale: scale, X: cuda.F32(x), B: cuda.F32(b),
			Dst: cuda.F32(dst),
		}))
		return
	}
	s.Note(g.kernels.ProductRagged(s.Stream, [3]uint32{r.blockCount, 1, 1}, SegmentsProductRaggedArgs{
		Shift: g.shift, Blocks: r.blocks, SegmentRow: r.segmentRow, RowSegment: r.rowSegment, W: g.w, Col: g.col,
		Ground: g.ground,
		Scale:  scale, X: cuda.F32(x), B: cuda.F32(b), Dst: cuda.F32(dst), LongSums: r.longSums,
	}))
	if r.longCount > 0 {
		s.Note(g.kernels.FinishLong(s.Stream, [3]uint32{r.longCount, 1, 1}, SegmentsFinishLongArgs{
			Row: r.longRow, Part: r.longPart, LongSums: r.longSums, Ground: g.ground, Scale: scale, X: cuda.F32(x),
			B:   cuda.F32(b),
			Dst: cuda.F32(dst),
		}))
	}
}

// Restrict sums r over clusters.
func (s gpuOperations) Restrict(fine, coarse graphLevel, b, x, r ops.Vector) {
	if !s.Ready() {
		return
	}
	f, c := fine.(*gpuLevel), coarse.(*gpuLevel)
	s.Note(f.kernels.RestrictSmall(s.Stream, s.each(c.n), SegmentsRestrictSmallArgs{
		Clusters: int32(c.n), Big: f.bigFrom, First: f.first, Member: f.member, R: cuda.F32(r), Scale: c.scale,
		B: cuda.F32(b), X: cuda.F32(x),
	}))
	if f.bigCount > 0 {
		s.Note(f.kernels.RestrictBig(s.Stream, [3]uint32{f.bigCount, 1, 1}, SegmentsRestrictBigArgs{
			List: f.big, First: f.first, Member: f.member, R: cuda.F32(r), Scale: c.scale, B: cuda.F32(b),
			X: cuda.F32(x),
		}))
	}
}

// Prolong adds the clusters' values.
func (s gpuOperations) Prolong(fine, _ graphLevel, x, coarseX ops.Vector) {
	if f := fine.(*gpuLevel); s.Ready() {
		s.Note(f.kernels.Prolong(s.Stream, s.each(f.n), SegmentsProlongArgs{N: f.n, Of: f.of, Coarse: cuda.F32(coarseX),
			X: cuda.F32(x)}))
	}
}
