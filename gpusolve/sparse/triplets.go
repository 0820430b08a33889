package sparse

import (
	"fmt"
	"math"
)

// Triplets are entries of a square matrix in any order, rows and columns from 0.
type Triplets struct {
	Row, Col []int32
	Val      []float64
}

// Add appends an entry.
func (t *Triplets) Add(row, col int32, val float64) {
	t.Row, t.Col, t.Val = append(t.Row, row), append(t.Col, col), append(t.Val, val)
}

// Len is the number of entries.
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
