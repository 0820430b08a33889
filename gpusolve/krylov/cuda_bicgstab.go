package krylov

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/kernels"
	"thermsim/gpusolve/ops"
)

// gpuOperations are the operations on a workspace of a GPU.
type gpuOperations struct{ *cuda.Iteration }

func onGPU(w ops.Workspace) (Operations, bool, error) {
	i, ok := cuda.IterationOf(w)
	return gpuOperations{i}, ok, nil
}

func (s gpuOperations) kernels() *Bicgstab { return cuda.Loaded(s.Space, "bicgstab", LoadBicgstab) }

func (s gpuOperations) Begin(r, shadow, p, p32, from ops.Vector) {
	k := s.kernels()
	partial, scalars, ticket := s.Sums()
	if cuda.ValueBytes(from) == 4 {
		cuda.Launch(s.Space, &k.BeginSingle, cuda.Flat(s.Cells()), BicgstabBeginArgs[float32]{
			N: s.Cells(), From: cuda.F32(from), R: cuda.F64(r), Shadow: cuda.F64(shadow), P: cuda.F64(p),
			P32: cuda.F32(p32), Partial: partial, Scalars: scalars, Ticket: ticket,
		})
		return
	}
	cuda.Launch(s.Space, &k.BeginDouble, cuda.Flat(s.Cells()), BicgstabBeginArgs[float64]{
		N: s.Cells(), From: cuda.F64(from), R: cuda.F64(r), Shadow: cuda.F64(shadow), P: cuda.F64(p),
		P32: cuda.F32(p32), Partial: partial, Scalars: scalars, Ticket: ticket,
	})
}

func (s gpuOperations) Widen(y, y32 ops.Vector) {
	k := s.kernels()
	cuda.Launch(s.Space, &k.Widen, cuda.Flat(s.Cells()),
		BicgstabWidenArgs{N: s.Cells(), From: cuda.F32(y32), To: cuda.F64(y)})
}

func (s gpuOperations) FirstStep(x, r, r32, shadow, v, y32 ops.Vector) {
	partial, scalars, ticket := s.Sums()
	k := s.kernels()
	cuda.Launch(s.Space, &k.MeasureFirst, cuda.Flat(s.Cells()), BicgstabMeasureFirstArgs{
		N: s.Cells(), Shadow: cuda.F64(shadow), V: cuda.F64(v), Partial: partial, Scalars: scalars, Ticket: ticket,
	})
	cuda.Launch(s.Space, &k.MoveFirst, cuda.Flat(s.Cells()), BicgstabMoveFirstArgs{
		N: s.Cells(), X: cuda.F64(x), R: cuda.F64(r), R32: cuda.F32(r32), V: cuda.F64(v), Y: cuda.F32(y32),
		Partial: partial, Scalars: scalars, Ticket: ticket,
	})
}

func (s gpuOperations) SecondStep(x, r, shadow, t, z32 ops.Vector) {
	partial, scalars, ticket := s.Sums()
	k := s.kernels()
	cuda.Launch(s.Space, &k.MeasureSecond, cuda.Flat(s.Cells()), BicgstabMeasureSecondArgs{
		N: s.Cells(), T: cuda.F64(t), R: cuda.F64(r), Partial: partial, Scalars: scalars, Ticket: ticket,
	})
	cuda.Launch(s.Space, &k.MoveSecond, cuda.Flat(s.Cells()), BicgstabMoveSecondArgs{
		N: s.Cells(), X: cuda.F64(x), R: cuda.F64(r), Shadow: cuda.F64(shadow), T: cuda.F64(t), Z: cuda.F32(z32),
		Partial: partial, Scalars: scalars, Ticket: ticket,
	})
}

func (s gpuOperations) NextDirection(p, p32, r, v ops.Vector) {
	_, scalars, _ := s.Sums()
	k := s.kernels()
	cuda.Launch(s.Space, &k.NextDirection, cuda.Flat(s.Cells()), BicgstabNextDirectionArgs{
		N: s.Cells(), P: cuda.F64(p), P32: cuda.F32(p32), R: cuda.F64(r), V: cuda.F64(v), Scalars: scalars,
	})
}

// StabilisedScalars waits for the device and reads them; NaN after a failure.
func (s gpuOperations) StabilisedScalars() StabilisedScalars {
	v := s.ReadScalars()
	return StabilisedScalars{
		Rho: v[BicgstabRho], RV: v[BicgstabRV], SS: v[kernels.Scratch], TS: v[BicgstabTS], TT: v[BicgstabTT],
		RR: v[kernels.RR], Step: v[BicgstabStep], Omega: v[BicgstabOmega], Turn: v[BicgstabTurn],
	}
}
