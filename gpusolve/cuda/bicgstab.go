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
	begin := k.BeginDouble
	if from.(*vector).elem == 4 {
		begin = k.BeginSingle
	}
	s.note(begin(s.stream, flat(s.cells), s.cells, ptr(from), ptr(r), ptr(shadow), ptr(p), ptr(p32), s.partial, s.scalarsDev, s.ticket))
}

// Widen sets y = y32.
func (s *iteration) Widen(y, y32 ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.note(k.Widen(s.stream, flat(s.cells), s.cells, ptr(y32), ptr(y)))
	}
}

// FirstStep moves along y.
func (s *iteration) FirstStep(x, r, r32, shadow, v, y32 ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.note(k.MeasureFirst(s.stream, flat(s.cells), s.cells, ptr(shadow), ptr(v), s.partial, s.scalarsDev, s.ticket))
		s.note(k.MoveFirst(s.stream, flat(s.cells), s.cells, ptr(x), ptr(r), ptr(r32), ptr(v), ptr(y32), s.partial, s.scalarsDev, s.ticket))
	}
}

// SecondStep moves along z.
func (s *iteration) SecondStep(x, r, shadow, t, z32 ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.note(k.MeasureSecond(s.stream, flat(s.cells), s.cells, ptr(t), ptr(r), s.partial, s.scalarsDev, s.ticket))
		s.note(k.MoveSecond(s.stream, flat(s.cells), s.cells, ptr(x), ptr(r), ptr(shadow), ptr(t), ptr(z32), s.partial, s.scalarsDev, s.ticket))
	}
}

// NextDirection sets p = r + Turn (p - Omega v) and p32 = p.
func (s *iteration) NextDirection(p, p32, r, v ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.note(k.NextDirection(s.stream, flat(s.cells), s.cells, ptr(p), ptr(p32), ptr(r), ptr(v), s.scalarsDev))
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
