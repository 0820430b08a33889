package multigrid

import (
	"fmt"

	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "multigrid", Doc: "geometric multigrid for layered stacks", Keys: []precond.Key{method.SolverKey()},
		New: func(a ops.Operator, _ precond.Settings) (precond.Preconditioner, error) {
			return method.Made(onStack(a))
		},
		Memory: func(s precond.Shape, _ precond.Settings) precond.Need { return Memory(s) },
	}
}

// onStack refuses operators without geometry.
func onStack(a ops.Operator) (*Cycle, error) {
	s, ok := a.(ops.System)
	if !ok {
		return nil, fmt.Errorf("%w: multigrid needs the geometry of a stack, and a matrix has none; choose another "+
			"preconditioner", precond.ErrRefused)
	}
	return New(s)
}
