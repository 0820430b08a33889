package jacobi

import (
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Operations are those of the diagonal of an operator. Vectors are FP32.
type Operations interface {
	// InverseDiagonal fills d with 1/diag(A), the diagonal summed in FP64.
	InverseDiagonal(d ops.Vector)
	// Scale sets z = d r, or z = r where d is nil.
	Scale(z, d, r ops.Vector)
}

// On gives the operations on an operator.
func On(a ops.Operator) (Operations, error) { return precond.On(a, "jacobi", onHost, onGPU) }

// matrixForms are the forms of an operator that came as a matrix: diagonals, or rows.
func matrixForms(a ops.Operator) (d ops.Diagonals, r ops.Rows, err error) {
	forms, err := ops.FormsOf(a)
	if err != nil {
		return nil, nil, err
	}
	if d, err = forms.Diagonals(); err == nil {
		return d, nil, nil
	}
	r, err = forms.Rows()
	return nil, r, err
}
