package downstream

import (
	"fmt"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// operations are those of the bound on a system with coolant. Vectors are FP64 but where it is said.
type operations interface {
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

// firm is the part of the diagonal that A w must reach everywhere.
const firm = 0.5

// on gives the operations on a system.
func on(s ops.System) (operations, error) {
	if o, ok := onHost(s); ok {
		return o, nil
	}
	if o, ok, err := onGPU(s); ok {
		return o, err
	}
	return nil, fmt.Errorf("%w: this device has no operations for stacks with coolant", precond.ErrRefused)
}
