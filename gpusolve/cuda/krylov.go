package cuda

import (
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

// meshWorkspace is what one solve of a mesh's system keeps.
type meshWorkspace struct {
	Iteration
	sys *system
}

var _ ops.Workspace = (*meshWorkspace)(nil)

// NewWorkspace takes the memory of the scalars.
func (s *system) NewWorkspace() (ops.Workspace, error) {
	return &meshWorkspace{newIteration(&s.Space), s}, s.err
}

// NewDirection makes a vector whose values change between two buffers, so that a step reads the old direction while it
// writes the new one.
func (w *meshWorkspace) NewDirection() (ops.Vector, error) {
	p := NewVector[float32](w.Space, w.cells, w.pad)
	p.twin = NewVector[float32](w.Space, w.cells, w.pad)
	p.side = Alloc[int32](w.Space, 4)
	w.direction = p
	return p, w.err
}

// Apply sets y = A x.
func (w *meshWorkspace) Apply(y, x ops.Vector) { w.sys.Apply(y, x) }

// wide is the grid of the update: as many blocks as the GPU holds at a time, so that its six streams stay close
// together in memory.
func (s *system) wide(n int64) [3]uint32 {
	return [3]uint32{
		uint32(max(1, min((n+kernels.KrylovWide-1)/kernels.KrylovWide, int64(updateBlocks*s.Multiprocessors)))), 1, 1}
}

// Blocks that a multiprocessor holds of the kernels that loop over rows or values, by their registers: one full wave of
// blocks wastes none.
const directionBlocks, residualBlocks, updateBlocks = 12, 9, 6

// rows is the grid of kernels that march columns, a block taking every so many rows.
func (s *system) rows(perMultiprocessor int) [3]uint32 {
	bx := Blocks(s.nx, threads)
	return [3]uint32{bx,
		uint32(min(s.ny, s.mostRows, max(1, min(s.maxBlocks, perMultiprocessor*s.Multiprocessors)/int(bx)))), 1}
}

// Dot sets RZ, MaxZ and Beta.
func (s *Iteration) Dot(r32, z ops.Vector, first bool) {
	fused := s.stepped.dst == z && s.stepped.b == r32
	if !s.Ready() {
		return
	}
	var start int32
	if first {
		start = 1
	}
	if fused {
		s.Note(s.krylov.DotOfStep(s.Stream, [3]uint32{1, 1, 1}, kernels.KrylovDotOfStepArgs{
			N: s.stepped.blocks, First: start, Partial: s.partial, Scalars: s.scalarsDev,
		}))
		return
	}
	s.Note(s.krylov.Dot(s.Stream, Flat(s.cells), kernels.KrylovDotArgs{
		N: s.cells, First: start, R: F32(r32), Z: F32(z), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
	}))
}

// DirectionApply sets p = z + Beta p, q = A p, PQ and Alpha.
func (w *meshWorkspace) DirectionApply(p, z, q ops.Vector) {
	s, d := w.sys, p.(*vector[float32])
	if !s.Ready() {
		return
	}
	s.Note(s.krylov.Direction(s.Stream, s.rows(directionBlocks), kernels.KrylovDirectionArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Ground: s.ground.data,
		GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), Z: F32(z), P0: d.at, P1: d.twin.at, Side: d.side,
		Q:       F32(q),
		Partial: s.partial, Scalars: w.scalarsDev, Ticket: s.ticket,
	}))
}

// Update advances r along p, and x at every second call.
func (w *meshWorkspace) Update(x, r, _, p, _, q ops.Vector) {
	s, d := w.sys, p.(*vector[float32])
	if !s.Ready() {
		return
	}
	s.Note(s.krylov.Update(s.Stream, s.wide(s.cells/2), kernels.KrylovUpdateArgs{
		N: s.cells, X: F64(x), R: F32(r), P0: d.at, P1: d.twin.at, Side: d.side, Q: F32(q), Partial: s.partial,
		Scalars: w.scalarsDev, Ticket: s.ticket,
	}))
}

// Settle gives x the step that the last Update kept back.
func (w *meshWorkspace) Settle(x, p ops.Vector) {
	s, d := w.sys, p.(*vector[float32])
	if s.Ready() {
		s.Note(s.krylov.Settle(s.Stream, s.wide(s.cells), kernels.KrylovSettleArgs{
			N: s.cells, X: F64(x), P0: d.at, P1: d.twin.at, Side: d.side, Scalars: w.scalarsDev, Ticket: s.ticket,
		}))
	}
}

// Settle has nothing to do where every Update moves x.
func (s *Iteration) Settle(_, _ ops.Vector) {}

// Scalars waits for the device and reads them; NaN after a failure.
func (s *Iteration) Scalars() ops.Scalars {
	v := s.ReadScalars()
	return ops.Scalars{RZ: v[kernels.RZ], PQ: v[kernels.PQ], RR: v[kernels.RR], MaxZ: v[kernels.Maxz]}
}
