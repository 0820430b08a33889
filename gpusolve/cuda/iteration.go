package cuda

import (
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

// Iteration holds the scalars of one solve on the device; their order is fixed in kernels/device.h. Two of them on one
// space are two solves.
type Iteration struct {
	*Space
	scalarsDev cudriver.Ptr[float64]
	direction  *vector[float32]
}

// IterationOf is the GPU's part of a workspace, for methods whose kernels set its scalars. ok is false for what lives
// elsewhere.
func IterationOf(w ops.Workspace) (i *Iteration, ok bool) {
	on, ok := w.(interface{ gpuIteration() *Iteration })
	if !ok {
		return nil, false
	}
	return on.gpuIteration(), true
}

func (w *Iteration) gpuIteration() *Iteration { return w }

// Sums is the memory of kernels that reduce: the blocks' partial sums, up to three for each of MaxBlocks, the
// iteration's scalars in the order of kernels/device.h, and the ticket by which the last block is known.
func (w *Iteration) Sums() (partial, scalars cudriver.Ptr[float64], ticket cudriver.Ptr[uint32]) {
	return w.partial, w.scalarsDev, w.ticket
}

// MaxBlocks is how many blocks a reduction may have.
func (w *Iteration) MaxBlocks() int { return w.maxBlocks }

func newIteration(s *Space) Iteration {
	return Iteration{Space: s, scalarsDev: Alloc[float64](s, scalarCount)}
}

// Close gives the scalars and the direction back.
func (w *Iteration) Close() {
	w.Discard(w.scalarsDev)
	w.scalarsDev = cudriver.Ptr[float64]{}
	if w.direction != nil {
		w.Release(w.direction)
		w.direction = nil
	}
}

// IterationBytes is what a space of NewIteration takes for itself.
const IterationBytes = 8*(3*ReductionBlocks+2*scalarCount) + 4*StoreAlign

// NewIteration is the space of a method that holds its operator itself, with scalars, for vectors of so many cells.
// room is how much memory to take for what the method allocates first.
func NewIteration(d *Device, cells, room int64) (*Iteration, error) {
	if err := d.loadResidual(); err != nil {
		return nil, err
	}
	s := newSpace(d, cells, 0)
	s.stock(IterationBytes + room)
	s.maxBlocks = ReductionBlocks
	s.reductions(3 * ReductionBlocks)
	if err := s.err; err != nil {
		s.Free()
		return nil, err
	}
	return s.NewIteration(), nil
}

// NewIteration makes scalars of a method's own on the space.
func (s *Space) NewIteration() *Iteration {
	i := newIteration(s)
	return &i
}

// ReadScalars waits for the device and gives the scalars in their order; NaN after a failure. The next call overwrites
// them.
func (w *Iteration) ReadScalars() []float64 { return w.scalarsAt(w.scalarsDev) }

// Max is the largest of n values, NaN where any is NaN.
func (w *Iteration) Max(x cudriver.Ptr[float64], n int64) float64 {
	if w.Ready() {
		w.Note(w.residual.Maximum(w.Stream, Flat(n), kernels.ResidualMaximumArgs{N: n, X: x, Partial: w.partial,
			Scalars: w.scalarsDev, Ticket: w.ticket}))
	}
	return w.ReadScalars()[kernels.Scratch]
}
