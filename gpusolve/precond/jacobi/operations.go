package jacobi

import (
	"errors"

	"thermsim/gpusolve/ops"
)

// Operations are those of the diagonal of an operator. Vectors are FP32.
type Operations interface {
	// InverseDiagonal fills d with 1/diag(A), the diagonal summed in FP64.
	InverseDiagonal(d ops.Vector)
	// Scale sets z = d r, or z = r where d is nil.
	Scale(z, d, r ops.Vector)
}

// On gives the operations on an operator.
func On(a ops.Operator) (Operations, error) {
	if o, ok, err := onHost(a); ok {
		return o, err
	}
	if o, ok, err := onGPU(a); ok {
		return o, err
	}
	return nil, errors.New("this device has no operations on the diagonal")
}

// matrixForms are the forms of an operator that came as a matrix: diagonals, or rows.
func matrixForms(a ops.Operator) (d ops.Diagonals, r ops.Rows, err error) {
	forms, ok := a.(ops.Forms)
	if !ok {
		return nil, nil, errors.New("this device does not tell the entries of the matrix")
	}
	if d, err = forms.Diagonals(); err == nil {
		return d, nil, nil
	}
	r, err = forms.Rows()
	return nil, r, err
}
