package cmg

import (
	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "cmg", Doc: "combinatorial multigrid, for any symmetric diagonally dominant matrix", Keys: Keys(),
		New: newMethod, Memory: Memory, Most: method.Always32,
	}
}

func newMethod(a ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	o, err := FromSettings(set)
	if err != nil {
		return nil, err
	}
	return method.Made(New(a, o))
}
