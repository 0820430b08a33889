package method

import (
	"fmt"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// SolverKey chooses the Krylov method where Suitable makes it.
func SolverKey() precond.Key {
	return precond.Key{Name: "solver", Kind: precond.Word, Default: "auto", Words: []string{"auto", "pcg", "bicgstab"},
		Doc: "the Krylov method: conjugate gradients for symmetric matrices, BiCGSTAB for others, or one of the " +
			"two by name"}
}

// Suitable is the Krylov method that SolverKey names, or the one that suits the matrix.
func Suitable() Solver { return Solver{New: suitable, Memory: suitableMemory} }

func suitable(a ops.Operator, m *precond.Instance, set precond.Settings) (krylov.Solver, error) {
	name := set.Text("solver")
	if name == "pcg" && !a.Symmetric() {
		return nil, fmt.Errorf("%w: conjugate gradients need a symmetric matrix, and this one is not; leave "+
			"solver=pcg away", precond.ErrRefused)
	}
	if name == "bicgstab" || !a.Symmetric() {
		return krylov.NewBiCGSTAB(a, m)
	}
	return krylov.NewPCG(a, m)
}

func suitableMemory(s precond.Shape, set precond.Settings) int64 {
	if set.Text("solver") == "bicgstab" || !s.Symmetric {
		return krylov.BiCGSTABMemory(s)
	}
	return krylov.PCGMemory(s)
}
