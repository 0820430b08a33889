package ops

import (
	"errors"

	"thermsim/gpusolve/sparse"
)

// Forms is a Space that lays its matrix out on the device for methods that build on entries rather than on couplings.
// Diagonals are summed in FP64. A form lives until Release, or until its Space is freed.
type Forms interface {
	// Diagonals fails where the matrix has entries beside the seven diagonals of a grid.
	Diagonals() (Diagonals, error)
	Rows() (Rows, error)
}

// FormsOf are those of an operator.
func FormsOf(a Operator) (Forms, error) {
	if forms, ok := a.(Forms); ok {
		return forms, nil
	}
	return nil, errors.New("this device does not tell the entries of the matrix")
}

// Near is a Space whose matrix may have entries beside the seven diagonals of a grid that a preconditioner can do
// without.
type Near interface {
	// NearDiagonals are the seven diagonals alone, the main one as it is in the matrix, and the number of entries
	// beside them.
	NearDiagonals() (d Diagonals, beside int64, err error)
}

// NearDiagonals are the seven diagonals of the operator's matrix for a preconditioner: those of Near where the operator
// offers it, else those of Forms, and the number of entries that they leave out.
func NearDiagonals(a Operator) (d Diagonals, beside int64, err error) {
	if near, ok := a.(Near); ok {
		return near.NearDiagonals()
	}
	forms, err := FormsOf(a)
	if err != nil {
		return nil, 0, err
	}
	d, err = forms.Diagonals()
	return d, 0, err
}

// Diagonals is a matrix on a device in the form of sparse.Diagonals, FP64.
type Diagonals interface {
	Shape() (nx, ny, nz int)
	Symmetric() bool
	// Download copies it to the host, for set-ups that work there. It must not be changed.
	Download() *sparse.Diagonals
	Release()
}

// Rows is a matrix on a device in the form of sparse.CSR: row pointers of 64 bits, columns of 32, values FP64.
type Rows interface {
	Len() int       // rows
	Entries() int64 // stored entries
	// Download copies it to the host, for set-ups that work there. It must not be changed.
	Download() *sparse.CSR
	Release()
}
