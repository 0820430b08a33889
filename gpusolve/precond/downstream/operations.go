package downstream

import (
	"fmt"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// operations are those of the method on a system with coolant.
type operations interface {
	streamOperations
	// refresh follows changed coefficients, in the relaxed operator too.
	refresh(relaxed ops.System) error
	// transport adds to z what the coarse operator gives for the residual t.
	transport(z, t ops.Vector)
	// blocks is the number of unknowns of the coarse operator.
	blocks() int
}

// streamOperations are those of the coolant by itself, and of the bound on the error. Vectors are FP64 but for those that the cycle takes and gives, which are
// FP32: r, short and part.
type streamOperations interface {
	// subtract sets t = r - y; a nil y is zero. t may be y.
	subtract(t, r, y ops.Vector)
	// narrow rounds v to FP32.
	narrow(short, v ops.Vector)
	// add adds part to z.
	add(z, part ops.Vector)
	// sweep adds to z the solution of the coolant's own equations for the residual t, which it may overwrite there.
	sweep(z, t ops.Vector)

	// diagonal fills v with that of the operator.
	diagonal(v ops.Vector)
	// dominates says whether the weight is positive and its product with A at least the firm part of the diagonal.
	dominates(product, diagonal, weight ops.Vector) bool
	// scale makes the weight product / max weight.
	scale(weight, product ops.Vector)
	// most is the largest |r|/d.
	most(r, d ops.Vector) float64
	// largest is the largest magnitude of an FP32 vector.
	largest(v ops.Vector) float64
}

// on gives the operations on a system, beside its relaxed operator.
func on(s ops.System) (relaxed ops.System, o operations, err error) {
	if relaxed, o, ok := onHost(s); ok {
		return relaxed, o, nil
	}
	if relaxed, o, ok, err := onGPU(s); ok {
		return relaxed, o, err
	}
	return nil, nil, fmt.Errorf("%w: this device has no operations for stacks with coolant", precond.ErrRefused)
}
