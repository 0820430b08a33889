package mixed

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

// kernels readies the kernels for vectors of chosen precision; nil after a failure.
func (s gpuOperations) kernels() *Kernels {
	m, err := cuda.Module(s.Device, "mixed", LoadKernels)
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

// Dot sets RZ, MaxZ and Beta.
func (s gpuOperations) Dot(r, z ops.Vector, first bool) {
	partial, scalars, ticket := s.Sums()
	m := s.kernels()
	if m == nil {
		return
	}
	n, grid, start, err := s.Cells(), cuda.Flat(s.Cells()), flag(first), ErrPrecision
	switch (pair{GPUPrecision(r), GPUPrecision(z)}) {
	case pair{Double, Double}:
		err = m.DotDouble(s.Stream, grid, KernelsDotDoubleArgs{
			N: n, First: start, R: cuda.F64(r), Z: cuda.F64(z), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	case pair{Double, Single}:
		err = m.DotDoubleSingle(s.Stream, grid, KernelsDotDoubleSingleArgs{
			N: n, First: start, R: cuda.F64(r), Z: cuda.F32(z), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	case pair{Single, Single}:
		err = m.DotSingle(s.Stream, grid, KernelsDotSingleArgs{
			N: n, First: start, R: cuda.F32(r), Z: cuda.F32(z), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	case pair{Half, Half}:
		err = m.DotHalf(s.Stream, grid, KernelsDotHalfArgs{
			N: n, First: start, R: cuda.F16(r), Z: cuda.F16(z), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	}
	s.Note(err)
}

// Turn sets p = z + Beta p.
func (s gpuOperations) Turn(p, z ops.Vector) {
	_, scalars, _ := s.Sums()
	m := s.kernels()
	if m == nil {
		return
	}
	n, grid, err := s.Cells(), cuda.Flat(s.Cells()), ErrPrecision
	switch (pair{GPUPrecision(p), GPUPrecision(z)}) {
	case pair{Double, Double}:
		err = m.TurnDouble(s.Stream, grid,
			KernelsTurnDoubleArgs{N: n, Z: cuda.F64(z), P: cuda.F64(p), Scalars: scalars})
	case pair{Double, Single}:
		err = m.TurnDoubleSingle(s.Stream, grid, KernelsTurnDoubleSingleArgs{N: n, Z: cuda.F32(z), P: cuda.F64(p),
			Scalars: scalars})
	case pair{Single, Single}:
		err = m.TurnSingle(s.Stream, grid,
			KernelsTurnSingleArgs{N: n, Z: cuda.F32(z), P: cuda.F32(p), Scalars: scalars})
	case pair{Half, Half}:
		err = m.TurnHalf(s.Stream, grid, KernelsTurnHalfArgs{N: n, Z: cuda.F16(z), P: cuda.F16(p), Scalars: scalars})
	}
	s.Note(err)
}

// Update advances x and r along p.
func (s gpuOperations) Update(x, r, r32, p, q ops.Vector) {
	partial, scalars, ticket := s.Sums()
	m := s.kernels()
	if m == nil {
		return
	}
	n, grid := s.Cells(), cuda.Flat(s.Cells())
	switch GPUPrecision(x) {
	case Double:
		s.Note(m.UpdateDouble(s.Stream, grid, KernelsUpdateDoubleArgs{
			N: n, X: cuda.F64(x), R: cuda.F64(r), R32: cuda.F32(r32), P: cuda.F64(p), Q: cuda.F64(q), Partial: partial,
			Scalars: scalars,
			Ticket:  ticket,
		}))
	case Single:
		s.Note(m.UpdateSingle(s.Stream, grid, KernelsUpdateSingleArgs{
			N: n, X: cuda.F32(x), R: cuda.F32(r), P: cuda.F32(p), Q: cuda.F32(q), Partial: partial, Scalars: scalars,
			Ticket: ticket,
		}))
	case Half:
		s.Note(m.UpdateHalf(s.Stream, grid, KernelsUpdateHalfArgs{
			N: n, X: cuda.F16(x), R: cuda.F16(r), P: cuda.F16(p), Q: cuda.F16(q), Partial: partial, Scalars: scalars,
			Ticket: ticket,
		}))
	}
}

// Gap is ||a - b||.
func (s gpuOperations) Gap(a, b ops.Vector) float64 {
	partial, scalars, ticket := s.Sums()
	if m := s.kernels(); m != nil {
		s.Note(m.Gap(s.Stream, cuda.Flat(s.Cells()), KernelsGapArgs{
			N: s.Cells(), A: cuda.F64(a), B: cuda.F64(b), Partial: partial, Scalars: scalars, Ticket: ticket,
		}))
	}
	return math.Sqrt(s.ReadScalars()[kernels.Scratch])
}

// Convert sets dst = factor src, rounded.
func (s gpuOperations) Convert(dst, src ops.Vector, factor float64) {
	m := s.kernels()
	if m == nil {
		return
	}
	n, grid, err := s.Cells(), cuda.Flat(s.Cells()), ErrPrecision
	switch (pair{GPUPrecision(src), GPUPrecision(dst)}) {
	case pair{Double, Double}:
		err = m.DoubleToDouble(s.Stream, grid, KernelsDoubleToDoubleArgs{N: n, Factor: factor, From: cuda.F64(src),
			To: cuda.F64(dst)})
	case pair{Double, Single}:
		err = m.DoubleToSingle(s.Stream, grid, KernelsDoubleToSingleArgs{N: n, Factor: factor, From: cuda.F64(src),
			To: cuda.F32(dst)})
	case pair{Double, Half}:
		err = m.DoubleToHalf(s.Stream, grid, KernelsDoubleToHalfArgs{N: n, Factor: factor, From: cuda.F64(src),
			To: cuda.F16(dst)})
	case pair{Single, Double}:
		err = m.SingleToDouble(s.Stream, grid, KernelsSingleToDoubleArgs{N: n, Factor: factor, From: cuda.F32(src),
			To: cuda.F64(dst)})
	case pair{Single, Single}:
		err = m.SingleToSingle(s.Stream, grid, KernelsSingleToSingleArgs{N: n, Factor: factor, From: cuda.F32(src),
			To: cuda.F32(dst)})
	case pair{Half, Double}:
		err = m.HalfToDouble(s.Stream, grid, KernelsHalfToDoubleArgs{N: n, Factor: factor, From: cuda.F16(src),
			To: cuda.F64(dst)})
	}
	s.Note(err)
}

// Scale sets z = d r, or z = r where d is nil.
func (s gpuOperations) Scale(z, d, r ops.Vector) {
	m := s.kernels()
	if m == nil {
		return
	}
	n, grid := s.Cells(), cuda.Flat(s.Cells())
	switch GPUPrecision(z) {
	case Double:
		s.Note(
			m.ScaleDouble(s.Stream, grid, KernelsScaleDoubleArgs{N: n, D: cuda.F32(d), R: cuda.F64(r), Z: cuda.F64(z)}))
	case Single:
		s.Note(
			m.ScaleSingle(s.Stream, grid, KernelsScaleSingleArgs{N: n, D: cuda.F32(d), R: cuda.F32(r), Z: cuda.F32(z)}))
	case Half:
		s.Note(m.ScaleHalf(s.Stream, grid, KernelsScaleHalfArgs{N: n, D: cuda.F32(d), R: cuda.F16(r), Z: cuda.F16(z)}))
	}
}
