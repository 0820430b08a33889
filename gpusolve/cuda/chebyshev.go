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
		s.note(k.StartDouble(s.stream, grid, n, a.scale, 0, theta, ptr(r), ptr(rest), ptr(d), s.scalarsDev))
	case ops.Single:
		if lift {
			s.note(k.PeakSingle(s.stream, grid, n, a.scale, ptr(r), theta, s.partial, s.scalarsDev, s.ticket))
		}
		s.note(k.StartSingle(s.stream, grid, n, a.scale, flag(lift), theta, ptr(r), ptr(rest), ptr(d), s.scalarsDev))
	case ops.Half:
		if lift {
			s.note(k.PeakHalf(s.stream, grid, n, a.scale, ptr(r), theta, s.partial, s.scalarsDev, s.ticket))
		}
		s.note(k.StartHalf(s.stream, grid, n, a.scale, flag(lift), theta, ptr(r), ptr(rest), ptr(d), s.scalarsDev))
	}
}

// ChebyshevStep does a step of the iteration in one pass. FP16 entries belong to a lifted right side.
func (s *iteration) ChebyshevStep(m ops.Stored, entries ops.Precision, u ops.Recurrence, z, rest, d, next ops.Vector) {
	k, a := s.chebyshev(), m.(*stored)
	if k == nil {
		return
	}
	nx, ny, nz := a.shape()
	grid, b := a.tiles(precision(d), 0), a.copies[entries]
	first, last, scale, err := flag(u.First), flag(u.Last), lastScale(a, u), errPrecision
	switch (pair{entries, precision(d)}) {
	case pair{ops.Double, ops.Double}:
		err = k.StepDouble(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, u.Keep, u.Gain, first, last, scale, ptr(z), ptr(rest), ptr(d), ptr(next))
	case pair{ops.Single, ops.Single}:
		err = k.StepSingle(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, float32(u.Keep), float32(u.Gain), first, last, scale, ptr(z), ptr(rest), ptr(d), ptr(next))
	case pair{ops.Half, ops.Single}:
		if a.promote != 0 {
			err = k.StepPlanes(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, a.unit, a.undo, a.promote, float32(u.Keep), float32(u.Gain), first, last, last, scale,
				s.scalarsDev, ptr(z), ptr(rest), ptr(d), ptr(next))
			break
		}
		err = k.StepPhysics(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, a.unit, a.undo, float32(u.Keep), float32(u.Gain), first, last, last, scale,
			s.scalarsDev, ptr(z), ptr(rest), ptr(d), ptr(next))
	case pair{ops.Half, ops.Half}:
		err = k.StepHalf(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, a.unit, a.undo, float32(u.Keep), float32(u.Gain), first, last, last, scale,
			s.scalarsDev, ptr(z), ptr(rest), ptr(d), ptr(next))
	}
	s.note(err)
}

// lastScale is S where a step needs it.
func lastScale(a *stored, u ops.Recurrence) cu.DevicePtr {
	if u.Last {
		return a.scale
	}
	return 0
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
		s.note(k.RelaxDouble(s.stream, grid, s.cells, u.Keep, u.Gain, flag(u.First), flag(u.Last), scale, ptr(z), ptr(rest), ptr(d), ptr(y)))
	case ops.Single:
		s.note(k.RelaxSingle(s.stream, grid, s.cells, float32(u.Keep), float32(u.Gain), flag(u.First), flag(u.Last), scale, ptr(z), ptr(rest), ptr(d), ptr(y)))
	default:
		s.note(errPrecision)
	}
}

// LanczosSeed fills v with noise.
func (s *iteration) LanczosSeed(v ops.Vector, seed uint32) {
	if k := s.chebyshev(); k != nil {
		s.note(k.Noise(s.stream, flat(s.cells), s.cells, seed, ptr(v), s.partial, s.scalarsDev, s.ticket))
	}
}

// LanczosPurge sets w -= alpha v + beta u.
func (s *iteration) LanczosPurge(w, v, u ops.Vector, alpha, beta float64) {
	if k := s.chebyshev(); k != nil {
		s.note(k.Purge(s.stream, flat(s.cells), s.cells, float32(alpha), float32(beta), ptr(v), ptr(u), ptr(w), s.partial, s.scalarsDev, s.ticket))
	}
}
