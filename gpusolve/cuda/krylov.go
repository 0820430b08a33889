package cuda

import (
	"math"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
	"thermsim/stack"
)

// threads of the kernels that reduce.
const threads = kernels.KrylovThreads

// reductionBlocks bounds the blocks of a reduction, whose last block adds the others' sums: enough to fill any GPU several times.
const reductionBlocks = 4096

func blocks(n, perBlock int) uint32 { return uint32((n + perBlock - 1) / perBlock) }

// flat is the grid of kernels that run over all values.
func flat(n int64) [3]uint32 {
	return [3]uint32{uint32(max(1, min((n+threads-1)/threads, reductionBlocks))), 1, 1}
}

// wide is the grid of the update: as many blocks as the GPU holds at a time, so that its six streams stay close together in memory.
func (s *system) wide(n int64) [3]uint32 {
	return [3]uint32{uint32(max(1, min((n+kernels.KrylovWide-1)/kernels.KrylovWide, int64(updateBlocks*s.multiprocessors)))), 1, 1}
}

// Blocks that a multiprocessor holds of the kernels that loop over rows or values, by their registers: one full wave of blocks wastes none.
const directionBlocks, residualBlocks, updateBlocks = 10, 9, 6

// rows is the grid of kernels that march columns, a block taking every so many rows.
func (s *system) rows(perMultiprocessor int) [3]uint32 {
	bx := blocks(s.nx, threads)
	return [3]uint32{bx, uint32(min(s.ny, s.mostRows, max(1, min(s.maxBlocks, perMultiprocessor*s.multiprocessors)/int(bx)))), 1}
}

// Dot sets RZ, MaxZ and Beta.
func (s *iteration) Dot(r32, z ops.Vector, first bool) {
	fused := s.stepped.dst == z && s.stepped.b == r32
	if !s.ready() {
		return
	}
	var start int32
	if first {
		start = 1
	}
	if fused {
		s.note(s.krylov.DotOfStep(s.stream, [3]uint32{1, 1, 1}, kernels.KrylovDotOfStepArgs{
			N: s.stepped.blocks, First: start, Partial: s.partial, Scalars: s.scalarsDev,
		}))
		return
	}
	s.note(s.krylov.Dot(s.stream, flat(s.cells), kernels.KrylovDotArgs{
		N: s.cells, First: start, R: f32(r32), Z: f32(z), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
	}))
}

// DirectionApply sets p = z + Beta p, q = A p, PQ and Alpha.
func (w *meshWorkspace) DirectionApply(p, z, q ops.Vector) {
	s, d := w.sys, p.(*vector[float32])
	if !s.ready() {
		return
	}
	s.note(s.krylov.Direction(s.stream, s.rows(directionBlocks), kernels.KrylovDirectionArgs{
		Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Ground: s.ground.data,
		GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), Z: f32(z), P0: d.at, P1: d.twin.at, Side: d.side, Q: f32(q),
		Partial: s.partial, Scalars: w.scalarsDev, Ticket: s.ticket,
	}))
}

// Update advances x and r along p.
func (w *meshWorkspace) Update(x, r, _, p, _, q ops.Vector) {
	s, d := w.sys, p.(*vector[float32])
	if !s.ready() {
		return
	}
	s.note(s.krylov.Update(s.stream, s.wide(s.cells/2), kernels.KrylovUpdateArgs{
		N: s.cells, X: f64(x), R: f32(r), P0: d.at, P1: d.twin.at, Side: d.side, Q: f32(q), Partial: s.partial,
		Scalars: w.scalarsDev, Ticket: s.ticket,
	}))
}

// Scalars waits for the device and reads them; NaN after a failure.
func (s *iteration) Scalars() ops.Scalars {
	v := s.readScalars()
	return ops.Scalars{RZ: v[kernels.RZ], PQ: v[kernels.PQ], RR: v[kernels.RR], MaxZ: v[kernels.Maxz]}
}

