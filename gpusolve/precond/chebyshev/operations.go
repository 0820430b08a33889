package chebyshev

import (
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Operations are those of the Chebyshev iteration and of the Lanczos method that finds its bounds, beside the products
// in mixed precision. The iteration's vectors all have the precision of the matrix product's.
type Operations interface {
	mixed.Operations
	// Start sets rest = c S r and d = rest/theta. c is 1, or with lift a power of two that brings max|d| to [4, 8), as
	// products in FP16 need; it stays on the device for Step. S is 1 in the plain form.
	Start(a mixed.Stored, rest, d, r ops.Vector, theta float64, lift bool)
	// Step does, in one pass,
	//
	//	z += d, rest -= A d, next = Keep d + Gain rest
	//
	// In the first step z counts as zero. The last sets z = S (z + d + next)/c and leaves rest and next undefined.
	Step(a mixed.Stored, entries mixed.Precision, s Recurrence, v Iterate, next ops.Vector)
	// Relax is Step where y = A d has been formed before; d becomes next.
	Relax(a mixed.Stored, s Recurrence, v Iterate, y ops.Vector)

	// Seed fills an FP32 vector with numbers from -1 to 1 that depend on seed and position alone, and sets RR = v.v.
	Seed(v ops.Vector, seed uint32)
	// Purge sets w -= alpha v + beta u and RR = w.w. A nil u counts as zero.
	Purge(w, v, u ops.Vector, alpha, beta float64)
}

// Iterate holds the vectors of an iteration: the sum of the corrections, what is left of the right side, and the next
// correction.
type Iterate struct{ Z, Rest, D ops.Vector }

// Recurrence is a step of the Chebyshev iteration.
type Recurrence struct {
	Keep, Gain  float64
	First, Last bool
}

// On gives the operations of a workspace.
func On(w ops.Workspace) (Operations, error) { return precond.On(w, "chebyshev", onHost, onGPU) }
