package ddilu

import (
	"runtime"
	"slices"
	"sync"

	"thermsim/gpusolve/sparse"
)

// PartMatrix is a matrix by rows cut into parts, without the couplings between these. Rows are renumbered: part p has
// the rows from First[p] to First[p+1]. All that is said of a part's rows counts from its first one.
type PartMatrix struct {
	First    []int32 // parts + 1
	Row      []int32 // the matrix's row of each renumbered one
	RowPtr   []int64
	Diagonal []int64 // place of each row's entry on the main diagonal
	// entries of L stand before the diagonal one, those of U behind it, in the order of the matrix's rows that they are
	Col []int32
	Val []float64
	// The rest is what sort adds.
	Lower, Upper Triangle
	UpperOrder   []int32 // each part's rows sorted by their levels in U; those of L sort the rows themselves
}

// Triangle is the pattern of L or U beside the unit diagonal, by rows in the order in which solves take them, and its
// levels: a row depends on rows of lower levels alone.
type Triangle struct {
	Ptr []int64
	Col []int32
	// Level[First[p]+l] is where level l of part p begins in the part's order, Level[First[p+1]-1] where the last one
	// ends.
	First, Level []int32
}

// parts is their number.
func (m *PartMatrix) parts() int { return len(m.First) - 1 }

// longest is the number of rows of the largest part.
func (m *PartMatrix) longest() (n int) {
	for p := range m.parts() {
		n = max(n, int(m.First[p+1]-m.First[p]))
	}
	return n
}

// dropped is the share of the couplings of a, of which m was cut out, that lie between parts.
func (m *PartMatrix) dropped(a *sparse.CSR) float64 {
	return float64(a.Entries()-len(m.Col)) / float64(max(1, a.Entries()-a.N()))
}

// cutOut takes the parts out of a matrix, rows in its order. Rows without a diagonal entry are refused.
func cutOut(a *sparse.CSR, part []int32, parts int) (*PartMatrix, error) {
	n := a.N()
	m := &PartMatrix{First: make([]int32, parts+1), Row: make([]int32, n), RowPtr: make([]int64, n+1),
		Diagonal: make([]int64, n)}
	for _, p := range part {
		m.First[p+1]++
	}
	for p := range parts {
		m.First[p+1] += m.First[p]
	}
	position, next := make([]int32, n), append([]int32(nil), m.First...)
	for r, p := range part {
		position[r] = next[p]
		m.Row[next[p]] = int32(r)
		next[p]++
	}
	abreast(n, func(i int) {
		r := m.Row[i]
		cols, _ := a.Row(int(r))
		for _, c := range cols {
			if part[c] == part[r] {
				m.RowPtr[i+1]++
			}
		}
	})
	for i := range n {
		m.RowPtr[i+1] += m.RowPtr[i]
	}
	m.Col, m.Val = make([]int32, m.RowPtr[n]), make([]float64, m.RowPtr[n])
	abreast(n, func(i int) {
		r, at := m.Row[i], m.RowPtr[i]
		m.Diagonal[i] = -1
		cols, vals := a.Row(int(r))
		for e, c := range cols {
			if part[c] != part[r] {
				continue
			}
			if c == r {
				m.Diagonal[i] = at
			}
			m.Col[at], m.Val[at] = position[c]-m.First[part[c]], vals[e]
			at++
		}
	})
	bad := -1
	for i, at := range m.Diagonal {
		if r := int(m.Row[i]); at < 0 && (bad < 0 || r < bad) {
			bad = r
		}
	}
	if bad >= 0 {
		return nil, &BadPivot{Row: bad}
	}
	return m, nil
}

// abreast calls f for 0 to n-1 on all processors.
func abreast(n int, f func(i int)) {
	var wait sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wait.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				f(i)
			}
		})
	}
	wait.Wait()
}

