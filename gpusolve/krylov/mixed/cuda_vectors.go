package mixed

import (
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/cuda/kernels/launch"
	"thermsim/gpusolve/ops"
)

func (s gpuOperations) kernels() *Kernels {
	return cuda.Loaded(s.Space, "mixed", LoadKernels)
}

func (s gpuOperations) Dot(r, z ops.Vector, first bool) {
	m := s.kernels()
	switch (pair{GPUPrecision(r), GPUPrecision(z)}) {
	case pair{Double, Double}:
		launchDot(s, &m.DotDouble, r, z, first)
	case pair{Double, Single}:
		launchDot(s, &m.DotDoubleSingle, r, z, first)
	case pair{Single, Single}:
		launchDot(s, &m.DotSingle, r, z, first)
	case pair{Half, Half}:
		launchDot(s, &m.DotHalf, r, z, first)
	default:
		s.Note(ErrPrecision)
	}
}

func launchDot[T, U cuda.Number](s gpuOperations, kernel *launch.Kernel[KernelsDotArgs[T, U]], r, z ops.Vector,
	first bool) {
	partial, scalars, ticket := s.Sums()
	cuda.Launch(s.Space, kernel, cuda.Flat(s.Cells()), KernelsDotArgs[T, U]{
		N: s.Cells(), First: cuda.Flag(first), R: cuda.Address[T](r), Z: cuda.Address[U](z), Partial: partial,
		Scalars: scalars, Ticket: ticket,
	})
}

func (s gpuOperations) Turn(p, z ops.Vector) {
	m := s.kernels()
	switch (pair{GPUPrecision(p), GPUPrecision(z)}) {
	case pair{Double, Double}:
		launchTurn(s, &m.TurnDouble, p, z)
	case pair{Double, Single}:
		launchTurn(s, &m.TurnDoubleSingle, p, z)
	case pair{Single, Single}:
		launchTurn(s, &m.TurnSingle, p, z)
	case pair{Half, Half}:
		launchTurn(s, &m.TurnHalf, p, z)
	default:
		s.Note(ErrPrecision)
	}
}

func launchTurn[T, U cuda.Number](s gpuOperations, kernel *launch.Kernel[KernelsTurnArgs[T, U]], p, z ops.Vector) {
	_, scalars, _ := s.Sums()
	cuda.Launch(s.Space, kernel, cuda.Flat(s.Cells()),
		KernelsTurnArgs[T, U]{N: s.Cells(), Z: cuda.Address[T](z), P: cuda.Address[U](p), Scalars: scalars})
}

func (s gpuOperations) Update(x, r, r32, p, q ops.Vector) {
	m := s.kernels()
	switch GPUPrecision(x) {
	case Double:
		partial, scalars, ticket := s.Sums()
		cuda.Launch(s.Space, &m.UpdateDouble, cuda.Flat(s.Cells()), KernelsUpdateDoubleArgs{
			N: s.Cells(), X: cuda.F64(x), R: cuda.F64(r), R32: cuda.F32(r32), P: cuda.F64(p), Q: cuda.F64(q),
			Partial: partial, Scalars: scalars, Ticket: ticket,
		})
	case Single:
		launchUpdate(s, &m.UpdateSingle, x, r, p, q)
	case Half:
		launchUpdate(s, &m.UpdateHalf, x, r, p, q)
	}
}

func launchUpdate[T cuda.Number](s gpuOperations, kernel *launch.Kernel[KernelsUpdateArgs[T]], x, r, p, q ops.Vector) {
	partial, scalars, ticket := s.Sums()
	cuda.Launch(s.Space, kernel, cuda.Flat(s.Cells()), KernelsUpdateArgs[T]{
		N: s.Cells(), X: cuda.Address[T](x), R: cuda.Address[T](r), P: cuda.Address[T](p), Q: cuda.Address[T](q),
		Partial: partial, Scalars: scalars, Ticket: ticket,
	})
}

func (s gpuOperations) Gap(a, b ops.Vector) float64 {
	partial, scalars, ticket := s.Sums()
	m := s.kernels()
	cuda.Launch(s.Space, &m.Gap, cuda.Flat(s.Cells()), KernelsGapArgs{
		N: s.Cells(), A: cuda.F64(a), B: cuda.F64(b), Partial: partial, Scalars: scalars, Ticket: ticket,
	})
	return math.Sqrt(s.ReadScalars()[kernels.Scratch])
}

func (s gpuOperations) Convert(dst, src ops.Vector, factor float64) {
	m := s.kernels()
	switch (pair{GPUPrecision(src), GPUPrecision(dst)}) {
	case pair{Double, Double}:
		launchConvert(s, &m.DoubleToDouble, dst, src, factor)
	case pair{Double, Single}:
		launchConvert(s, &m.DoubleToSingle, dst, src, factor)
	case pair{Double, Half}:
		launchConvert(s, &m.DoubleToHalf, dst, src, factor)
	case pair{Single, Double}:
		launchConvert(s, &m.SingleToDouble, dst, src, factor)
	case pair{Single, Single}:
		launchConvert(s, &m.SingleToSingle, dst, src, factor)
	case pair{Half, Double}:
		launchConvert(s, &m.HalfToDouble, dst, src, factor)
	default:
		s.Note(ErrPrecision)
	}
}

func launchConvert[T, U cuda.Number](s gpuOperations, kernel *launch.Kernel[KernelsDoubleToDoubleArgs[T, U]],
	dst, src ops.Vector, factor float64) {
	cuda.Launch(s.Space, kernel, cuda.Flat(s.Cells()), KernelsDoubleToDoubleArgs[T, U]{
		N: s.Cells(), Factor: factor, From: cuda.Address[T](src), To: cuda.Address[U](dst),
	})
}

func (s gpuOperations) Scale(z, d, r ops.Vector) {
	m := s.kernels()
	switch GPUPrecision(z) {
	case Double:
		launchScale(s, &m.ScaleDouble, z, d, r)
	case Single:
		launchScale(s, &m.ScaleSingle, z, d, r)
	case Half:
		launchScale(s, &m.ScaleHalf, z, d, r)
	}
}

func launchScale[T cuda.Number](s gpuOperations, kernel *launch.Kernel[KernelsScaleArgs[T]], z, d, r ops.Vector) {
	cuda.Launch(s.Space, kernel, cuda.Flat(s.Cells()),
		KernelsScaleArgs[T]{N: s.Cells(), D: cuda.F32(d), R: cuda.Address[T](r), Z: cuda.Address[T](z)})
}
