package cuda

import (
	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/ops"
)

// iteration holds the scalars of one solve on the device; their order is fixed in kernels/device.h. Two of them on one space are two solves.
type iteration struct {
	*space
	scalarsDev cu.Ptr[float64]
	direction  *vector[float32]
}

// meshWorkspace is what one solve of a mesh's system keeps.
type meshWorkspace struct {
	iteration
	sys *system
}

// matrixWorkspace is the same for a matrix.
type matrixWorkspace struct {
	iteration
	m *matrix
}

var (
	_ ops.Workspace      = (*meshWorkspace)(nil)
	_ ops.Workspace      = (*matrixWorkspace)(nil)
	_ ops.Stabilised     = (*meshWorkspace)(nil)
	_ ops.Stabilised     = (*matrixWorkspace)(nil)
	_ ops.Chebyshev      = (*meshWorkspace)(nil)
	_ ops.MixedPrecision = (*matrixWorkspace)(nil)
)

// NewWorkspace takes the memory of the scalars.
func (s *system) NewWorkspace() (ops.Workspace, error) {
	return &meshWorkspace{newIteration(&s.space), s}, s.err
}

// NewWorkspace takes the memory of the scalars.
func (m *matrix) NewWorkspace() (ops.Workspace, error) {
	return &matrixWorkspace{newIteration(&m.space), m}, m.err
}

func newIteration(s *space) iteration {
	return iteration{space: s, scalarsDev: alloc[float64](s, scalarCount)}
}

// Close gives the scalars and the direction back.
func (w *iteration) Close() {
	w.free(w.scalarsDev)
	w.scalarsDev = cu.Ptr[float64]{}
	if w.direction != nil {
		w.Release(w.direction)
		w.direction = nil
	}
}

// NewDirection makes a vector whose values change between two buffers, so that a step reads the old direction while it writes the new one.
func (w *meshWorkspace) NewDirection() (ops.Vector, error) {
	p := newVector[float32](w.space, w.cells, w.pad)
	p.twin = newVector[float32](w.space, w.cells, w.pad)
	p.side = alloc[int32](w.space, 4)
	w.direction = p
	return p, w.err
}

// NewDirection makes a vector that is updated in place.
func (w *matrixWorkspace) NewDirection() (ops.Vector, error) {
	w.direction = newVector[float32](w.space, w.cells, w.pad)
	return w.direction, w.err
}

// Apply sets y = A x.
func (w *meshWorkspace) Apply(y, x ops.Vector) { w.sys.Apply(y, x) }

// Apply sets y = A x.
func (w *matrixWorkspace) Apply(y, x ops.Vector) { w.m.Apply(y, x) }

// readScalars waits for the device.
func (w *iteration) readScalars() []float64 { return w.scalarsAt(w.scalarsDev) }
