package ic

import "thermsim/gpusolve/method"

// Definition of the method.
func Definition() method.Definition {
	return method.Definition{Name: "ic", Doc: "incomplete Cholesky factors of grids' matrices", Keys: Keys(), New: New, Memory: Memory}
}
