package mixed

import (
	"fmt"
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// Formats of the matrix that Solver and its preconditioners multiply with.
const (
	QuadDiag = "quaddiag"
	RowWise  = "csr"
)

// Keys are the settings of methods that Solver solves with; standard is the default mode.
func Keys(standard string, more ...string) []precond.Key {
	return []precond.Key{
		{Name: "precision", Kind: precond.Word, Default: standard, Words: append(more, Modes()...),
			Doc: "Precisions of the solve; the fixed ones are for comparison."},
		{Name: "format", Kind: precond.Word, Default: QuadDiag, Words: []string{QuadDiag, RowWise},
			Doc: "Storage of the matrix; csr, for comparison and for matrices without a grid, has no FP16."},
	}
}

// Most is how many unknowns methods take with their settings: the columns of rows are numbers of 32 bits.
func Most(set precond.Settings) int64 {
	if set.Text("format") == RowWise {
		return math.MaxInt32
	}
	return 0
}

// Store makes copies of a system's matrix in a format. A matrix that has no such copies is refused.
func Store(s ops.Operator, sys Operations, format string, c Copies) (Stored, error) {
	forms, err := ops.FormsOf(s)
	if err != nil {
		return nil, err
	}
	if format == RowWise {
		if c.Half || c.Scaled {
			return nil, fmt.Errorf("%w: format=csr has neither FP16 nor the scaled form; take format=quaddiag",
				precond.ErrRefused)
		}
		if !s.Symmetric() {
			return nil, fmt.Errorf("%w: conjugate gradients need a symmetric matrix, and this one is not",
				precond.ErrRefused)
		}
		r, err := forms.Rows() // stays: its FP64 entries are multiplied with
		if err != nil {
			return nil, err
		}
		return sys.StoreRows(r, c)
	}
	d, err := forms.Diagonals()
	if err != nil {
		return nil, refused(s, fmt.Errorf("%w, or format=csr", err))
	}
	defer d.Release()
	m, err := sys.StoreDiagonals(d, c)
	return m, refused(s, err)
}

// refused marks an error that is the matrix's fault and not the device's.
func refused(s ops.Operator, err error) error {
	if err == nil || s.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: %w", precond.ErrRefused, err)
}
