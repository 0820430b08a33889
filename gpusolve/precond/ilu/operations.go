package ilu

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Factorise computes A + Shift diag(A) ~ L D U in FP64 where the operator s lives, a being its matrix or another of the
// same shape. L and U have unit diagonals, D is diagonal, and L and U have entries for level Order of fill alone; U is
// L^T where A is symmetric. Elimination is in natural order, whatever the order in which an executor does it. A *Misfit
// error says which cell stands in the way.
//
// Order 0 is the star of the matrix itself. Order 1 adds what elimination of the star's neighbours fills in: the
// diamond of 13 points. The pattern is that of the grid: couplings that happen to be zero count as entries.
func Factorise(s ops.Operator, a ops.Diagonals, how Options) (Factor, error) {
	on, err := precond.On(s, "ilu", onHost, onGPU)
	if err != nil {
		return nil, err
	}
	return on.factorise(a, how)
}

// operations are those of the method where an operator lives.
type operations interface {
	factorise(a ops.Diagonals, how Options) (Factor, error)
}
