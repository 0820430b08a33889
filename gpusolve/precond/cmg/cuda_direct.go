package cmg

import (
	"fmt"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

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

// DirectRows is where products with an inverse beat further levels.
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
	dense, columns, limit := reuse.Make[float64](arrays, n*n), reuse.Make[float64](arrays, 2*n),
		reuse.Make[float64](arrays, n)
	for v := range n {
		cols, weights := g.Row(v)
		for i, u := range cols {
			dense[v*n+int(u)] = -float64(weights[i])
		}
		dense[v*n+v] = g.Diagonal[v]
		limit[v] = vanished * g.Diagonal[v]
	}
	for v := range n {
		columns[v] = dense[v*n]
	}
	a, both, limits := cuda.Upload(s.Space, dense), cuda.Upload(s.Space, columns), cuda.Upload(s.Space, limit)
	l.dense.inverse = cuda.Alloc[float32](s.Space, int64(n)*int64(n))
	l.bytes += 4 * int64(n) * int64(n)
	grid := s.Grid(n, SegmentsWide, n, 1)
	for k := range n {
		if s.Ready() {
			s.Note(l.kernels.Sweep(s.Stream, grid, SegmentsSweepArgs{N: int32(n), At: int32(k), A: a, Columns: both,
				Limit: limits}))
		}
	}
	if s.Ready() {
		s.Note(l.kernels.Narrow(s.Stream, grid, SegmentsNarrowArgs{N: int32(n), A: a, Inverse: l.dense.inverse}))
	}
	s.Discard(a, both, limits)
	l.dense.g = nil
	return s.Err()
}

// Direct multiplies with the inverse.
func (s gpuOperations) Direct(level graphLevel, x, b ops.Vector) {
	if l := level.(*gpuLevel); s.Ready() {
		grid := [3]uint32{cuda.Blocks(int(l.n), SegmentsWide/32), 1, 1}
		s.Note(
			l.kernels.Direct(s.Stream, grid, SegmentsDirectArgs{N: int32(l.n), Inverse: l.dense.inverse, B: cuda.F32(b),
				X: cuda.F32(x)}))
	}
}
