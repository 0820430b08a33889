package host

import "thermsim/gpusolve/ops"

// iteration holds the scalars of one solve. Two of them on one space are two solves.
type iteration struct {
	*Space
	scalars ops.Scalars
	alpha   float64
	beta    float64
	stab    stabilised
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

// NewWorkspace makes the scalars of a solve.
func (s *system) NewWorkspace() (ops.Workspace, error) {
	return &meshWorkspace{iteration{Space: &s.Space}, s}, nil
}

// NewWorkspace makes the scalars of a solve.
func (m *matrix) NewWorkspace() (ops.Workspace, error) {
	return &matrixWorkspace{iteration{Space: &m.Space}, m}, nil
}

// Close has nothing to give back that the collector would not take.
func (w *iteration) Close() {}

// NewDirection makes an FP32 vector: the processor updates directions in place.
func (w *iteration) NewDirection() (ops.Vector, error) { return w.New32() }

// Scalars of the last operations.
func (w *iteration) Scalars() ops.Scalars { return w.scalars }

// Apply sets y = A x.
func (w *meshWorkspace) Apply(y, x ops.Vector) { w.sys.Apply(y, x) }

// Apply sets y = A x.
func (w *matrixWorkspace) Apply(y, x ops.Vector) { w.m.Apply(y, x) }

// setPQ keeps the curvature along a direction and the step that follows from it, 0 where that means nothing.
func (w *iteration) setPQ(pq float64) {
	w.scalars.PQ = pq
	w.alpha = w.scalars.RZ / pq
	if !(pq > 0) || !finite(w.alpha) {
		w.alpha = 0
	}
}

// setRZ keeps r.z and max|z|, and the weight of the former direction.
func (w *iteration) setRZ(rz, maxZ float64, first bool) {
	w.beta = 0
	if !first {
		w.beta = rz / w.scalars.RZ
	}
	w.scalars.RZ, w.scalars.MaxZ = rz, maxZ
}

func finite(v float64) bool { return v-v == 0 }
