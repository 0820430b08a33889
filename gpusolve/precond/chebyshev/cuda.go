package chebyshev

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels/launch"
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

// pair is what a step multiplies.
type pair struct{ entries, vector mixed.Precision }

func (s gpuOperations) kernels() *Kernels {
	return cuda.Loaded(s.on.Space, "chebyshev", LoadKernels)
}

func (s gpuOperations) Start(m mixed.Stored, rest, d, r ops.Vector, theta float64, lift bool) {
	k, a := s.kernels(), m.(*mixed.GPUMatrix)
	switch mixed.GPUPrecision(r) {
	case mixed.Double:
		launchStart(s, &k.StartDouble, KernelsStartArgs[float64]{Scale: a.Scale, Theta: theta}, rest, d, r)
	case mixed.Single:
		if lift {
			launchPeak(s, &k.PeakSingle, a, r, theta)
		}
		launchStart(s, &k.StartSingle, KernelsStartArgs[float32]{Scale: a.Scale, Lift: cuda.Flag(lift), Theta: theta},
			rest, d, r)
	case mixed.Half:
		if lift {
			launchPeak(s, &k.PeakHalf, a, r, theta)
		}
		launchStart(s, &k.StartHalf,
			KernelsStartArgs[cudriver.Half]{Scale: a.Scale, Lift: cuda.Flag(lift), Theta: theta}, rest, d, r)
	}
}

func launchPeak[T cuda.Number](s gpuOperations, kernel *launch.Kernel[KernelsPeakArgs[T]], a *mixed.GPUMatrix,
	r ops.Vector, theta float64) {
	partial, scalars, ticket := s.on.Sums()
	cuda.Launch(s.on.Space, kernel, cuda.Flat(s.on.Cells()), KernelsPeakArgs[T]{
		N: s.on.Cells(), Scale: a.Scale, R: cuda.Address[T](r), Theta: theta, Partial: partial, Scalars: scalars,
		Ticket: ticket,
	})
}

// launchStart adds the vectors to the arguments.
func launchStart[T cuda.Number](s gpuOperations, kernel *launch.Kernel[KernelsStartArgs[T]], a KernelsStartArgs[T],
	rest, d, r ops.Vector) {
	_, a.Scalars, _ = s.on.Sums()
	a.N, a.R, a.Rest, a.D = s.on.Cells(), cuda.Address[T](r), cuda.Address[T](rest), cuda.Address[T](d)
	cuda.Launch(s.on.Space, kernel, cuda.Flat(s.on.Cells()), a)
}

// Step does a step of the iteration in one pass. FP16 entries belong to a lifted right-hand side.
func (s gpuOperations) Step(m mixed.Stored, entries mixed.Precision, u Recurrence, v Iterate, next ops.Vector) {
	k, a, on := s.kernels(), m.(*mixed.GPUMatrix), s.on.Space
	grid := a.Tiles(mixed.GPUPrecision(v.D), 0)
	switch (pair{entries, mixed.GPUPrecision(v.D)}) {
	case pair{mixed.Double, mixed.Double}:
		cuda.Launch(on, &k.StepDouble, grid, stepArgs(a, a.Double, u, v, next))
	case pair{mixed.Single, mixed.Single}:
		cuda.Launch(on, &k.StepSingle, grid, stepArgs(a, a.Single, u, v, next))
	case pair{mixed.Half, mixed.Single}:
		args := halfStepArgs[float32](s, a, u, v, next)
		if a.Promote.IsNil() {
			cuda.Launch(on, &k.StepPhysics, grid, args)
			break
		}
		cuda.Launch(on, &k.StepPlanes, grid, KernelsStepPlanesArgs{
			Nx: args.Nx, Ny: args.Ny, Nz: args.Nz, Main: args.Main, X: args.X, Y: args.Y, Z: args.Z, Unit: args.Unit,
			Undo: args.Undo, Promote: a.Promote, Keep: args.Keep, Gain: args.Gain, First: args.First,
			Final: args.Final, Lifted: args.Lifted, Scale: args.Scale, Scalars: args.Scalars, Sum: args.Sum,
			Rest: args.Rest, D: args.D, Next: args.Next,
		})
	case pair{mixed.Half, mixed.Half}:
		cuda.Launch(on, &k.StepHalf, grid, halfStepArgs[cudriver.Half](s, a, u, v, next))
	default:
		s.on.Note(mixed.ErrPrecision)
	}
}

