package cuda

import (
	"math"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

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
	s.onFaces(func(on facing) {
		bx := Blocks(on.na, kernels.AssembleThreads)
		grid := [3]uint32{bx, uint32(min(on.nb, s.mostRows, max(1, s.maxBlocks/int(bx)))), 1}
		if s.following != nil {
			s.followedFaceHeat(grid, on, x)
		} else if s.err == nil {
			s.Note(s.assembly.FaceHeat(s.Stream, grid, kernels.AssembleFaceHeatArgs{
				Nx: int32(s.nx), Ny: int32(s.ny), Nz: int32(s.nz), Dx: c.dx, Dy: c.dy, Dz: c.dz, Contact: c.contact,
				Uniform: c.uniform, Slot: c.slot, Index: c.index, Palette: c.palette, Closed: c.closed,
				ClosedLine: c.closedLine, Face: int32(on.face), Na: int32(on.na),
				Nb: int32(on.nb), Resistances: c.resistances, Rise: on.rise, Flux: on.flux, X: F64(x),
				Partial: s.partial,
				Scalars: s.scalarsDev,
				Ticket:  s.ticket, First: int32(s.first), End: int32(s.end),
			}))
		}
		heat[on.face] = s.readStatistics()[kernels.Scratch]
	})
	return heat
}
