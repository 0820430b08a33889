package chebyshev

import (
	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "chebyshev", Doc: "a polynomial of the matrix, in mixed precision (CUTh-Solver)", Keys: Keys(),
		Memory: Memory, Most: mixed.Most,
		New: func(a ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
			return method.Made(New(a, set))
		},
		Solver: mixed.MethodSolver(),
	}
}
