package cuda

import (
	"math"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/stack"
)

// threads of the kernels that reduce.
const threads = kernels.KrylovThreads

// ReductionBlocks bounds the blocks of a reduction, whose last block adds the others' sums: enough to fill any GPU
// several times.
const ReductionBlocks = 4096

// Blocks is how many of so many threads n values take.
func Blocks(n, perBlock int) uint32 { return uint32((n + perBlock - 1) / perBlock) }

// Flat is the grid of kernels that run over all values.
func Flat(n int64) [3]uint32 {
	return [3]uint32{uint32(max(1, min((n+threads-1)/threads, ReductionBlocks))), 1, 1}
}

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

// Residual computes r = b - A x and its norms. An FP64 r has r32 beside it.
func (s *system) Residual(r, r32 ops.Vector, b ops.Source, x ops.Vector) ops.Norms {
	if s.Ready() {
		h, args := b.(*source), s.residualArgs(r, r32, b, x)
		if s.cooling != nil {
			s.cooledResidual(&args)
		} else if s.capacity != nil && h.old == nil {
			s.Note(s.residual.ResidualOldZero(s.Stream, s.rows(residualBlocks),
				kernels.ResidualResidualOldZeroArgs(args)))
		} else {
			s.Note(s.residual.Residual(s.Stream, s.rows(residualBlocks), args))
		}
	}
	v := s.readStatistics()
	return ops.Norms{Residual: math.Sqrt(v[kernels.RR]), Source: math.Sqrt(v[kernels.BB]),
		Floor: 0x1p-53 * math.Sqrt(v[kernels.Floor])}
}

func (s *system) residualArgs(r, r32 ops.Vector, b ops.Source, x ops.Vector) kernels.ResidualResidualArgs {
	h := b.(*source)
	var double cudriver.Ptr[float64]
	if ValueBytes(r) == 8 {
		double, r = F64(r), r32
	}
	return kernels.ResidualResidualArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Ground: s.ground.data,
		GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), Power: h.power.data, PowerSlot: h.power.onDev,
		Share: h.share, Inflow: s.inflow.data, InflowSlot: h.inflow, X: F64(x), Old: F64(h.old), R: F32(r), R64: double,
		Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
	}
}

// Fill sets every value of x.
func (s *Space) Fill(x ops.Vector, value float64) {
	if s.Ready() {
		s.Note(s.residual.Fill(s.Stream, Flat(s.cells), kernels.ResidualFillArgs{N: s.cells, Value: value, X: F64(x)}))
	}
}

// Max is the largest value of x, NaN where any is NaN.
func (s *system) Max(x ops.Vector) float64 {
	if s.Ready() {
		s.Note(s.residual.Maximum(s.Stream, Flat(s.cells), kernels.ResidualMaximumArgs{
			N: s.cells, X: F64(x), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
	return s.readStatistics()[kernels.Scratch]
}

// Stored is the heat in W that the capacities take up between old and x.
func (s *system) Stored(x, old ops.Vector) float64 {
	if s.Ready() {
		s.Note(s.residual.Stored(s.Stream, Flat(s.cells), kernels.ResidualStoredArgs{
			N: s.cells, Capacity: s.capacity.address(), X: F64(x), Old: F64(old), Partial: s.partial,
			Scalars: s.scalarsDev,
			Ticket:  s.ticket,
		}))
	}
	return s.readStatistics()[kernels.Scratch]
}

// FaceHeat is the heat in W that leaves through each face.
func (s *system) FaceHeat(x ops.Vector) (heat [6]float64) {
	c := &s.compact
	s.onFaces(func(face stack.Face, na, nb int, rise, flux float64) {
		bx := Blocks(na, kernels.AssembleThreads)
		grid := [3]uint32{bx, uint32(min(nb, s.mostRows, max(1, s.maxBlocks/int(bx)))), 1}
		if s.following != nil {
			s.followedFaceHeat(grid, face, na, nb, rise, flux, x)
		} else if s.err == nil {
			s.Note(s.assembly.FaceHeat(s.Stream, grid, kernels.AssembleFaceHeatArgs{
				Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
				Uniform: c.uniform, Slot: c.slot, Index: c.index, Palette: c.palette, Closed: c.closed,
				ClosedLine: c.closedLine, Face: int32(face), Na: int32(na),
				Nb: int32(nb), Resistances: c.resistances, Rise: rise, Flux: flux, X: F64(x), Partial: s.partial,
				Scalars: s.scalarsDev,
				Ticket:  s.ticket, First: int32(s.first), End: int32(s.end),
			}))
		}
		heat[face] = s.readStatistics()[kernels.Scratch]
	})
	return heat
}
