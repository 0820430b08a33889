package ops

import "thermsim/gpusolve/sparse"

// Forms is a Space that lays its matrix out on the device for methods that build on entries rather than on couplings. Diagonals are summed in
// FP64. A form lives until Release, or until its Space is freed.
type Forms interface {
	// Diagonals fails where the matrix has entries beside the seven diagonals of a grid.
	Diagonals() (Diagonals, error)
	Rows() (Rows, error)
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
