package chebyshev

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
)

// gpuOperations are those of a workspace on a GPU.
type gpuOperations struct {
	mixed.Operations
	on *cuda.Iteration
}

func onGPU(w ops.Workspace) (Operations, bool, error) {
	i, ok := cuda.IterationOf(w)
	if !ok {
		return nil, false, nil
	}
	m, err := mixed.On(w)
	return gpuOperations{m, i}, true, err
}

func flag(on bool) int32 {
	if on {
		return 1
	}
	return 0
}

// pair is what a step multiplies.
type pair struct{ entries, vector mixed.Precision }

func (s gpuOperations) kernels() *Kernels {
	return cuda.Loaded(s.on.Space, "chebyshev", LoadKernels)
}

func (s gpuOperations) Start(m mixed.Stored, rest, d, r ops.Vector, theta float64, lift bool) {
	partial, scalars, ticket := s.on.Sums()
	k, a, n, grid := s.kernels(), m.(*mixed.GPUMatrix), s.on.Cells(), cuda.Flat(s.on.Cells())
	switch mixed.GPUPrecision(r) {
	case mixed.Double:
		cuda.Launch(s.on.Space, k.StartDouble, grid, KernelsStartDoubleArgs{
			N: n, Scale: a.Scale, Lift: 0, Theta: theta, R: cuda.F64(r), Rest: cuda.F64(rest), D: cuda.F64(d),
			Scalars: scalars,
		})
	case mixed.Single:
		if lift {
			cuda.Launch(s.on.Space, k.PeakSingle, grid, KernelsPeakSingleArgs{
				N: n, Scale: a.Scale, R: cuda.F32(r), Theta: theta, Partial: partial, Scalars: scalars, Ticket: ticket,
			})
		}
		cuda.Launch(s.on.Space, k.StartSingle, grid, KernelsStartSingleArgs{
			N: n, Scale: a.Scale, Lift: flag(lift), Theta: theta, R: cuda.F32(r), Rest: cuda.F32(rest), D: cuda.F32(d),
			Scalars: scalars,
		})
	case mixed.Half:
		if lift {
			cuda.Launch(s.on.Space, k.PeakHalf, grid, KernelsPeakHalfArgs{
				N: n, Scale: a.Scale, R: cuda.F16(r), Theta: theta, Partial: partial, Scalars: scalars, Ticket: ticket,
			})
		}
		cuda.Launch(s.on.Space, k.StartHalf, grid, KernelsStartHalfArgs{
			N: n, Scale: a.Scale, Lift: flag(lift), Theta: theta, R: cuda.F16(r), Rest: cuda.F16(rest), D: cuda.F16(d),
			Scalars: scalars,
		})
	}
}

