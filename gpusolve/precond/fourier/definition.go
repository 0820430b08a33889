package fourier

import (
	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Definition of the method as a preconditioner. Where it solves alone, package gpusolve runs it without one.
func Definition() method.Definition {
	return method.Definition{
		Name: "fourier", Doc: "a direct solver for uniform layers, and for others a preconditioner of their means",
		Keys: []precond.Key{method.SolverKey()},
		New: func(a ops.Operator, _ precond.Settings) (precond.Preconditioner, error) {
			return method.Made(NewPreconditioner(a))
		},
		Memory: Memory,
	}
}
