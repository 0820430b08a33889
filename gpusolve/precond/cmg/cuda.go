package cmg

import (
	"fmt"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// gpuOperations are those on a GPU.
type gpuOperations struct {
	*cuda.Space
	least int // graphs of more vertices are decomposed on the device
}

// onGPU is the GPU's part of an operator.
func onGPU(a ops.Operator) (e operations, ok bool, err error) {
	s, ok := cuda.SpaceOf(a)
	return gpuOperations{s, deviceRows}, ok, nil
}

// gpuLevel is a graph by segments of its rows; see segments.cu.
type gpuLevel struct {
	s             gpuOperations
	kernels       *Segments
	n             int64
	length, shift int32 // entries of a segment: length = 4 << shift
	segments      int64
	entries       int64

	w, ground, scale cudriver.Ptr[float32]
	col              cudriver.Ptr[int32]
	ragged           *raggedRows           // nil where every row has one segment
	upper            cudriver.Ptr[float32] // sums of products, where only the upper triangle is stored

	gpuClusters

	dense *denseGraph // for Invert
}

// gpuClusters are the vertices of each cluster.
type gpuClusters struct {
	of, first, member cudriver.Ptr[int32]
	big               cudriver.Ptr[int32] // clusters of many members
	bigCount          uint32
	bigFrom           int32 // members from which a cluster is big
}

// raggedRows say which rows the segments and blocks of a graph belong to.
type raggedRows struct {
	blocks, segmentRow, rowSegment cudriver.Ptr[int32]
	blockCount                     uint32
	longRow, longPart              cudriver.Ptr[int32]
	longSums                       cudriver.Ptr[float64]
	longCount                      uint32
}

func (l *gpuLevel) Len() int { return int(l.n) }

// Traffic of a product: segments with their padding, what numbers them where rows have several, ground, x, b and r; and
// the sums of an upper triangle, set and read.
func (l *gpuLevel) Traffic() int64 {
	bytes := 8*l.segments*int64(l.length) + 16*l.n
	if l.ragged != nil {
		bytes += 4 * (l.segments + l.n)
	}
	if !l.upper.IsNil() {
		bytes += 8 * l.n
	}
	return bytes
}

func (l *gpuLevel) Layout() string {
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

func (s gpuOperations) Load(g *Graph, from ops.Rows, layout Layout) (graphLevel, error) {
	return s.load(g, from, layout)
}

// load lays a graph out by segments, from its rows on the device where they are there.
func (s gpuOperations) load(g *Graph, from ops.Rows, layout Layout) (*gpuLevel, error) {
	k, err := cuda.Module(s.Device, "segments", LoadSegments)
	if err != nil {
		return nil, err
	}
	n := g.N()
	l := &gpuLevel{s: s, kernels: k, n: int64(n)}
	ground, scale := g.singles(s.Arrays(), layout.Damping)
	l.ground, l.scale = cuda.Upload(s.Space, ground), cuda.Upload(s.Space, scale)
	if layout.Upper {
		g, from = upperHalf(g), nil
		l.upper = cuda.Alloc[float32](s.Space, l.n)
	}
	l.entries = g.Entries()
	l.setLength(layout.Length, func(length int32) int64 { return segmentsOf(g, length) })
	l.cut(g)
	l.allocate()
	l.fill(g, from)
	if n <= mostDirectRows && !layout.Upper {
		l.dense = &denseGraph{g: g}
	}
	return l, s.Err()
}

// allocate makes room for the segments.
func (l *gpuLevel) allocate() {
	n := l.segments * int64(l.length)
	l.w, l.col = cuda.Alloc[float32](l.s.Space, n), cuda.Alloc[int32](l.s.Space, n)
}

// fill copies the entries into the segments.
func (l *gpuLevel) fill(g *Graph, from ops.Rows) {
	s := l.s
	// Zeros that the matrix stores are no edges of the graph, and would be in the way.
	if r, ok := from.(*cuda.Rows); ok && r.Entries() == g.Entries()+l.n {
		rowPtr, cols, entry := r.Arrays()
		l.fillFrom(SegmentsFillSegmentsArgs{RowPtr: rowPtr, From: cols, Entry: entry})
		return
	}
	ptr, col, weight := cuda.Upload(s.Space, g.Ptr), cuda.Upload(s.Space, g.Col), cuda.Upload(s.Space, g.Weight)
	l.fillFrom(SegmentsFillSegmentsArgs{RowPtr: ptr, From: col, Weight: weight})
	s.Discard(ptr, col, weight)
}

// fillFrom copies the entries from rows on the device, which the arguments name.
func (l *gpuLevel) fillFrom(a SegmentsFillSegmentsArgs) {
	a.Segments, a.Length, a.W, a.Col = l.segments, l.length, l.w, l.col
	if l.ragged != nil {
		a.SegmentRow, a.RowSegment = l.ragged.segmentRow, l.ragged.rowSegment
	}
	cuda.Launch(l.s.Space, &l.kernels.FillSegments, threads(l.segments), a)
}

func (s gpuOperations) Join(fine graphLevel, c *Clusters) error {
	l := fine.(*gpuLevel)
	l.of, l.first, l.member = cuda.Upload(s.Space, c.Of), cuda.Upload(s.Space, c.Ptr), cuda.Upload(s.Space, c.Members)
	var big []int32
	for k := range c.N() {
		if len(c.Cluster(k)) >= SegmentsBig {
			big = append(big, int32(k))
		}
	}
	l.big, l.bigCount, l.bigFrom = cuda.Upload(s.Space, big), uint32(len(big)), SegmentsBig
	return s.Err()
}

func (s gpuOperations) NewVector(l graphLevel) (ops.Vector, error) {
	return cuda.NewVector[float32](s.Space, int64(l.Len()), 0), s.Err()
}

// Segments are shorter than a block's four entries a thread.
const longestSegment = 512

// setLength takes the length that moves the fewest bytes. The candidates are the smallest power of two that is no
// shorter than the mean row, which is segSpMV's rule, and its half and quarter, but at least 4. Rows of a quotient
// differ much in length, and shorter segments are padded less. The function segments counts the segments of a length.
func (l *gpuLevel) setLength(asked int, segments func(length int32) int64) {
	l.length = int32(asked)
	if asked == 0 {
		mean := int32(4)
		for int64(mean)*l.n < l.entries && mean < longestSegment {
			mean *= 2
		}
		least := int64(-1)
		for length := max(4, mean/4); length <= mean; length *= 2 {
			count := segments(length)
			bytes := count * int64(length) * 8
			if count > l.n {
				bytes += 4 * (count + l.n)
			}
			if least < 0 || bytes <= least {
				l.length, least = length, bytes
			}
		}
	}
	l.segments = segments(l.length)
	for 4<<l.shift < l.length {
		l.shift++
	}
}

// segmentsOf counts the segments of a length; an empty row has one.
func segmentsOf(g *Graph, length int32) int64 {
	count := int64(0)
	for v := range g.N() {
		count += max(1, (g.Ptr[v+1]-g.Ptr[v]+int64(length)-1)/int64(length))
	}
	return count
}

// upperHalf keeps the edges to later vertices.
func upperHalf(g *Graph) *Graph {
	u := &Graph{Ptr: make([]int64, 1, len(g.Ptr)), Ground: g.Ground, Diagonal: g.Diagonal}
	for v := range g.N() {
		cols, weights := g.Row(v)
		for i, to := range cols {
			if int(to) > v {
				u.Col, u.Weight = append(u.Col, to), append(u.Weight, weights[i])
			}
		}
		u.Ptr = append(u.Ptr, int64(len(u.Col)))
	}
	return u
}

// cut numbers the segments of rows and, where a row has more than one, gives whole rows to blocks. A row that fills a
// block by itself has as many blocks as it needs.
func (l *gpuLevel) cut(g *Graph) {
	n, perBlock := g.N(), int32(SegmentsWide)>>l.shift
	if l.segments == int64(n) && l.upper.IsNil() {
		return
	}
	rowSegment := make([]int32, n+1)
	var list, longRow []int32
	longPart := []int32{0}
	parts := int32(0)
	first, firstRow := int32(0), 0 // of the block that is being filled
	flush := func(end int) {
		if end > firstRow {
			list = append(list, first, rowSegment[end]-first, int32(firstRow), int32(end-firstRow))
		}
	}
	for v := range n {
		length := g.Ptr[v+1] - g.Ptr[v]
		count := int32(max(1, (length+int64(l.length)-1)/int64(l.length)))
		rowSegment[v+1] = rowSegment[v] + count
		switch {
		case count > perBlock:
			flush(v)
			longRow = append(longRow, int32(v))
			for at := rowSegment[v]; at < rowSegment[v+1]; at += perBlock {
				list = append(list, at, min(perBlock, rowSegment[v+1]-at), parts, 0)
				parts++
			}
			longPart = append(longPart, parts)
			first, firstRow = rowSegment[v+1], v+1
		case rowSegment[v+1]-first > perBlock:
			flush(v)
			first, firstRow = rowSegment[v], v
		}
	}
	flush(n)
	l.segments = int64(rowSegment[n])
	segmentRow := make([]int32, l.segments)
	for v := range n {
		for at := rowSegment[v]; at < rowSegment[v+1]; at++ {
			segmentRow[at] = int32(v)
		}
	}
	s := l.s
	l.ragged = &raggedRows{
		blocks: cuda.Upload(s.Space, list), segmentRow: cuda.Upload(s.Space, segmentRow),
		rowSegment: cuda.Upload(s.Space, rowSegment), blockCount: uint32(len(list) / 4),
		longRow: cuda.Upload(s.Space, longRow), longPart: cuda.Upload(s.Space, longPart),
		longSums: cuda.Alloc[float64](s.Space, int64(parts)), longCount: uint32(len(longRow)),
	}
}

// threads is the grid of a thread per value.
func threads(n int64) [3]uint32 { return cuda.Over(n, SegmentsWide) }

func (s gpuOperations) Start(l graphLevel, x, b ops.Vector) {
	g := l.(*gpuLevel)
	cuda.Launch(s.Space, &g.kernels.Start, threads(g.n),
		SegmentsStartArgs{N: g.n, Scale: g.scale, B: cuda.F32(b), X: cuda.F32(x)})
}

func (s gpuOperations) Residual(l graphLevel, r, x, b ops.Vector) {
	s.graphProduct(l.(*gpuLevel), cudriver.Ptr[float32]{}, r, x, b)
}

func (s gpuOperations) Relax(l graphLevel, dst, x, b ops.Vector) {
	s.graphProduct(l.(*gpuLevel), l.(*gpuLevel).scale, dst, x, b)
}

func (s gpuOperations) graphProduct(g *gpuLevel, scale cudriver.Ptr[float32], dst, x, b ops.Vector) {
	r, k, x32, b32, dst32 := g.ragged, g.kernels, cuda.F32(x), cuda.F32(b), cuda.F32(dst)
	if !g.upper.IsNil() {
		cuda.Launch(s.Space, &k.ProductUpper, cuda.Over(g.segments, SegmentsWide>>g.shift), SegmentsProductUpperArgs{
			Segments: g.segments, Shift: g.shift, SegmentRow: r.segmentRow, W: g.w, Col: g.col, X: x32, Flow: g.upper,
		})
		cuda.Launch(s.Space, &k.SettleUpper, threads(g.n),
			SegmentsSettleUpperArgs{N: g.n, Flow: g.upper, Ground: g.ground, Scale: scale, X: x32, B: b32, Dst: dst32})
		return
	}
	if r == nil {
		cuda.Launch(s.Space, &k.ProductEven, cuda.Over(g.n, SegmentsWide>>g.shift), SegmentsProductEvenArgs{
			N: g.n, Shift: g.shift, W: g.w, Col: g.col, Ground: g.ground, Scale: scale, X: x32, B: b32, Dst: dst32,
		})
		return
	}
	cuda.Launch(s.Space, &k.ProductRagged, [3]uint32{r.blockCount, 1, 1}, SegmentsProductRaggedArgs{
		Shift: g.shift, Blocks: r.blocks, SegmentRow: r.segmentRow, RowSegment: r.rowSegment, W: g.w, Col: g.col,
		Ground: g.ground, Scale: scale, X: x32, B: b32, Dst: dst32, LongSums: r.longSums,
	})
	if r.longCount > 0 {
		cuda.Launch(s.Space, &k.FinishLong, [3]uint32{r.longCount, 1, 1}, SegmentsFinishLongArgs{Row: r.longRow,
			Part: r.longPart, LongSums: r.longSums, Ground: g.ground, Scale: scale, X: x32, B: b32, Dst: dst32})
	}
}

func (s gpuOperations) Restrict(fine, coarse graphLevel, b, x, r ops.Vector) {
	f, c := fine.(*gpuLevel), coarse.(*gpuLevel)
	cuda.Launch(s.Space, &f.kernels.RestrictSmall, threads(c.n), SegmentsRestrictSmallArgs{Clusters: int32(c.n),
		Big: f.bigFrom, First: f.first, Member: f.member, R: cuda.F32(r), Scale: c.scale, B: cuda.F32(b),
		X: cuda.F32(x)})
	if f.bigCount > 0 {
		cuda.Launch(s.Space, &f.kernels.RestrictBig, [3]uint32{f.bigCount, 1, 1}, SegmentsRestrictBigArgs{
			List: f.big, First: f.first, Member: f.member, R: cuda.F32(r), Scale: c.scale, B: cuda.F32(b),
			X: cuda.F32(x),
		})
	}
}

func (s gpuOperations) Prolong(fine, _ graphLevel, x, coarseX ops.Vector) {
	f := fine.(*gpuLevel)
	cuda.Launch(s.Space, &f.kernels.Prolong, threads(f.n),
		SegmentsProlongArgs{N: f.n, Of: f.of, Coarse: cuda.F32(coarseX), X: cuda.F32(x)})
}

// denseGraph is a small graph that may be inverted: its entries on the host until then, the inverse on the device
// afterwards.
type denseGraph struct {
	g       *Graph
	inverse cudriver.Ptr[float32]
}

// cudaDirectRows: the inverse of 2048 x 2048 takes 16 MB, which the second-level cache of a large GPU holds, and some
// 40 ms to make.
const cudaDirectRows = 2048

// mostDirectRows bounds what a user may ask for.
const mostDirectRows = 1 << 13

func (s gpuOperations) DirectRows() int { return cudaDirectRows }

// Invert sweeps all pivots in FP64, a launch each, and keeps the inverse in FP32.
func (s gpuOperations) Invert(level graphLevel) error {
	l := level.(*gpuLevel)
	if l.dense == nil {
		return fmt.Errorf("a graph of %d vertices is too large for its inverse; at most %d are possible", l.n,
			mostDirectRows)
	}
	g, n := l.dense.g, int(l.n)
	arrays := s.Arrays()
	dense, columns, limit := g.dense(arrays), reuse.Make[float64](arrays, 2*n), reuse.Make[float64](arrays, n)
	for v := range n {
		limit[v] = vanished * g.Diagonal[v]
		columns[v] = dense[v*n]
	}
	a, both, limits := cuda.Upload(s.Space, dense), cuda.Upload(s.Space, columns), cuda.Upload(s.Space, limit)
	l.dense.inverse = cuda.Alloc[float32](s.Space, int64(n)*int64(n))
	grid := s.Grid(n, SegmentsWide, n, 1)
	for k := range n {
		cuda.Launch(s.Space, &l.kernels.Sweep, grid,
			SegmentsSweepArgs{N: int32(n), At: int32(k), A: a, Columns: both, Limit: limits})
	}
	cuda.Launch(s.Space, &l.kernels.Narrow, grid, SegmentsNarrowArgs{N: int32(n), A: a, Inverse: l.dense.inverse})
	s.Discard(a, both, limits)
	l.dense.g = nil
	return s.Err()
}

func (s gpuOperations) Direct(level graphLevel, x, b ops.Vector) {
	l := level.(*gpuLevel)
	cuda.Launch(s.Space, &l.kernels.Direct, cuda.Over(l.n, SegmentsWide/32),
		SegmentsDirectArgs{N: int32(l.n), Inverse: l.dense.inverse, B: cuda.F32(b), X: cuda.F32(x)})
}
