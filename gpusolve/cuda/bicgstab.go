package cuda

import (
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// stabilised returns the kernels of BiCGSTAB and begins an operation: nil after a failure.
func (s *space) stabilised() *kernels.Bicgstab {
	k, err := module(s.Device, "bicgstab", kernels.LoadBicgstab)
	s.note(err)
	if !s.ready() {
		return nil
	}
	return k
}

// Begin sets r, shadow, p and p32 to from, and Rho.
func (s *iteration) Begin(r, shadow, p, p32, from ops.Vector) {
	k := s.stabilised()
	if k == nil {
		return
	}
	if precision(from) == ops.Single {
		s.note(k.BeginSingle(s.stream, flat(s.cells), kernels.BicgstabBeginSingleArgs{
			N: s.cells, From: f32(from), R: f64(r), Shadow: f64(shadow), P: f64(p), P32: f32(p32), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		}))
		return
	}
	s.note(k.BeginDouble(s.stream, flat(s.cells), kernels.BicgstabBeginDoubleArgs{
		N: s.cells, From: f64(from), R: f64(r), Shadow: f64(shadow), P: f64(p), P32: f32(p32), Partial: s.partial, Scalars: s.scalarsDev,
		Ticket: s.ticket,
	}))
}

// Widen sets y = y32.
func (s *iteration) Widen(y, y32 ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.note(k.Widen(s.stream, flat(s.cells), kernels.BicgstabWidenArgs{N: s.cells, From: f32(y32), To: f64(y)}))
	}
}

// FirstStep moves along y.
func (s *iteration) FirstStep(x, r, r32, shadow, v, y32 ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.note(k.MeasureFirst(s.stream, flat(s.cells), kernels.BicgstabMeasureFirstArgs{
			N: s.cells, Shadow: f64(shadow), V: f64(v), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
		s.note(k.MoveFirst(s.stream, flat(s.cells), kernels.BicgstabMoveFirstArgs{
			N: s.cells, X: f64(x), R: f64(r), R32: f32(r32), V: f64(v), Y: f32(y32), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		}))
	}
}

// SecondStep moves along z.
func (s *iteration) SecondStep(x, r, shadow, t, z32 ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.note(k.MeasureSecond(s.stream, flat(s.cells), kernels.BicgstabMeasureSecondArgs{
			N: s.cells, T: f64(t), R: f64(r), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
		s.note(k.MoveSecond(s.stream, flat(s.cells), kernels.BicgstabMoveSecondArgs{
			N: s.cells, X: f64(x), R: f64(r), Shadow: f64(shadow), T: f64(t), Z: f32(z32), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		}))
	}
}

// NextDirection sets p = r + Turn (p - Omega v) and p32 = p.
func (s *iteration) NextDirection(p, p32, r, v ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.note(k.NextDirection(s.stream, flat(s.cells), kernels.BicgstabNextDirectionArgs{
			N: s.cells, P: f64(p), P32: f32(p32), R: f64(r), V: f64(v), Scalars: s.scalarsDev,
		}))
	}
}

// StabilisedScalars waits for the device and reads them; NaN after a failure.
func (s *iteration) StabilisedScalars() ops.StabilisedScalars {
	v := s.readScalars()
	return ops.StabilisedScalars{
		Rho: v[kernels.BicgstabRho], RV: v[kernels.BicgstabRV], SS: v[kernels.Scratch], TS: v[kernels.BicgstabTS], TT: v[kernels.BicgstabTT],
		RR: v[kernels.RR], Step: v[kernels.BicgstabStep], Omega: v[kernels.BicgstabOmega], Turn: v[kernels.BicgstabTurn],
	}
}