// Residual computes r = b - A x and its norms. An FP64 r has r32 beside it.
func (s *system) Residual(r, r32 ops.Vector, b ops.Source, x ops.Vector) ops.Norms {
	h := b.(*source)
	var double cu.Ptr[float64]
	if precision(r) == ops.Double {
		double, r = f64(r), r32
	}
	if s.ready() {
		s.note(s.residual.Residual(s.stream, s.rows(residualBlocks), kernels.ResidualResidualArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Ground: s.ground.data,
			GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), Power: h.power.data, PowerSlot: h.power.onDev,
			Share: h.share, Inflow: s.inflow.data, InflowSlot: h.inflow, X: f64(x), Old: f64(h.old), R: f32(r), R64: double,
			Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
	v := s.readScalars()
	return ops.Norms{Residual: math.Sqrt(v[kernels.RR]), Source: math.Sqrt(v[kernels.BB]), Floor: 0x1p-53 * math.Sqrt(v[kernels.Floor])}
}

// Fill sets every value of x.
func (s *space) Fill(x ops.Vector, value float64) {
	if s.ready() {
		s.note(s.residual.Fill(s.stream, flat(s.cells), kernels.ResidualFillArgs{N: s.cells, Value: value, X: f64(x)}))
	}
}

// Extrapolate makes x the continuation of (older, old, x), and the two others the states before.
func (s *system) Extrapolate(x, old, older ops.Vector, quadratic bool) {
	var order int32
	if quadratic {
		order = 1
	}
	if s.ready() {
		s.note(s.residual.Extrapolate(s.stream, flat(s.cells), kernels.ResidualExtrapolateArgs{
			N: s.cells, X: f64(x), Old: f64(old), Older: f64(older), Quadratic: order,
		}))
	}
}

// Max is the largest value of x.
func (s *system) Max(x ops.Vector) float64 {
	if s.ready() {
		s.note(s.residual.Maximum(s.stream, flat(s.cells), kernels.ResidualMaximumArgs{
			N: s.cells, X: f64(x), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
	return s.readScalars()[kernels.Scratch]
}

// Stored is the heat in W that the capacities take up between old and x.
func (s *system) Stored(x, old ops.Vector) float64 {
	if s.ready() {
		s.note(s.residual.Stored(s.stream, flat(s.cells), kernels.ResidualStoredArgs{
			N: s.cells, Capacity: s.capacity.address(), X: f64(x), Old: f64(old), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		}))
	}
	return s.readScalars()[kernels.Scratch]
}

// FaceHeat is the heat in W that leaves through each face.
func (s *system) FaceHeat(x ops.Vector) (heat [6]float64) {
	c := &s.compact
	s.onFaces(func(face stack.Face, na, nb int, _, rise, flux float64) {
		bx := blocks(na, kernels.AssembleThreads)
		if s.err == nil {
			s.note(s.assembly.FaceHeat(s.stream, [3]uint32{bx, uint32(min(nb, s.mostRows, max(1, s.maxBlocks/int(bx)))), 1}, kernels.AssembleFaceHeatArgs{
				Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
				Uniform: c.uniform, Slot: c.slot, Index: c.index, Palette: c.palette, Face: int32(face), Na: int32(na),
				Nb: int32(nb), Resistances: c.resistances, Rise: rise, Flux: flux, X: f64(x), Partial: s.partial, Scalars: s.scalarsDev,
				Ticket: s.ticket,
			}))
		}
		heat[face] = s.readScalars()[kernels.Scratch]
	})
	return heat
}

// InverseDiagonal fills d with 1/diag(A).
func (s *system) InverseDiagonal(d ops.Vector) {
	if s.ready() {
		s.note(s.residual.InverseDiagonal(s.stream, s.grid(s.nx, threads, s.ny, 1), kernels.ResidualInverseDiagonalArgs{
			Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Gx: s.gx.at, Gy: s.gy.at, Gz: s.gz.at, Ground: s.ground.data,
			GroundSlot: s.ground.onDev, Capacity: s.capacity.address(), D: f32(d),
		}))
	}
}

// Scale sets z = d r, or z = r where d is nil.
func (s *space) Scale(z, d, r ops.Vector) {
	if s.ready() {
		s.note(s.residual.Scale(s.stream, flat(s.cells), kernels.ResidualScaleArgs{N: s.cells, D: f32(d), R: f32(r), Z: f32(z)}))
	}
}
