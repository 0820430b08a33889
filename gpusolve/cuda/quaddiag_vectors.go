package cuda

import (
	"math"

	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// mixed readies the kernels for vectors of chosen precision; nil after a failure.
func (s *Space) mixed() *kernels.Mixed {
	m, err := Module(s.Device, "mixed", kernels.LoadMixed)
	s.Note(err)
	if !s.Ready() {
		return nil
	}
	return m
}

func flag(on bool) int32 {
	if on {
		return 1
	}
	return 0
}

// MixedDot sets RZ, MaxZ and Beta.
func (s *iteration) MixedDot(r, z ops.Vector, first bool) {
	m := s.mixed()
	if m == nil {
		return
	}
	n, grid, start, err := s.cells, Flat(s.cells), flag(first), errPrecision
	switch (pair{precision(r), precision(z)}) {
	case pair{ops.Double, ops.Double}:
		err = m.DotDouble(s.Stream, grid, kernels.MixedDotDoubleArgs{
			N: n, First: start, R: F64(r), Z: F64(z), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	case pair{ops.Double, ops.Single}:
		err = m.DotDoubleSingle(s.Stream, grid, kernels.MixedDotDoubleSingleArgs{
			N: n, First: start, R: F64(r), Z: F32(z), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	case pair{ops.Single, ops.Single}:
		err = m.DotSingle(s.Stream, grid, kernels.MixedDotSingleArgs{
			N: n, First: start, R: F32(r), Z: F32(z), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	case pair{ops.Half, ops.Half}:
		err = m.DotHalf(s.Stream, grid, kernels.MixedDotHalfArgs{
			N: n, First: start, R: F16(r), Z: F16(z), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	}
	s.Note(err)
}

// MixedTurn sets p = z + Beta p.
func (s *iteration) MixedTurn(p, z ops.Vector) {
	m := s.mixed()
	if m == nil {
		return
	}
	n, grid, err := s.cells, Flat(s.cells), errPrecision
	switch (pair{precision(p), precision(z)}) {
	case pair{ops.Double, ops.Double}:
		err = m.TurnDouble(s.Stream, grid, kernels.MixedTurnDoubleArgs{N: n, Z: F64(z), P: F64(p), Scalars: s.scalarsDev})
	case pair{ops.Double, ops.Single}:
		err = m.TurnDoubleSingle(s.Stream, grid, kernels.MixedTurnDoubleSingleArgs{N: n, Z: F32(z), P: F64(p), Scalars: s.scalarsDev})
	case pair{ops.Single, ops.Single}:
		err = m.TurnSingle(s.Stream, grid, kernels.MixedTurnSingleArgs{N: n, Z: F32(z), P: F32(p), Scalars: s.scalarsDev})
	case pair{ops.Half, ops.Half}:
		err = m.TurnHalf(s.Stream, grid, kernels.MixedTurnHalfArgs{N: n, Z: F16(z), P: F16(p), Scalars: s.scalarsDev})
	}
	s.Note(err)
}

// MixedUpdate advances x and r along p.
func (s *iteration) MixedUpdate(x, r, r32, p, q ops.Vector) {
	m := s.mixed()
	if m == nil {
		return
	}
	n, grid := s.cells, Flat(s.cells)
	switch precision(x) {
	case ops.Double:
		s.Note(m.UpdateDouble(s.Stream, grid, kernels.MixedUpdateDoubleArgs{
			N: n, X: F64(x), R: F64(r), R32: F32(r32), P: F64(p), Q: F64(q), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		}))
	case ops.Single:
		s.Note(m.UpdateSingle(s.Stream, grid, kernels.MixedUpdateSingleArgs{
			N: n, X: F32(x), R: F32(r), P: F32(p), Q: F32(q), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	case ops.Half:
		s.Note(m.UpdateHalf(s.Stream, grid, kernels.MixedUpdateHalfArgs{
			N: n, X: F16(x), R: F16(r), P: F16(p), Q: F16(q), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
}

// MixedGap is ||a - b||.
func (s *iteration) MixedGap(a, b ops.Vector) float64 {
	if m := s.mixed(); m != nil {
		s.Note(m.Gap(s.Stream, Flat(s.cells), kernels.MixedGapArgs{
			N: s.cells, A: F64(a), B: F64(b), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
	return math.Sqrt(s.readScalars()[kernels.Scratch])
}

// MixedConvert sets dst = factor src, rounded.
func (s *Space) MixedConvert(dst, src ops.Vector, factor float64) {
	m := s.mixed()
	if m == nil {
		return
	}
	n, grid, err := s.cells, Flat(s.cells), errPrecision
	switch (pair{precision(src), precision(dst)}) {
	case pair{ops.Double, ops.Double}:
		err = m.DoubleToDouble(s.Stream, grid, kernels.MixedDoubleToDoubleArgs{N: n, Factor: factor, From: F64(src), To: F64(dst)})
	case pair{ops.Double, ops.Single}:
		err = m.DoubleToSingle(s.Stream, grid, kernels.MixedDoubleToSingleArgs{N: n, Factor: factor, From: F64(src), To: F32(dst)})
	case pair{ops.Double, ops.Half}:
		err = m.DoubleToHalf(s.Stream, grid, kernels.MixedDoubleToHalfArgs{N: n, Factor: factor, From: F64(src), To: F16(dst)})
	case pair{ops.Single, ops.Double}:
		err = m.SingleToDouble(s.Stream, grid, kernels.MixedSingleToDoubleArgs{N: n, Factor: factor, From: F32(src), To: F64(dst)})
	case pair{ops.Single, ops.Single}:
		err = m.SingleToSingle(s.Stream, grid, kernels.MixedSingleToSingleArgs{N: n, Factor: factor, From: F32(src), To: F32(dst)})
	case pair{ops.Half, ops.Double}:
		err = m.HalfToDouble(s.Stream, grid, kernels.MixedHalfToDoubleArgs{N: n, Factor: factor, From: F16(src), To: F64(dst)})
	}
	s.Note(err)
}

// MixedScale sets z = d r, or z = r where d is nil.
func (s *Space) MixedScale(z, d, r ops.Vector) {
	m := s.mixed()
	if m == nil {
		return
	}
	n, grid := s.cells, Flat(s.cells)
	switch precision(z) {
	case ops.Double:
		s.Note(m.ScaleDouble(s.Stream, grid, kernels.MixedScaleDoubleArgs{N: n, D: F32(d), R: F64(r), Z: F64(z)}))
	case ops.Single:
		s.Note(m.ScaleSingle(s.Stream, grid, kernels.MixedScaleSingleArgs{N: n, D: F32(d), R: F32(r), Z: F32(z)}))
	case ops.Half:
		s.Note(m.ScaleHalf(s.Stream, grid, kernels.MixedScaleHalfArgs{N: n, D: F32(d), R: F16(r), Z: F16(z)}))
	}
}

// Time measures the device's work between two events.
func (s *Space) Time(body func()) (seconds float64, err error) {
	if s.err != nil {
		return 0, s.err
	}
	start, err := s.Driver.EventCreate()
	s.Note(err)
	end, err := s.Driver.EventCreate()
	s.Note(err)
	s.Note(s.Driver.EventRecord(start, s.Stream))
	body()
	s.Note(s.Driver.EventRecord(end, s.Stream))
	s.Note(s.Driver.EventSynchronize(end))
	if s.err != nil {
		return 0, s.err
	}
	ms, err := s.Driver.EventElapsedTime(start, end)
	s.Note(err)
	s.Note(s.Driver.EventDestroy(start))
	s.Note(s.Driver.EventDestroy(end))
	return float64(ms) * 1e-3, s.err
}
