package jacobi

import (
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/precond"
)

// Memory is the inverse diagonal, and in mixed precision the copies of the matrix.
func Memory(s precond.Shape, name string, set precond.Settings) precond.Need {
	var n precond.Need
	if mode, err := krylov.ModeOf(set.Text("precision")); err == nil {
		n = krylov.StoreMemory(s, set.Text("format"), mode.Copies())
	}
	if name != "none" {
		n.Held += s.Vector(4)
	}
	n.SetUp = max(n.SetUp, n.Held)
	return n
}
