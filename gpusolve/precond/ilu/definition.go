package ilu

import (
	"thermsim/gpusolve/krylov/method"
	"thermsim/gpusolve/precond"
)

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "ilu", Doc: "incomplete LU factors of grids' matrices, symmetric or not",
		Keys: append(Keys(), method.SolverKey()), New: New, Memory: Memory, Most: method.Always32, General: true,
	}
}

// DefinitionOfCholesky is that of ic, the same factors for conjugate gradients, which need a symmetric matrix and
// positive pivots.
func DefinitionOfCholesky() method.Definition {
	return method.Definition{Name: "ic", Doc: "incomplete Cholesky factors of grids' matrices", Keys: Keys(),
		New: NewCholesky, Memory: Memory, Most: method.Always32}
}

// Keys are the settings of both.
func Keys() []precond.Key {
	return []precond.Key{
		{Name: "order", Kind: precond.Integer, Default: "1", Min: 0, Max: 1, Doc: "level of fill: 0 keeps the " +
			"matrix's own pattern, 1 adds six diagonals"},
		{Name: "shift", Kind: precond.Number, Default: "0", Min: 0, Max: 10, Doc: "share of the diagonal that is " +
			"added before the factorisation"},
		{Name: "precision", Kind: precond.Word, Default: "fp32", Words: []string{"fp32", "fp64"},
			Doc: "of the factor and of the arithmetic of its solves"},
		{Name: "form", Kind: precond.Word, Default: "tiles", Words: forms,
			Doc: "for comparison on a GPU, in FP32: tiles with a message at every level, with two groups of threads " +
				"a row, in natural order, or a launch for each level"},
	}
}
