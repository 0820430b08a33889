package downstream

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// operations are those of the method on a system with coolant. Vectors are FP64, but those that the cycle takes and
// gives are FP32: r, short and part.
type operations interface {
	// factor takes what follows changed coefficients from the operator again.
	factor() error
	// residual sets t = r - y; a nil y is zero. t may be y.
	residual(t, r, y ops.Vector)
	// narrow rounds v to FP32.
	narrow(short, v ops.Vector)
	// add adds part to z.
	add(z, part ops.Vector)
	// sweep adds to z the solution of the equations of coolant with central differences for the residual t, which it
	// may overwrite there.
	sweep(z, t ops.Vector)

	// diagonal fills v with that of the operator.
	diagonal(v ops.Vector)
	// raised sets the FP32 vector to |r| + share d.
	raised(to, r, d ops.Vector, share float64)
	// dominates says whether the weight and its product with A are positive, and the product at least share of d.
	dominates(product, d, weight ops.Vector, share float64) bool
	// scale sets d to product / max weight. d may be product.
	scale(d, weight, product ops.Vector)
	// most is the largest |r|/d.
	most(r, d ops.Vector) float64
	// largest is the largest magnitude of an FP32 vector.
	largest(v ops.Vector) float64
}

// firm is the part of the diagonal that A w must reach everywhere.
const firm = 0.5

// on gives the operations on a system.
func on(s ops.System) (operations, error) { return precond.On(s, "stacks with coolant", onHost, onGPU) }
