package jacobi

import (
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/precond"
)

// Memory is the inverse diagonal, and in mixed precision the copies of the matrix.
func Memory(s precond.Shape, name string, set precond.Settings) precond.Need {
	var n precond.Need
	if mode, err := mixed.ModeOf(set.Text("precision")); err == nil {
		n = mixed.StoreMemory(s, set.Text("format"), mode.Copies())
	}
	if name != "none" {
		n.Held += s.Vector(4)
	}
	n.SetUp = max(n.SetUp, n.Held)
	return n
}
