package sparse

import (
	"fmt"
	"math"
)

// asymmetryTolerance is how far two entries that mirror each other may differ, relative to the larger: what is left of
// sums in different orders.
const asymmetryTolerance = 1e-10

// Asymmetry is an entry that differs from its mirror image.
type Asymmetry struct {
	Row, Col      int // from 0
	Entry, Mirror float64
	Share         float64 // of entries that differ
}

// Asymmetric finds the entry that differs most from its mirror image, and reports whether it differs by more than
// rounding.
func (a *CSR) Asymmetric() (worst Asymmetry, found bool) {
	differing, greatest := 0, 0.0
	for r := range a.N() {
		cols, vals := a.Row(r)
		for i, c := range cols {
			if int(c) == r {
				continue
			}
			mirror := a.At(int(c), r)
			d, scale := math.Abs(vals[i]-mirror), math.Max(math.Abs(vals[i]), math.Abs(mirror))
			if !(d > asymmetryTolerance*scale) {
				continue
			}
			differing++
			if d > greatest {
				greatest, worst = d, Asymmetry{Row: r, Col: int(c), Entry: vals[i], Mirror: mirror}
			}
		}
	}
	worst.Share = float64(differing) / math.Max(1, float64(a.Entries()))
	return worst, differing > 0
}

// CheckStructure refuses arrays that are no matrix by rows: every other method here, and every device, relies on what
// it finds.
func (a *CSR) CheckStructure() error {
	n := a.N()
	if n > math.MaxInt32 {
		return fmt.Errorf("%d rows; up to %d fit", n, math.MaxInt32)
	}
	if a.RowPtr[0] != 0 || a.RowPtr[n] != int64(len(a.Col)) || len(a.Col) != len(a.Val) {
		return fmt.Errorf("row pointers go from %d to %d for %d columns and %d values; they must go from 0 to the "+
			"number of both",
			a.RowPtr[0], a.RowPtr[n], len(a.Col), len(a.Val))
	}
	for r := range n {
		lo, hi := a.RowPtr[r], a.RowPtr[r+1]
		if hi < lo || hi > int64(len(a.Col)) {
			return fmt.Errorf("row %d begins at entry %d and ends before entry %d of %d; row pointers must not descend",
				r+1, lo, hi, len(a.Col))
		}
		for i, c := range a.Col[lo:hi] {
			if c < 0 || int(c) >= n || i > 0 && c <= a.Col[lo+int64(i)-1] {
				return fmt.Errorf("row %d has column %d (counted from 0) in place %d; columns must ascend from 0 to "+
					"%d, each once", r+1, c, i+1, n-1)
			}
		}
	}
	return nil
}

// CheckFinite refuses entries that are not numbers.
func (a *CSR) CheckFinite() error {
	for r := range a.N() {
		cols, vals := a.Row(r)
		for i, v := range vals {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("entry (%d, %d) is %g; every entry must be a finite number", r+1, cols[i]+1, v)
			}
		}
	}
	return nil
}

// CheckDiagonal refuses a diagonal with entries that are missing or zero, which no method here can divide by.
func (a *CSR) CheckDiagonal() error {
	for r := range a.N() {
		if a.At(r, r) == 0 {
			return fmt.Errorf("the diagonal entry of row %d is missing or zero; the solvers here divide by "+
				"the diagonal", r+1)
		}
	}
	return nil
}

// CheckDefinite refuses a symmetric matrix that shows that it is not positive definite: an entry of the diagonal that
// is not positive, or an entry a_ij with a_ij^2 >= a_ii a_jj. What passes may still be indefinite; then conjugate
// gradients break down.
func (a *CSR) CheckDefinite() error {
	n := a.N()
	diagonal := make([]float64, n)
	for r := range n {
		diagonal[r] = a.At(r, r)
		if !(diagonal[r] > 0) {
			return fmt.Errorf("the diagonal entry of row %d is %g: a positive definite matrix has positive ones only; "+
				"if all are negative, change the sign of A and b", r+1, diagonal[r])
		}
	}
	for r := range n {
		cols, vals := a.Row(r)
		for i, c := range cols {
			if int(c) > r && math.Abs(vals[i]) >= math.Sqrt(diagonal[r])*math.Sqrt(diagonal[c]) {
				return fmt.Errorf("entry (%d, %d) = %g is too large beside the diagonal entries %g and %g: the "+
					"matrix is not positive definite",
					r+1, c+1, vals[i], diagonal[r], diagonal[c])
			}
		}
	}
	return nil
}

// Dominant says whether every diagonal entry is at least the sum of the sizes of its row's others, to rounding.
func (a *CSR) Dominant() bool {
	for r := range a.N() {
		cols, vals := a.Row(r)
		diagonal, others := 0.0, 0.0
		for i, v := range vals {
			if int(cols[i]) == r {
				diagonal = v
			} else {
				others += math.Abs(v)
			}
		}
		if !(others <= diagonal*(1+1e-9)) {
			return false
		}
	}
	return true
}
