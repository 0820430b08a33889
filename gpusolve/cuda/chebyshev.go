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
func (s *space) chebyshev() *kernels.Chebyshev {
	k, err := module(s.Device, "chebyshev", kernels.LoadChebyshev)
	s.note(err)
	if !s.ready() {
		return nil
	}
	return k
}

// ChebyshevStart sets rest = c S r and d = rest/theta.
func (s *iteration) ChebyshevStart(m ops.Stored, rest, d, r ops.Vector, theta float64, lift bool) {
	k, a, n, grid := s.chebyshev(), m.(*stored), s.cells, flat(s.cells)
	if k == nil {
		return
	}
	switch precision(r) {
	case ops.Double:
		s.note(k.StartDouble(s.stream, grid, kernels.ChebyshevStartDoubleArgs{
			N: n, Scale: a.scale, Lift: 0, Theta: theta, R: f64(r), Rest: f64(rest), D: f64(d), Scalars: s.scalarsDev,
		}))
	case ops.Single:
		if lift {
			s.note(k.PeakSingle(s.stream, grid, kernels.ChebyshevPeakSingleArgs{
				N: n, Scale: a.scale, R: f32(r), Theta: theta, Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
			}))
		}
		s.note(k.StartSingle(s.stream, grid, kernels.ChebyshevStartSingleArgs{
			N: n, Scale: a.scale, Lift: flag(lift), Theta: theta, R: f32(r), Rest: f32(rest), D: f32(d), Scalars: s.scalarsDev,
		}))
	case ops.Half:
		if lift {
			s.note(k.PeakHalf(s.stream, grid, kernels.ChebyshevPeakHalfArgs{
				N: n, Scale: a.scale, R: f16(r), Theta: theta, Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
			}))
		}
		s.note(k.StartHalf(s.stream, grid, kernels.ChebyshevStartHalfArgs{
			N: n, Scale: a.scale, Lift: flag(lift), Theta: theta, R: f16(r), Rest: f16(rest), D: f16(d), Scalars: s.scalarsDev,
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
		err = k.StepDouble(s.stream, grid, kernels.ChebyshevStepDoubleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.double.main, X: a.double.x, Y: a.double.y, Z: a.double.z, Keep: u.Keep, Gain: u.Gain, First: first, Final: last,
			Scale: scale, Sum: f64(z), Rest: f64(rest), D: f64(d), Next: f64(next),
		})
	case pair{ops.Single, ops.Single}:
		err = k.StepSingle(s.stream, grid, kernels.ChebyshevStepSingleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.single.main, X: a.single.x, Y: a.single.y, Z: a.single.z, Keep: float32(u.Keep), Gain: float32(u.Gain), First: first,
			Final: last, Scale: scale, Sum: f32(z), Rest: f32(rest), D: f32(d), Next: f32(next),
		})
	case pair{ops.Half, ops.Single}:
		if !a.promote.IsNil() {
			err = k.StepPlanes(s.stream, grid, kernels.ChebyshevStepPlanesArgs{
				Nx: nx, Ny: ny, Nz: nz, Main: a.half.main, X: a.half.x, Y: a.half.y, Z: a.half.z, Unit: a.unit, Undo: a.undo, Promote: a.promote,
				Keep: float32(u.Keep), Gain: float32(u.Gain), First: first, Final: last, Lifted: last, Scale: scale,
				Scalars: s.scalarsDev, Sum: f32(z), Rest: f32(rest), D: f32(d), Next: f32(next),
			})
			break
		}
		err = k.StepPhysics(s.stream, grid, kernels.ChebyshevStepPhysicsArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.half.main, X: a.half.x, Y: a.half.y, Z: a.half.z, Unit: a.unit, Undo: a.undo, Keep: float32(u.Keep),
			Gain: float32(u.Gain), First: first, Final: last, Lifted: last, Scale: scale, Scalars: s.scalarsDev, Sum: f32(z),
			Rest: f32(rest), D: f32(d), Next: f32(next),
		})
	case pair{ops.Half, ops.Half}:
		err = k.StepHalf(s.stream, grid, kernels.ChebyshevStepHalfArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.half.main, X: a.half.x, Y: a.half.y, Z: a.half.z, Unit: a.unit, Undo: a.undo, Keep: float32(u.Keep),
			Gain: float32(u.Gain), First: first, Final: last, Lifted: last, Scale: scale, Scalars: s.scalarsDev, Sum: f16(z),
			Rest: f16(rest), D: f16(d), Next: f16(next),
		})
	}
	s.note(err)
}

// lastScale is S where a step needs it.
func lastScale(a *stored, u ops.Recurrence) cu.Ptr[float32] {
	if u.Last {
		return a.scale
	}
	return cu.Ptr[float32]{}
}

// ChebyshevRelax is a step after the product y = A d.
func (s *space) ChebyshevRelax(m ops.Stored, u ops.Recurrence, z, rest, d, y ops.Vector) {
	k, a := s.chebyshev(), m.(*stored)
	if k == nil {
		return
	}
	grid, scale := flat(s.cells), lastScale(a, u)
	switch precision(d) {
	case ops.Double:
		s.note(k.RelaxDouble(s.stream, grid, kernels.ChebyshevRelaxDoubleArgs{
			N: s.cells, Keep: u.Keep, Gain: u.Gain, First: flag(u.First), Final: flag(u.Last), Scale: scale, Z: f64(z),
			Rest: f64(rest), D: f64(d), Y: f64(y),
		}))
	case ops.Single:
		s.note(k.RelaxSingle(s.stream, grid, kernels.ChebyshevRelaxSingleArgs{
			N: s.cells, Keep: float32(u.Keep), Gain: float32(u.Gain), First: flag(u.First), Final: flag(u.Last), Scale: scale,
			Z: f32(z), Rest: f32(rest), D: f32(d), Y: f32(y),
		}))
	default:
		s.note(errPrecision)
	}
}

// LanczosSeed fills v with noise.
func (s *iteration) LanczosSeed(v ops.Vector, seed uint32) {
	if k := s.chebyshev(); k != nil {
		s.note(k.Noise(s.stream, flat(s.cells), kernels.ChebyshevNoiseArgs{
			N: s.cells, Seed: seed, V: f32(v), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
}

// LanczosPurge sets w -= alpha v + beta u.
func (s *iteration) LanczosPurge(w, v, u ops.Vector, alpha, beta float64) {
	if k := s.chebyshev(); k != nil {
		s.note(k.Purge(s.stream, flat(s.cells), kernels.ChebyshevPurgeArgs{
			N: s.cells, Alpha: float32(alpha), Beta: float32(beta), V: f32(v), U: f32(u), W: f32(w), Partial: s.partial,
			Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
}
