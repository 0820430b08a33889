package mixed

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

func (s gpuOperations) kernels() *Kernels {
	return cuda.Loaded(s.Space, "mixed", LoadKernels)
}

func flag(on bool) int32 {
	if on {
		return 1
	}
	return 0
}

func (s gpuOperations) Dot(r, z ops.Vector, first bool) {
	partial, scalars, ticket := s.Sums()
	m := s.kernels()
	n, grid, start := s.Cells(), cuda.Flat(s.Cells()), flag(first)
	switch (pair{GPUPrecision(r), GPUPrecision(z)}) {
	case pair{Double, Double}:
		cuda.Launch(s.Space, m.DotDouble, grid, KernelsDotDoubleArgs{
			N: n, First: start, R: cuda.F64(r), Z: cuda.F64(z), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	case pair{Double, Single}:
		cuda.Launch(s.Space, m.DotDoubleSingle, grid, KernelsDotDoubleSingleArgs{
			N: n, First: start, R: cuda.F64(r), Z: cuda.F32(z), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	case pair{Single, Single}:
		cuda.Launch(s.Space, m.DotSingle, grid, KernelsDotSingleArgs{
			N: n, First: start, R: cuda.F32(r), Z: cuda.F32(z), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	case pair{Half, Half}:
		cuda.Launch(s.Space, m.DotHalf, grid, KernelsDotHalfArgs{
			N: n, First: start, R: cuda.F16(r), Z: cuda.F16(z), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	default:
		s.Note(ErrPrecision)
	}
}

func (s gpuOperations) Turn(p, z ops.Vector) {
	_, scalars, _ := s.Sums()
	m := s.kernels()
	n, grid := s.Cells(), cuda.Flat(s.Cells())
	switch (pair{GPUPrecision(p), GPUPrecision(z)}) {
	case pair{Double, Double}:
		cuda.Launch(s.Space, m.TurnDouble, grid,
			KernelsTurnDoubleArgs{N: n, Z: cuda.F64(z), P: cuda.F64(p), Scalars: scalars})
	case pair{Double, Single}:
		cuda.Launch(s.Space, m.TurnDoubleSingle, grid,
			KernelsTurnDoubleSingleArgs{N: n, Z: cuda.F32(z), P: cuda.F64(p), Scalars: scalars})
	case pair{Single, Single}:
		cuda.Launch(s.Space, m.TurnSingle, grid,
			KernelsTurnSingleArgs{N: n, Z: cuda.F32(z), P: cuda.F32(p), Scalars: scalars})
	case pair{Half, Half}:
		cuda.Launch(s.Space, m.TurnHalf, grid,
			KernelsTurnHalfArgs{N: n, Z: cuda.F16(z), P: cuda.F16(p), Scalars: scalars})
	default:
		s.Note(ErrPrecision)
	}
}

func (s gpuOperations) Update(x, r, r32, p, q ops.Vector) {
	partial, scalars, ticket := s.Sums()
	m := s.kernels()
	n, grid := s.Cells(), cuda.Flat(s.Cells())
	switch GPUPrecision(x) {
	case Double:
		cuda.Launch(s.Space, m.UpdateDouble, grid, KernelsUpdateDoubleArgs{
			N: n, X: cuda.F64(x), R: cuda.F64(r), R32: cuda.F32(r32), P: cuda.F64(p), Q: cuda.F64(q), Partial: partial,
			Scalars: scalars, Ticket: ticket,
		})
	case Single:
		cuda.Launch(s.Space, m.UpdateSingle, grid, KernelsUpdateSingleArgs{
			N: n, X: cuda.F32(x), R: cuda.F32(r), P: cuda.F32(p), Q: cuda.F32(q), Partial: partial, Scalars: scalars,
			Ticket: ticket,
		})
	case Half:
		cuda.Launch(s.Space, m.UpdateHalf, grid, KernelsUpdateHalfArgs{
			N: n, X: cuda.F16(x), R: cuda.F16(r), P: cuda.F16(p), Q: cuda.F16(q), Partial: partial, Scalars: scalars,
			Ticket: ticket,
		})
	}
}

func (s gpuOperations) Gap(a, b ops.Vector) float64 {
	partial, scalars, ticket := s.Sums()
	m := s.kernels()
	cuda.Launch(s.Space, m.Gap, cuda.Flat(s.Cells()), KernelsGapArgs{
		N: s.Cells(), A: cuda.F64(a), B: cuda.F64(b), Partial: partial, Scalars: scalars, Ticket: ticket,
	})
	return math.Sqrt(s.ReadScalars()[kernels.Scratch])
}

func (s gpuOperations) Convert(dst, src ops.Vector, factor float64) {
	m := s.kernels()
	n, grid := s.Cells(), cuda.Flat(s.Cells())
	switch (pair{GPUPrecision(src), GPUPrecision(dst)}) {
	case pair{Double, Double}:
		cuda.Launch(s.Space, m.DoubleToDouble, grid,
			KernelsDoubleToDoubleArgs{N: n, Factor: factor, From: cuda.F64(src), To: cuda.F64(dst)})
	case pair{Double, Single}:
		cuda.Launch(s.Space, m.DoubleToSingle, grid,
			KernelsDoubleToSingleArgs{N: n, Factor: factor, From: cuda.F64(src), To: cuda.F32(dst)})
	case pair{Double, Half}:
		cuda.Launch(s.Space, m.DoubleToHalf, grid,
			KernelsDoubleToHalfArgs{N: n, Factor: factor, From: cuda.F64(src), To: cuda.F16(dst)})
	case pair{Single, Double}:
		cuda.Launch(s.Space, m.SingleToDouble, grid,
			KernelsSingleToDoubleArgs{N: n, Factor: factor, From: cuda.F32(src), To: cuda.F64(dst)})
	case pair{Single, Single}:
		cuda.Launch(s.Space, m.SingleToSingle, grid,
			KernelsSingleToSingleArgs{N: n, Factor: factor, From: cuda.F32(src), To: cuda.F32(dst)})
	case pair{Half, Double}:
		cuda.Launch(s.Space, m.HalfToDouble, grid,
			KernelsHalfToDoubleArgs{N: n, Factor: factor, From: cuda.F16(src), To: cuda.F64(dst)})
	default:
		s.Note(ErrPrecision)
	}
}

func (s gpuOperations) Scale(z, d, r ops.Vector) {
	m := s.kernels()
	n, grid := s.Cells(), cuda.Flat(s.Cells())
	switch GPUPrecision(z) {
	case Double:
		cuda.Launch(s.Space, m.ScaleDouble, grid,
			KernelsScaleDoubleArgs{N: n, D: cuda.F32(d), R: cuda.F64(r), Z: cuda.F64(z)})
	case Single:
		cuda.Launch(s.Space, m.ScaleSingle, grid,
			KernelsScaleSingleArgs{N: n, D: cuda.F32(d), R: cuda.F32(r), Z: cuda.F32(z)})
	case Half:
		cuda.Launch(s.Space, m.ScaleHalf, grid,
			KernelsScaleHalfArgs{N: n, D: cuda.F32(d), R: cuda.F16(r), Z: cuda.F16(z)})
	}
}
