package cmg

import (
	"fmt"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// gpuOperations are those on a GPU.
type gpuOperations struct{ *cuda.Space }

var (
	_ operations = gpuOperations{}
	_ coarsener  = gpuOperations{}
)

// onGPU is the GPU's part of an operator.
func onGPU(a ops.Operator) (e operations, ok bool, err error) {
	s, ok := cuda.SpaceOf(a)
	return gpuOperations{s}, ok, nil
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
	bytes int64
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

// Len is the number of vertices.
func (l *gpuLevel) Len() int { return int(l.n) }

// Bytes of the graph, its transfer and its inverse.
func (l *gpuLevel) Bytes() int64 { return l.bytes }

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

// Layout in segments.
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

// Load lays a graph out by segments, from its rows on the device where they are there.
func (s gpuOperations) Load(g *Graph, from ops.Rows, layout Layout) (graphLevel, error) {
	k, err := cuda.Module(s.Device, "segments", LoadSegments)
	if err != nil {
		return nil, err
	}
	before := s.Allocated()
	n := g.N()
	l := &gpuLevel{s: s, kernels: k, n: int64(n)}
	ground, scale := reuse.Make[float32](s.Arrays(), n), reuse.Make[float32](s.Arrays(), n)
	for v := range n {
		ground[v] = float32(g.Ground[v])
		if d := g.Diagonal[v]; d > 0 {
			scale[v] = float32(float64(layout.Damping) / d)
		}
	}
	l.ground, l.scale = cuda.Upload(s.Space, ground), cuda.Upload(s.Space, scale)
	if layout.Upper {
		g, from = upperHalf(g), nil
		l.upper = cuda.Alloc[float32](s.Space, l.n)
	}
	l.entries = g.Entries()
	l.setLength(layout.Length, func(length int32) int64 { return segmentsOf(g, length) })
	l.cut(g)
	l.w, l.col = cuda.Alloc[float32](s.Space, l.segments*int64(l.length)),
		cuda.Alloc[int32](s.Space, l.segments*int64(l.length))
	l.fill(g, from)
	l.bytes = s.Allocated() - before
	if n <= mostDirectRows && !layout.Upper {
		l.dense = &denseGraph{g: g}
	}
	return l, s.Err()
}

// fill copies the entries into the segments.
func (l *gpuLevel) fill(g *Graph, from ops.Rows) {
	s := l.s
	var segmentRow, rowSegment cudriver.Ptr[int32]
	if l.ragged != nil {
		segmentRow, rowSegment = l.ragged.segmentRow, l.ragged.rowSegment
	}
	grid := [3]uint32{cuda.Blocks(int(l.segments), SegmentsWide), 1, 1}
	// Zeros that the matrix stores are no edges of the graph, and would be in the way.
	if r, ok := from.(*cuda.Rows); ok && r.Entries() == g.Entries()+l.n {
		rowPtr, cols, entry := r.Arrays()
		if s.Ready() {
			s.Note(l.kernels.FillSegments(s.Stream, grid, SegmentsFillSegmentsArgs{
				Segments: l.segments, Length: l.length, SegmentRow: segmentRow, RowSegment: rowSegment, RowPtr: rowPtr,
				From: cols, Entry: entry, W: l.w, Col: l.col,
			}))
		}
		return
	}
	ptr, col, weight := cuda.Upload(s.Space, g.Ptr), cuda.Upload(s.Space, g.Col), cuda.Upload(s.Space, g.Weight)
	if s.Ready() {
		s.Note(l.kernels.FillSegments(s.Stream, grid, SegmentsFillSegmentsArgs{
			Segments: l.segments, Length: l.length, SegmentRow: segmentRow, RowSegment: rowSegment, RowPtr: ptr,
			From:   col,
			Weight: weight, W: l.w, Col: l.col,
		}))
	}
	s.Discard(ptr, col, weight)
}

// Join sends the clusters to the device.
func (s gpuOperations) Join(fine graphLevel, c *Clusters) error {
	l, before := fine.(*gpuLevel), s.Allocated()
	l.of, l.first, l.member = cuda.Upload(s.Space, c.Of), cuda.Upload(s.Space, c.Ptr), cuda.Upload(s.Space, c.Members)
	var big []int32
	for k := range c.N() {
		if len(c.Cluster(k)) >= SegmentsBig {
			big = append(big, int32(k))
		}
	}
	l.big, l.bigCount, l.bigFrom = cuda.Upload(s.Space, big), uint32(len(big)), SegmentsBig
	l.bytes += s.Allocated() - before
	return s.Err()
}

// NewVector makes a vector without pads.
func (s gpuOperations) NewVector(l graphLevel) (ops.Vector, error) {
	return cuda.NewVector[float32](s.Space, int64(l.Len()), 0), s.Err()
}
