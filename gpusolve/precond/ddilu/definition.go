package ddilu

import (
	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "ddilu", Doc: "incomplete factors of small bricks or parts, each solved in fast memory",
		Keys: append(Keys(), method.SolverKey()),
		New: func(a ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
			return method.Made(New(a, set))
		},
		Memory: Memory, Most: method.Always32, General: true,
	}
}
