package ddilu

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// operations are those of the method where an operator lives.
type operations interface {
	// brickRows is the number of rows of a brick that suits the device: several blocks' vectors and factors in its fast
	// memory at a time.
	brickRows(double bool) int
	// factorBricks factors the matrix of a grid. A pivot that is not positive, or zero where d is not symmetric, is a
	// *BadPivot.
	factorBricks(d ops.Diagonals, c Cut) (Factor, error)
	// levels finds the levels of a cut matrix's rows in L and in U; rows stand in the matrix's order.
	levels(m *PartMatrix) (lower, upper []int32, err error)
	// factorParts factors a cut matrix whose rows are sorted, which it may change. A pivot that cannot be used is a
	// *BadPivot.
	factorParts(m *PartMatrix, how PartOptions) (Factor, error)
}

// on finds the operations on an operator.
func on(s ops.Operator) (operations, error) { return precond.On(s, "ddilu", onHost, onGPU) }
