package cuda

import (
	"math"

	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// mixed readies the kernels for vectors of chosen precision; nil after a failure.
func (s *space) mixed() *kernels.Mixed {
	m, err := module(s.Device, "mixed", kernels.LoadMixed)
	s.note(err)
	if !s.ready() {
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
	n, grid, start, err := s.cells, flat(s.cells), flag(first), errPrecision
	switch (pair{precision(r), precision(z)}) {
	case pair{ops.Double, ops.Double}:
		err = m.DotDouble(s.stream, grid, kernels.MixedDotDoubleArgs{
			N: n, First: start, R: f64(r), Z: f64(z), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	case pair{ops.Double, ops.Single}:
		err = m.DotDoubleSingle(s.stream, grid, kernels.MixedDotDoubleSingleArgs{
			N: n, First: start, R: f64(r), Z: f32(z), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	case pair{ops.Single, ops.Single}:
		err = m.DotSingle(s.stream, grid, kernels.MixedDotSingleArgs{
			N: n, First: start, R: f32(r), Z: f32(z), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	case pair{ops.Half, ops.Half}:
		err = m.DotHalf(s.stream, grid, kernels.MixedDotHalfArgs{
			N: n, First: start, R: f16(r), Z: f16(z), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		})
	}
	s.note(err)
}

// MixedTurn sets p = z + Beta p.
func (s *iteration) MixedTurn(p, z ops.Vector) {
	m := s.mixed()
	if m == nil {
		return
	}
	n, grid, err := s.cells, flat(s.cells), errPrecision
	switch (pair{precision(p), precision(z)}) {
	case pair{ops.Double, ops.Double}:
		err = m.TurnDouble(s.stream, grid, kernels.MixedTurnDoubleArgs{N: n, Z: f64(z), P: f64(p), Scalars: s.scalarsDev})
	case pair{ops.Double, ops.Single}:
		err = m.TurnDoubleSingle(s.stream, grid, kernels.MixedTurnDoubleSingleArgs{N: n, Z: f32(z), P: f64(p), Scalars: s.scalarsDev})
	case pair{ops.Single, ops.Single}:
		err = m.TurnSingle(s.stream, grid, kernels.MixedTurnSingleArgs{N: n, Z: f32(z), P: f32(p), Scalars: s.scalarsDev})
	case pair{ops.Half, ops.Half}:
		err = m.TurnHalf(s.stream, grid, kernels.MixedTurnHalfArgs{N: n, Z: f16(z), P: f16(p), Scalars: s.scalarsDev})
	}
	s.note(err)
}

// MixedUpdate advances x and r along p.
func (s *iteration) MixedUpdate(x, r, r32, p, q ops.Vector) {
	m := s.mixed()
	if m == nil {
		return
	}
	n, grid := s.cells, flat(s.cells)
	switch precision(x) {
	case ops.Double:
		s.note(m.UpdateDouble(s.stream, grid, kernels.MixedUpdateDoubleArgs{
			N: n, X: f64(x), R: f64(r), R32: f32(r32), P: f64(p), Q: f64(q), Partial: s.partial, Scalars: s.scalarsDev,
			Ticket: s.ticket,
		}))
	case ops.Single:
		s.note(m.UpdateSingle(s.stream, grid, kernels.MixedUpdateSingleArgs{
			N: n, X: f32(x), R: f32(r), P: f32(p), Q: f32(q), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	case ops.Half:
		s.note(m.UpdateHalf(s.stream, grid, kernels.MixedUpdateHalfArgs{
			N: n, X: f16(x), R: f16(r), P: f16(p), Q: f16(q), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
}

// MixedGap is ||a - b||.
func (s *iteration) MixedGap(a, b ops.Vector) float64 {
	if m := s.mixed(); m != nil {
		s.note(m.Gap(s.stream, flat(s.cells), kernels.MixedGapArgs{
			N: s.cells, A: f64(a), B: f64(b), Partial: s.partial, Scalars: s.scalarsDev, Ticket: s.ticket,
		}))
	}
	return math.Sqrt(s.readScalars()[kernels.Scratch])
}

// MixedConvert sets dst = factor src, rounded.
func (s *space) MixedConvert(dst, src ops.Vector, factor float64) {
	m := s.mixed()
	if m == nil {
		return
	}
	n, grid, err := s.cells, flat(s.cells), errPrecision
	switch (pair{precision(src), precision(dst)}) {
	case pair{ops.Double, ops.Double}:
		err = m.DoubleToDouble(s.stream, grid, kernels.MixedDoubleToDoubleArgs{N: n, Factor: factor, From: f64(src), To: f64(dst)})
	case pair{ops.Double, ops.Single}:
		err = m.DoubleToSingle(s.stream, grid, kernels.MixedDoubleToSingleArgs{N: n, Factor: factor, From: f64(src), To: f32(dst)})
	case pair{ops.Double, ops.Half}:
		err = m.DoubleToHalf(s.stream, grid, kernels.MixedDoubleToHalfArgs{N: n, Factor: factor, From: f64(src), To: f16(dst)})
	case pair{ops.Single, ops.Double}:
		err = m.SingleToDouble(s.stream, grid, kernels.MixedSingleToDoubleArgs{N: n, Factor: factor, From: f32(src), To: f64(dst)})
	case pair{ops.Single, ops.Single}:
		err = m.SingleToSingle(s.stream, grid, kernels.MixedSingleToSingleArgs{N: n, Factor: factor, From: f32(src), To: f32(dst)})
	case pair{ops.Half, ops.Double}:
		err = m.HalfToDouble(s.stream, grid, kernels.MixedHalfToDoubleArgs{N: n, Factor: factor, From: f16(src), To: f64(dst)})
	}
	s.note(err)
}

// MixedScale sets z = d r, or z = r where d is nil.
func (s *space) MixedScale(z, d, r ops.Vector) {
	m := s.mixed()
	if m == nil {
		return
	}
	n, grid := s.cells, flat(s.cells)
	switch precision(z) {
	case ops.Double:
		s.note(m.ScaleDouble(s.stream, grid, kernels.MixedScaleDoubleArgs{N: n, D: f32(d), R: f64(r), Z: f64(z)}))
	case ops.Single:
		s.note(m.ScaleSingle(s.stream, grid, kernels.MixedScaleSingleArgs{N: n, D: f32(d), R: f32(r), Z: f32(z)}))
	case ops.Half:
		s.note(m.ScaleHalf(s.stream, grid, kernels.MixedScaleHalfArgs{N: n, D: f32(d), R: f16(r), Z: f16(z)}))
	}
}

// Time measures the device's work between two events.
func (s *space) Time(body func()) (seconds float64, err error) {
	if s.err != nil {
		return 0, s.err
	}
	start, err := s.drv.EventCreate()
	s.note(err)
	end, err := s.drv.EventCreate()
	s.note(err)
	s.note(s.drv.EventRecord(start, s.stream))
	body()
	s.note(s.drv.EventRecord(end, s.stream))
	s.note(s.drv.EventSynchronize(end))
	if s.err != nil {
		return 0, s.err
	}
	ms, err := s.drv.EventElapsedTime(start, end)
	s.note(err)
	s.note(s.drv.EventDestroy(start))
	s.note(s.drv.EventDestroy(end))
	return float64(ms) * 1e-3, s.err
}
