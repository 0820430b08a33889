package cuda

import (
	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

var (
	_ ops.Clock = (*system)(nil)
	_ ops.Clock = (*matrix)(nil)
)

// chebyshev readies the kernels of the iteration; nil after a failure.
func (s *Space) chebyshev() *kernels.Chebyshev {
	k, err := Module(s.Device, "chebyshev", kernels.LoadChebyshev)
	s.Note(err)
	if !s.Ready() {
		return nil
	}
	return k
}

// ChebyshevStart sets rest = c S r and d = rest/theta.
func (s *iteration) ChebyshevStart(m ops.Stored, rest, d, r ops.Vector, theta float64, lift bool) {
	k, a, n, grid := s.chebyshev(), m.(*stored), s.cells, Flat(s.cells)
	if k == nil {
		return
	}
	switch precision(r) {
	case ops.Double:
		s.Note(k.StartDouble(s.Stream, grid, kernels.ChebyshevStartDoubleArgs{
			N: n, Scale: a.scale, Lift: 0, Theta: theta, R: F64(r), Rest: F64(rest), D: F64(d), Scalars: s.scalarsDev,
		}))
	case ops.Single:
		if lift {
			s.Note(k.PeakSingle(s.Stream, grid, kernels.ChebyshevPeakSingleArgs{
				N: n, Scale: a.scale, R: F32(r), Theta: theta, Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
			}))
		}
		s.Note(k.StartSingle(s.Stream, grid, kernels.ChebyshevStartSingleArgs{
			N: n, Scale: a.scale, Lift: flag(lift), Theta: theta, R: F32(r), Rest: F32(rest), D: F32(d), Scalars: s.scalarsDev,
		}))
	case ops.Half:
		if lift {
			s.Note(k.PeakHalf(s.Stream, grid, kernels.ChebyshevPeakHalfArgs{
				N: n, Scale: a.scale, R: F16(r), Theta: theta, Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
			}))
		}
		s.Note(k.StartHalf(s.Stream, grid, kernels.ChebyshevStartHalfArgs{
			N: n, Scale: a.scale, Lift: flag(lift), Theta: theta, R: F16(r), Rest: F16(rest), D: F16(d), Scalars: s.scalarsDev,
		}))
	}
}

// ChebyshevStep does a step of the iteration in one pass. FP16 entries belong to a lifted right side.
func (s *iteration) ChebyshevStep(m ops.Stored, entries ops.Precision, u ops.Recurrence, z, rest, d, next ops.Vector) {
	k, a := s.chebyshev(), m.(*stored)
	if k == nil {
		return
	}
	nx, ny, nz := a.shape()
	grid := a.tiles(precision(d), 0)
	first, last, scale, err := flag(u.First), flag(u.Last), lastScale(a, u), errPrecision
	switch (pair{entries, precision(d)}) {
	case pair{ops.Double, ops.Double}:
		err = k.StepDouble(s.Stream, grid, kernels.ChebyshevStepDoubleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.double.main, X: a.double.x, Y: a.double.y, Z: a.double.z, Keep: u.Keep, Gain: u.Gain, First: first, Final: last,
			Scale: scale, Sum: F64(z), Rest: F64(rest), D: F64(d), Next: F64(next),
		})
	case pair{ops.Single, ops.Single}:
		err = k.StepSingle(s.Stream, grid, kernels.ChebyshevStepSingleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.single.main, X: a.single.x, Y: a.single.y, Z: a.single.z, Keep: float32(u.Keep), Gain: float32(u.Gain), First: first,
			Final: last, Scale: scale, Sum: F32(z), Rest: F32(rest), D: F32(d), Next: F32(next),
		})
	case pair{ops.Half, ops.Single}:
		if !a.promote.IsNil() {
			err = k.StepPlanes(s.Stream, grid, kernels.ChebyshevStepPlanesArgs{
				Nx: nx, Ny: ny, Nz: nz, Main: a.half.main, X: a.half.x, Y: a.half.y, Z: a.half.z, Unit: a.unit, Undo: a.undo, Promote: a.promote,
				Keep: float32(u.Keep), Gain: float32(u.Gain), First: first, Final: last, Lifted: last, Scale: scale,
				Scalars: s.scalarsDev, Sum: F32(z), Rest: F32(rest), D: F32(d), Next: F32(next),
			})
			break
		}
		err = k.StepPhysics(s.Stream, grid, kernels.ChebyshevStepPhysicsArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.half.main, X: a.half.x, Y: a.half.y, Z: a.half.z, Unit: a.unit, Undo: a.undo, Keep: float32(u.Keep),
			Gain: float32(u.Gain), First: first, Final: last, Lifted: last, Scale: scale, Scalars: s.scalarsDev, Sum: F32(z),
			Rest: F32(rest), D: F32(d), Next: F32(next),
		})
	case pair{ops.Half, ops.Half}:
		err = k.StepHalf(s.Stream, grid, kernels.ChebyshevStepHalfArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.half.main, X: a.half.x, Y: a.half.y, Z: a.half.z, Unit: a.unit, Undo: a.undo, Keep: float32(u.Keep),
			Gain: float32(u.Gain), First: first, Final: last, Lifted: last, Scale: scale, Scalars: s.scalarsDev, Sum: F16(z),
			Rest: F16(rest), D: F16(d), Next: F16(next),
		})
	}
	s.Note(err)
}

// lastScale is S where a step needs it.
func lastScale(a *stored, u ops.Recurrence) cu.Ptr[float32] {
	if u.Last {
		return a.scale
	}
	return cu.Ptr[float32]{}
}

// ChebyshevRelax is a step after the product y = A d.
func (s *Space) ChebyshevRelax(m ops.Stored, u ops.Recurrence, z, rest, d, y ops.Vector) {
	k, a := s.chebyshev(), m.(*stored)
	if k == nil {
		return
	}
	grid, scale := Flat(s.cells), lastScale(a, u)
	switch precision(d) {
	case ops.Double:
		s.Note(k.RelaxDouble(s.Stream, grid, kernels.ChebyshevRelaxDoubleArgs{
			N: s.cells, Keep: u.Keep, Gain: u.Gain, First: flag(u.First), Final: flag(u.Last), Scale: scale, Z: F64(z),
			Rest: F64(rest), D: F64(d), Y: F64(y),
		}))
	case ops.Single:
		s.Note(k.RelaxSingle(s.Stream, grid, kernels.ChebyshevRelaxSingleArgs{
			N: s.cells, Keep: float32(u.Keep), Gain: float32(u.Gain), First: flag(u.First), Final: flag(u.Last), Scale: scale,
			Z: F32(z), Rest: F32(rest), D: F32(d), Y: F32(y),
		}))
	default:
		s.Note(errPrecision)
	}
}

// LanczosSeed fills v with noise.
func (s *iteration) LanczosSeed(v ops.Vector, seed uint32) {
	if k := s.chebyshev(); k != nil {
		s.Note(k.Noise(s.Stream, Flat(s.cells), kernels.ChebyshevNoiseArgs{
			N: s.cells, Seed: seed, V: F32(v), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
}

// LanczosPurge sets w -= alpha v + beta u.
func (s *iteration) LanczosPurge(w, v, u ops.Vector, alpha, beta float64) {
	if k := s.chebyshev(); k != nil {
		s.Note(k.Purge(s.Stream, Flat(s.cells), kernels.ChebyshevPurgeArgs{
			N: s.cells, Alpha: float32(alpha), Beta: float32(beta), V: F32(v), U: F32(u), W: F32(w), Partial: s.partial,
			Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
}