// Step does a step of the iteration in one pass. FP16 entries belong to a lifted right-hand side.
func (s gpuOperations) Step(m mixed.Stored, entries mixed.Precision, u Recurrence, v Iterate, next ops.Vector) {
	z, rest, d := v.Z, v.Rest, v.D
	_, scalars, _ := s.on.Sums()
	k, a := s.kernels(), m.(*mixed.GPUMatrix)
	nx, ny, nz := a.Shape()
	grid := a.Tiles(mixed.GPUPrecision(d), 0)
	first, last, scale := flag(u.First), flag(u.Last), lastScale(a, u)
	switch (pair{entries, mixed.GPUPrecision(d)}) {
	case pair{mixed.Double, mixed.Double}:
		cuda.Launch(s.on.Space, k.StepDouble, grid, KernelsStepDoubleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Double.Main, X: a.Double.X, Y: a.Double.Y, Z: a.Double.Z, Keep: u.Keep,
			Gain: u.Gain, First: first, Final: last, Scale: scale, Sum: cuda.F64(z), Rest: cuda.F64(rest),
			D: cuda.F64(d), Next: cuda.F64(next),
		})
	case pair{mixed.Single, mixed.Single}:
		cuda.Launch(s.on.Space, k.StepSingle, grid, KernelsStepSingleArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Single.Main, X: a.Single.X, Y: a.Single.Y, Z: a.Single.Z,
			Keep: float32(u.Keep), Gain: float32(u.Gain), First: first, Final: last, Scale: scale, Sum: cuda.F32(z),
			Rest: cuda.F32(rest), D: cuda.F32(d), Next: cuda.F32(next),
		})
	case pair{mixed.Half, mixed.Single}:
		if !a.Promote.IsNil() {
			cuda.Launch(s.on.Space, k.StepPlanes, grid, KernelsStepPlanesArgs{
				Nx: nx, Ny: ny, Nz: nz, Main: a.Half.Main, X: a.Half.X, Y: a.Half.Y, Z: a.Half.Z, Unit: a.Unit,
				Undo: a.Undo, Promote: a.Promote, Keep: float32(u.Keep), Gain: float32(u.Gain), First: first,
				Final: last, Lifted: last, Scale: scale, Scalars: scalars, Sum: cuda.F32(z), Rest: cuda.F32(rest),
				D: cuda.F32(d), Next: cuda.F32(next),
			})
			break
		}
		cuda.Launch(s.on.Space, k.StepPhysics, grid, KernelsStepPhysicsArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Half.Main, X: a.Half.X, Y: a.Half.Y, Z: a.Half.Z, Unit: a.Unit,
			Undo: a.Undo, Keep: float32(u.Keep), Gain: float32(u.Gain), First: first, Final: last, Lifted: last,
			Scale: scale, Scalars: scalars, Sum: cuda.F32(z), Rest: cuda.F32(rest), D: cuda.F32(d),
			Next: cuda.F32(next),
		})
	case pair{mixed.Half, mixed.Half}:
		cuda.Launch(s.on.Space, k.StepHalf, grid, KernelsStepHalfArgs{
			Nx: nx, Ny: ny, Nz: nz, Main: a.Half.Main, X: a.Half.X, Y: a.Half.Y, Z: a.Half.Z, Unit: a.Unit,
			Undo: a.Undo, Keep: float32(u.Keep), Gain: float32(u.Gain), First: first, Final: last, Lifted: last,
			Scale: scale, Scalars: scalars, Sum: cuda.F16(z), Rest: cuda.F16(rest), D: cuda.F16(d),
			Next: cuda.F16(next),
		})
	default:
		s.on.Note(mixed.ErrPrecision)
	}
}

// lastScale is S where a step needs it.
func lastScale(a *mixed.GPUMatrix, u Recurrence) cudriver.Ptr[float32] {
	if u.Last {
		return a.Scale
	}
	return cudriver.Ptr[float32]{}
}

func (s gpuOperations) Relax(m mixed.Stored, u Recurrence, v Iterate, y ops.Vector) {
	z, rest, d := v.Z, v.Rest, v.D
	k, a := s.kernels(), m.(*mixed.GPUMatrix)
	grid, scale := cuda.Flat(s.on.Cells()), lastScale(a, u)
	switch mixed.GPUPrecision(d) {
	case mixed.Double:
		cuda.Launch(s.on.Space, k.RelaxDouble, grid, KernelsRelaxDoubleArgs{
			N: s.on.Cells(), Keep: u.Keep, Gain: u.Gain, First: flag(u.First), Final: flag(u.Last), Scale: scale,
			Z: cuda.F64(z), Rest: cuda.F64(rest), D: cuda.F64(d), Y: cuda.F64(y),
		})
	case mixed.Single:
		cuda.Launch(s.on.Space, k.RelaxSingle, grid, KernelsRelaxSingleArgs{
			N: s.on.Cells(), Keep: float32(u.Keep), Gain: float32(u.Gain), First: flag(u.First), Final: flag(u.Last),
			Scale: scale, Z: cuda.F32(z), Rest: cuda.F32(rest), D: cuda.F32(d), Y: cuda.F32(y),
		})
	default:
		s.on.Note(mixed.ErrPrecision)
	}
}

func (s gpuOperations) Seed(v ops.Vector, seed uint32) {
	partial, scalars, ticket := s.on.Sums()
	k := s.kernels()
	cuda.Launch(s.on.Space, k.Noise, cuda.Flat(s.on.Cells()), KernelsNoiseArgs{
		N: s.on.Cells(), Seed: seed, V: cuda.F32(v), Partial: partial, Scalars: scalars, Ticket: ticket,
	})
}

func (s gpuOperations) Purge(w, v, u ops.Vector, alpha, beta float64) {
	partial, scalars, ticket := s.on.Sums()
	k := s.kernels()
	cuda.Launch(s.on.Space, k.Purge, cuda.Flat(s.on.Cells()), KernelsPurgeArgs{
		N: s.on.Cells(), Alpha: float32(alpha), Beta: float32(beta), V: cuda.F32(v), U: cuda.F32(u), W: cuda.F32(w),
		Partial: partial, Scalars: scalars, Ticket: ticket,
	})
}
