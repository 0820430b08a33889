// Package sparse holds matrices on the host: by diagonals, as a structured grid gives them, and by rows, as anything
// else does.
package sparse

import (
	"fmt"
	"math"
	"slices"
)

// CSR is a square sparse matrix by rows: the entries of row r are those from RowPtr[r] to RowPtr[r+1], their columns
// ascending and different.
type CSR struct {
	RowPtr []int64
	Col    []int32
	Val    []float64
}

func (a *CSR) N() int { return len(a.RowPtr) - 1 }

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

// asymmetryTolerance is how far two entries that mirror each other may differ, relative to the larger: what is left of
// sums in different orders.
const asymmetryTolerance = 1e-10

// Asymmetry is an entry that differs from its mirror image.
type Asymmetry struct {
	Row, Col      int // from 0
	Entry, Mirror float64
}

// Asymmetric finds the entry that differs most from its mirror image, and reports whether it differs by more than
// rounding.
func (a *CSR) Asymmetric() (worst Asymmetry, found bool) {
	greatest := 0.0
	for r := range a.N() {
		cols, vals := a.Row(r)
		for i, c := range cols {
			if int(c) == r {
				continue
			}
			mirror := a.At(int(c), r)
			d, scale := math.Abs(vals[i]-mirror), math.Max(math.Abs(vals[i]), math.Abs(mirror))
			if d > asymmetryTolerance*scale && d > greatest {
				greatest, worst = d, Asymmetry{Row: r, Col: int(c), Entry: vals[i], Mirror: mirror}
			}
		}
	}
	return worst, greatest > 0
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
			return fmt.Errorf("the diagonal entry of row %d is %g: a positive definite matrix has positive ones only. "+
				"Fix: if all are negative, change the sign of A and b", r+1, diagonal[r])
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

// Triplets are entries of a square matrix in any order, rows and columns from 0.
type Triplets struct {
	Row, Col []int32
	Val      []float64
}

// Add appends an entry.
func (t *Triplets) Add(row, col int32, val float64) {
	t.Row, t.Col, t.Val = append(t.Row, row), append(t.Col, col), append(t.Val, val)
}

func (t *Triplets) Len() int { return len(t.Val) }

// FromTriplets makes a matrix of n rows. Entries in the same place are added up, in the order in which they come;
// repeated counts them.
func FromTriplets(n int, t *Triplets) (a *CSR, repeated int, err error) {
	if n < 0 || n > math.MaxInt32 {
		return nil, 0, fmt.Errorf("%d rows; between 0 and %d fit", n, math.MaxInt32)
	}
	for i := range t.Val {
		if r, c := t.Row[i], t.Col[i]; r < 0 || int(r) >= n || c < 0 || int(c) >= n {
			return nil, 0, fmt.Errorf("entry %d lies in row %d and column %d of %d x %d, counted from 0", i, r, c, n, n)
		}
	}
	// Two stable counting sorts, by column and then by row: linear in the entries.
	order := sortBy(n, t.Col, nil)
	order = sortBy(n, t.Row, order)
	a = &CSR{RowPtr: make([]int64, n+1), Col: make([]int32, 0, len(t.Val)), Val: make([]float64, 0, len(t.Val))}
	row := int32(-1)
	for _, i := range order {
		r, c, last := t.Row[i], t.Col[i], len(a.Col)-1
		if r == row && a.Col[last] == c {
			a.Val[last] += t.Val[i]
			repeated++
			continue
		}
		row = r
		a.Col, a.Val = append(a.Col, c), append(a.Val, t.Val[i])
		a.RowPtr[r+1]++
	}
	for r := range n {
		a.RowPtr[r+1] += a.RowPtr[r]
	}
	return a, repeated, nil
}

// sortBy returns the entries, in the given order (nil: as they come), sorted by key without changing the order of equal
// ones.
func sortBy(n int, key []int32, order []int) []int {
	at := make([]int, n+1)
	for _, k := range key {
		at[k+1]++
	}
	for k := range n {
		at[k+1] += at[k]
	}
	sorted := make([]int, len(key))
	for j := range key {
		i := j
		if order != nil {
			i = order[j]
		}
		sorted[at[key[i]]] = i
		at[key[i]]++
	}
	return sorted
}

// DoubleCover is the matrix of twice the size that has no positive off-diagonals and acts on (x, -x) as A does on x.
// With A = D + N + P, its diagonal, its negative and its positive off-diagonals, it is:
//
//	| D + N   -P   |
//	|  -P    D + N |
//
// It is symmetric and diagonally dominant where A is (Gremban 1996).
func (a *CSR) DoubleCover() *CSR {
	n := a.N()
	c := &CSR{RowPtr: make([]int64, 1, 2*n+1), Col: make([]int32, 0, 2*len(a.Col)),
		Val: make([]float64, 0, 2*len(a.Val))}
	for r := range 2 * n {
		cols, vals := a.Row(r % n)
		for half := range 2 {
			for i, col := range cols {
				positive := vals[i] > 0 && int(col) != r%n
				switch own := half == r/n; {
				case own && !positive:
					c.Col, c.Val = append(c.Col, col+int32(half*n)), append(c.Val, vals[i])
				case !own && positive:
					c.Col, c.Val = append(c.Col, col+int32(half*n)), append(c.Val, -vals[i])
				}
			}
		}
		c.RowPtr = append(c.RowPtr, int64(len(c.Col)))
	}
	return c
}
