package parac

import "thermsim/gpusolve/krylov/method"

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{
		Name: "parac", Doc: "randomised approximate Cholesky, for symmetric diagonally dominant matrices", Keys: Keys(),
		New: New, Memory: Memory, Most: method.Always32,
	}
}
