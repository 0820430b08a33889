package cuda

import (
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// stabilised returns the kernels of BiCGSTAB and begins an operation: nil after a failure.
func (s *Space) stabilised() *kernels.Bicgstab {
	k, err := Module(s.Device, "bicgstab", kernels.LoadBicgstab)
	s.Note(err)
	if !s.Ready() {
		return nil
	}
	return k
}

// Begin sets r, shadow, p and p32 to from, and Rho.
func (s *Iteration) Begin(r, shadow, p, p32, from ops.Vector) {
	k := s.stabilised()
	if k == nil {
		return
	}
	if ValueBytes(from) == 4 {
		s.Note(k.BeginSingle(s.Stream, Flat(s.cells), kernels.BicgstabBeginSingleArgs{
			N: s.cells, From: F32(from), R: F64(r), Shadow: F64(shadow), P: F64(p), P32: F32(p32), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		}))
		return
	}
	s.Note(k.BeginDouble(s.Stream, Flat(s.cells), kernels.BicgstabBeginDoubleArgs{
		N: s.cells, From: F64(from), R: F64(r), Shadow: F64(shadow), P: F64(p), P32: F32(p32), Partial: s.partial, Scalars: s.scalarsDev,
		Ticket: s.ticket,
	}))
}

// Widen sets y = y32.
func (s *Iteration) Widen(y, y32 ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.Note(k.Widen(s.Stream, Flat(s.cells), kernels.BicgstabWidenArgs{N: s.cells, From: F32(y32), To: F64(y)}))
	}
}

// FirstStep moves along y.
func (s *Iteration) FirstStep(x, r, r32, shadow, v, y32 ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.Note(k.MeasureFirst(s.Stream, Flat(s.cells), kernels.BicgstabMeasureFirstArgs{
			N: s.cells, Shadow: F64(shadow), V: F64(v), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
		s.Note(k.MoveFirst(s.Stream, Flat(s.cells), kernels.BicgstabMoveFirstArgs{
			N: s.cells, X: F64(x), R: F64(r), R32: F32(r32), V: F64(v), Y: F32(y32), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		}))
	}
}

// SecondStep moves along z.
func (s *Iteration) SecondStep(x, r, shadow, t, z32 ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.Note(k.MeasureSecond(s.Stream, Flat(s.cells), kernels.BicgstabMeasureSecondArgs{
			N: s.cells, T: F64(t), R: F64(r), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
		s.Note(k.MoveSecond(s.Stream, Flat(s.cells), kernels.BicgstabMoveSecondArgs{
			N: s.cells, X: F64(x), R: F64(r), Shadow: F64(shadow), T: F64(t), Z: F32(z32), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		}))
	}
}

// NextDirection sets p = r + Turn (p - Omega v) and p32 = p.
func (s *Iteration) NextDirection(p, p32, r, v ops.Vector) {
	if k := s.stabilised(); k != nil {
		s.Note(k.NextDirection(s.Stream, Flat(s.cells), kernels.BicgstabNextDirectionArgs{
			N: s.cells, P: F64(p), P32: F32(p32), R: F64(r), V: F64(v), Scalars: s.scalarsDev,
		}))
	}
}

// StabilisedScalars waits for the device and reads them; NaN after a failure.
func (s *Iteration) StabilisedScalars() ops.StabilisedScalars {
	v := s.ReadScalars()
	return ops.StabilisedScalars{
		Rho: v[kernels.BicgstabRho], RV: v[kernels.BicgstabRV], SS: v[kernels.Scratch], TS: v[kernels.BicgstabTS], TT: v[kernels.BicgstabTT],
		RR: v[kernels.RR], Step: v[kernels.BicgstabStep], Omega: v[kernels.BicgstabOmega], Turn: v[kernels.BicgstabTurn],
	}
}
