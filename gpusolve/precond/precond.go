// Package precond defines what a preconditioner is; each method lives in a package below.
package precond

import "thermsim/gpusolve/ops"

// Preconditioner applies a fixed symmetric positive definite approximation of the inverse of A.
type Preconditioner interface {
	Name() string
	// Details says what the method chose by itself, in a few words.
	Details() string
	// Apply sets z = M^-1 r for FP32 vectors of the system.
	Apply(z, r ops.Vector)
}