// sorted renumbers the rows of each part by their levels in L, and adds the triangles. Levels are those of m's rows.
func (m *PartMatrix) sorted(lower, upper []int32) *PartMatrix {
	n := len(m.Row)
	s := &PartMatrix{First: m.First, Row: make([]int32, n), RowPtr: make([]int64, n+1), Diagonal: make([]int64, n),
		Col: make([]int32, len(m.Col)), Val: make([]float64, len(m.Val))}
	order, number := make([]int32, n), make([]int32, n) // of each part
	s.Lower.First, s.Lower.Level = sortParts(m.First, lower, order)
	above := make([]int32, n)
	abreast(m.parts(), func(p int) {
		first := m.First[p]
		for at := first; at < m.First[p+1]; at++ {
			number[first+order[at]] = at - first
		}
		to := m.RowPtr[first]
		for at := first; at < m.First[p+1]; at++ {
			from := first + order[at]
			s.Row[at], above[at] = m.Row[from], upper[from]
			s.Diagonal[at] = to + m.Diagonal[from] - m.RowPtr[from]
			for e := m.RowPtr[from]; e < m.RowPtr[from+1]; e++ {
				s.Col[to], s.Val[to] = number[first+m.Col[e]], m.Val[e]
				to++
			}
			s.RowPtr[at+1] = to
		}
	})
	s.UpperOrder = make([]int32, n)
	s.Upper.First, s.Upper.Level = sortParts(m.First, above, s.UpperOrder)
	s.Lower.fill(s, nil)
	s.Upper.fill(s, s.UpperOrder)
	return s
}

// sortParts sorts the rows of each part by level, those of a level in their order, and returns where levels begin.
func sortParts(first, level, order []int32) (firsts, begins []int32) {
	parts := len(first) - 1
	begin := make([][]int32, parts)
	abreast(parts, func(p int) {
		own := level[first[p]:first[p+1]]
		count := make([]int32, slices.Max(own)+2)
		for _, l := range own {
			count[l+1]++
		}
		for l := range len(count) - 1 {
			count[l+1] += count[l]
		}
		begin[p] = slices.Clone(count)
		for i, l := range own {
			order[first[p]+count[l]] = int32(i)
			count[l]++
		}
	})
	firsts = make([]int32, parts+1)
	for p, b := range begin {
		firsts[p+1] = firsts[p] + int32(len(b))
	}
	return firsts, slices.Concat(begin...)
}

// fill adds the pattern: of L by rows, of U by the rows in an order.
func (t *Triangle) fill(m *PartMatrix, order []int32) {
	t.Ptr = make([]int64, len(m.Row)+1)
	abreast(m.parts(), func(p int) {
		for at := m.First[p]; at < m.First[p+1]; at++ {
			lo, hi := m.span(p, at, order)
			t.Ptr[at+1] = hi - lo
		}
	})
	for at := range len(m.Row) {
		t.Ptr[at+1] += t.Ptr[at]
	}
	t.Col = make([]int32, t.Ptr[len(m.Row)])
	abreast(m.parts(), func(p int) {
		for at := m.First[p]; at < m.First[p+1]; at++ {
			lo, hi := m.span(p, at, order)
			copy(t.Col[t.Ptr[at]:], m.Col[lo:hi])
		}
	})
}

// span is where the entries of L in a row stand, or where order is given those of U in the row that it has there.
func (m *PartMatrix) span(p int, at int32, order []int32) (lo, hi int64) {
	if order == nil {
		return m.RowPtr[at], m.Diagonal[at]
	}
	row := m.First[p] + order[at]
	return m.Diagonal[row] + 1, m.RowPtr[row+1]
}

// owners is the row of each entry of a triangle.
func (t *Triangle) owners(m *PartMatrix, order []int32) []int32 {
	all := make([]int32, 0, len(t.Col))
	for p := range m.parts() {
		for at := m.First[p]; at < m.First[p+1]; at++ {
			own := at - m.First[p]
			if order != nil {
				own = order[at]
			}
			for range t.Ptr[at+1] - t.Ptr[at] {
				all = append(all, own)
			}
		}
	}
	return all
}
