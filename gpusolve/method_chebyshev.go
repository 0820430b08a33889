package gpusolve

import (
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/chebyshev"
	"thermsim/gpusolve/precond/jacobi"
)

// lowPrecision is a preconditioner for a Krylov iteration in mixed precision.
type lowPrecision interface {
	Matrix() mixed.Stored
	Mode() mixed.Mode
}

func newChebyshev(s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	p, err := chebyshev.New(s, set)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// standardPrecision is the solver's own arithmetic, for jacobi and none.
const standardPrecision = "standard"

// pointwiseKeys are the settings of jacobi and none.
func pointwiseKeys() []precond.Key {
	return append([]precond.Key{krylovKey()}, mixed.Keys(standardPrecision, standardPrecision)...)
}

func newJacobi(s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	return newPointwise(s, "jacobi", set, jacobi.New)
}

func newNone(s ops.Operator, set precond.Settings) (precond.Preconditioner, error) {
	return newPointwise(s, "none", set, jacobi.None)
}

func newPointwise(s ops.Operator, name string, set precond.Settings, standard func(ops.Operator) (precond.Preconditioner, error)) (precond.Preconditioner, error) {
	if set.Text("precision") == standardPrecision {
		if set.Given("format") {
			return nil, refusedSetting("format belongs to precision=adaptive or one of the fixed ones; give precision too")
		}
		return standard(s)
	}
	if set.Text("solver") == "bicgstab" {
		return nil, refusedSetting("precision needs conjugate gradients; leave solver=bicgstab away")
	}
	p, err := jacobi.NewMixed(s, name, set)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// mixedSolver is the iteration that belongs to a method in mixed precision, else the one that suits the matrix.
func mixedSolver(s ops.Operator, pre *precond.Method, set precond.Settings) (krylov.Solver, error) {
	if m, ok := pre.Unwrap().(lowPrecision); ok {
		return mixed.NewSolver(s, pre, func() mixed.Stored { return pre.Unwrap().(lowPrecision).Matrix() }, m.Mode())
	}
	return suitableSolver(s, pre, set.Text("solver"))
}

// pointwiseMemory is that of jacobi or none.
func pointwiseMemory(name string) func(precond.Shape, precond.Settings) precond.Need {
	return func(s precond.Shape, set precond.Settings) precond.Need { return jacobi.Memory(s, name, set) }
}

// krylovMemory is what the method's Krylov solver takes.
func (m *method) krylovMemory(s precond.Shape, set precond.Settings) int64 {
	if m.solver != nil {
		if mode, err := mixed.ModeOf(set.Text("precision")); err == nil {
			return mixed.Memory(s, mode)
		}
	}
	if set.Text("solver") == "bicgstab" || !s.Symmetric {
		return krylov.BiCGSTABMemory(s)
	}
	return krylov.PCGMemory(s)
}
