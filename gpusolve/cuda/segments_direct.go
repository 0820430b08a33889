package cuda

import (
	"fmt"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// denseGraph is a small graph that may be inverted: its entries on the host until then, the inverse on the device afterwards.
type denseGraph struct {
	g       *ops.Graph
	inverse cu.Ptr[float32]
}

// directRows: the inverse of 2048 x 2048 takes 16 MB, which the second-level cache of a large GPU holds, and some 40 ms to make.
const directRows = 2048

// mostDirectRows bounds what a user may ask for.
const mostDirectRows = 1 << 13

// DirectRows is where products with an inverse beat further levels.
func (s *space) DirectRows() int { return directRows }

// vanished is the share of a diagonal below which a pivot is rounding: the vertex belongs to a part that has no ground.
const vanished = 1e-11

// Invert sweeps all pivots in FP64, a launch each, and keeps the inverse in FP32.
func (s *space) Invert(level ops.GraphLevel) error {
	l := level.(*graphLevel)
	if l.dense == nil {
		return fmt.Errorf("a graph of %d vertices is too large for its inverse; at most %d are possible", l.n, mostDirectRows)
	}
	g, n := l.dense.g, int(l.n)
	dense, columns, limit := make([]float64, n*n), make([]float64, 2*n), make([]float64, n)
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
	a, both, limits := upload(s, dense), upload(s, columns), upload(s, limit)
	l.dense.inverse = alloc[float32](s, int64(n)*int64(n))
	l.bytes += 4 * int64(n) * int64(n)
	grid := s.grid(n, kernels.SegmentsWide, n, 1)
	for k := range n {
		if s.ready() {
			s.note(l.kernels.Sweep(s.stream, grid, kernels.SegmentsSweepArgs{N: int32(n), At: int32(k), A: a, Columns: both, Limit: limits}))
		}
	}
	if s.ready() {
		s.note(l.kernels.Narrow(s.stream, grid, kernels.SegmentsNarrowArgs{N: int32(n), A: a, Inverse: l.dense.inverse}))
	}
	s.free(a, both, limits)
	l.dense.g = nil
	return s.err
}

// GraphDirect multiplies with the inverse.
func (s *space) GraphDirect(level ops.GraphLevel, x, b ops.Vector) {
	if l := level.(*graphLevel); s.ready() {
		grid := [3]uint32{blocks(int(l.n), kernels.SegmentsWide/32), 1, 1}
		s.note(l.kernels.Direct(s.stream, grid, kernels.SegmentsDirectArgs{N: int32(l.n), Inverse: l.dense.inverse, B: f32(b), X: f32(x)}))
	}
}
