package mixed

import (
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// LowPrecision is a preconditioner for Solver.
type LowPrecision interface {
	precond.Preconditioner
	// Matrix holds Mode().Copies() of A.
	Matrix() Stored
	// Mode is the iteration's.
	Mode() Mode
}

// MethodSolver is Solver where the method's preconditioner is a LowPrecision, else the Krylov method that suits the
// matrix.
func MethodSolver() method.Solver { return method.Solver{New: newMethodSolver, Memory: methodMemory} }

func newMethodSolver(a ops.Operator, m *precond.Instance, set precond.Settings) (krylov.Solver, error) {
	if low, ok := m.Unwrap().(LowPrecision); ok {
		return NewSolver(a, m, func() Stored { return m.Unwrap().(LowPrecision).Matrix() }, low.Mode())
	}
	return method.Suitable().New(a, m, set)
}

func methodMemory(s precond.Shape, set precond.Settings) int64 {
	if mode, err := ModeOf(set.Text("precision")); err == nil {
		return Memory(s, mode)
	}
	return method.Suitable().Memory(s, set)
}
