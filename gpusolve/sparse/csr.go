// Package sparse holds matrices on the host: by diagonals, as a structured grid gives them, and by rows, as anything
// else does.
package sparse

import "slices"

// CSR is a square sparse matrix by rows: the entries of row r are those from RowPtr[r] to RowPtr[r+1], their columns
// ascending and different.
type CSR struct {
	RowPtr []int64
	Col    []int32
	Val    []float64
}

// N is the number of rows.
func (a *CSR) N() int { return len(a.RowPtr) - 1 }

// Entries is the number of stored entries.
func (a *CSR) Entries() int { return len(a.Col) }

// Row returns the columns and values of row r.
func (a *CSR) Row(r int) ([]int32, []float64) {
	lo, hi := a.RowPtr[r], a.RowPtr[r+1]
	return a.Col[lo:hi], a.Val[lo:hi]
}

// Multiply sets y = A x, each row summed in the order of its columns.
func (a *CSR) Multiply(y, x []float64) {
	for r := range a.N() {
		cols, vals := a.Row(r)
		sum := 0.0
		for i, c := range cols {
			sum += vals[i] * x[c]
		}
		y[r] = sum
	}
}

// At returns the entry in row r and column c, 0 where none is stored.
func (a *CSR) At(r, c int) float64 {
	cols, vals := a.Row(r)
	if i, found := slices.BinarySearch(cols, int32(c)); found {
		return vals[i]
	}
	return 0
}
