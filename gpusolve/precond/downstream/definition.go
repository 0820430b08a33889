package downstream

import (
	"fmt"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/multigrid"
)

// Definition of the method: multigrid, as users know it, for stacks with coolant.
func Definition() method.Definition {
	d := multigrid.Definition()
	d.New = func(a ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
		s, ok := a.(ops.System)
		if !ok {
			return nil, fmt.Errorf("%w: coolant needs the geometry of a stack", precond.ErrRefused)
		}
		if set.Text("solver") == "pcg" {
			return nil, fmt.Errorf("%w: conjugate gradients need a symmetric matrix, and coolant makes it lose its "+
				"symmetry; leave solver=pcg away", precond.ErrRefused)
		}
		return method.Made(New(s))
	}
	d.Memory = func(s precond.Shape, _ precond.Settings) precond.Need { return memory(s) }
	d.General = true
	d.Solver = method.Solver{
		New: func(a ops.Operator, m *precond.Instance, _ precond.Settings) (krylov.Solver, error) {
			return newSolver(a.(ops.System), m)
		},
		Memory: func(s precond.Shape, _ precond.Settings) int64 { return krylov.BiCGSTABMemory(s) + s.Vector(3*8+4) },
	}
	return d
}

// memory adds to multigrid, whose levels count coolant, what central differences take: vectors around the cycle, and
// factors of lines.
func memory(s precond.Shape) precond.Need {
	n := multigrid.Memory(s)
	if s.Mesh == nil {
		return n
	}
	more := int64(0)
	for _, c := range s.Mesh.Cavities {
		if c.Of.Central {
			more = max(more, s.Vector(2*8+2*4)) + 3*8*s.Sheet()
		}
	}
	n.SetUp += more
	n.Held += more
	return n
}