func stepArgs[T float32 | float64](a *mixed.GPUMatrix, bands mixed.GPUBands[T], u Recurrence, v Iterate,
	next ops.Vector) KernelsStepArgs[T] {
	nx, ny, nz := a.Shape()
	return KernelsStepArgs[T]{
		Nx: nx, Ny: ny, Nz: nz, Main: bands.Main, X: bands.X, Y: bands.Y, Z: bands.Z, Keep: T(u.Keep),
		Gain: T(u.Gain), First: cuda.Flag(u.First), Final: cuda.Flag(u.Last), Scale: lastScale(a, u),
		Sum: cuda.Address[T](v.Z), Rest: cuda.Address[T](v.Rest), D: cuda.Address[T](v.D), Next: cuda.Address[T](next),
	}
}

// halfStepArgs are the arguments of steps with entries in FP16.
func halfStepArgs[T cuda.Number](s gpuOperations, a *mixed.GPUMatrix, u Recurrence, v Iterate,
	next ops.Vector) KernelsStepPhysicsArgs[T] {
	_, scalars, _ := s.on.Sums()
	nx, ny, nz := a.Shape()
	return KernelsStepPhysicsArgs[T]{
		Nx: nx, Ny: ny, Nz: nz, Main: a.Half.Main, X: a.Half.X, Y: a.Half.Y, Z: a.Half.Z, Unit: a.Unit, Undo: a.Undo,
		Keep: float32(u.Keep), Gain: float32(u.Gain), First: cuda.Flag(u.First), Final: cuda.Flag(u.Last),
		Lifted: cuda.Flag(u.Last), Scale: lastScale(a, u), Scalars: scalars, Sum: cuda.Address[T](v.Z),
		Rest: cuda.Address[T](v.Rest), D: cuda.Address[T](v.D), Next: cuda.Address[T](next),
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
	k, a := s.kernels(), m.(*mixed.GPUMatrix)
	switch mixed.GPUPrecision(v.D) {
	case mixed.Double:
		launchRelax(s, &k.RelaxDouble, a, u, v, y)
	case mixed.Single:
		launchRelax(s, &k.RelaxSingle, a, u, v, y)
	default:
		s.on.Note(mixed.ErrPrecision)
	}
}

func launchRelax[T float32 | float64](s gpuOperations, kernel *launch.Kernel[KernelsRelaxArgs[T]], a *mixed.GPUMatrix,
	u Recurrence, v Iterate, y ops.Vector) {
	cuda.Launch(s.on.Space, kernel, cuda.Flat(s.on.Cells()), KernelsRelaxArgs[T]{
		N: s.on.Cells(), Keep: T(u.Keep), Gain: T(u.Gain), First: cuda.Flag(u.First), Final: cuda.Flag(u.Last),
		Scale: lastScale(a, u), Z: cuda.Address[T](v.Z), Rest: cuda.Address[T](v.Rest), D: cuda.Address[T](v.D),
		Y: cuda.Address[T](y),
	})
}

func (s gpuOperations) Seed(v ops.Vector, seed uint32) {
	partial, scalars, ticket := s.on.Sums()
	k := s.kernels()
	cuda.Launch(s.on.Space, &k.Noise, cuda.Flat(s.on.Cells()), KernelsNoiseArgs{
		N: s.on.Cells(), Seed: seed, V: cuda.F32(v), Partial: partial, Scalars: scalars, Ticket: ticket,
	})
}

func (s gpuOperations) Purge(w, v, u ops.Vector, alpha, beta float64) {
	partial, scalars, ticket := s.on.Sums()
	k := s.kernels()
	cuda.Launch(s.on.Space, &k.Purge, cuda.Flat(s.on.Cells()), KernelsPurgeArgs{
		N: s.on.Cells(), Alpha: float32(alpha), Beta: float32(beta), V: cuda.F32(v), U: cuda.F32(u), W: cuda.F32(w),
		Partial: partial, Scalars: scalars, Ticket: ticket,
	})
}
