package ilu_test

import "thermsim/gpusolve/sparse"

// rowFactor is L and D U by rows.
type rowFactor struct {
	lower []map[int]float64 // columns below the diagonal
	upper []map[int]float64 // columns above it
	pivot []float64
}

// eliminate is incomplete elimination with levels of fill, row by row, as in Y. Saad, Iterative Methods for Sparse
// Linear Systems (2nd edition, 2003), algorithm 10.6. It knows nothing of grids, nor of symmetry.
func eliminate(a *sparse.CSR, order int, shift float64) *rowFactor {
	n := a.N()
	type entry struct {
		value float64
		level int
	}
	upper := make([]map[int]entry, n)
	out := &rowFactor{lower: make([]map[int]float64, n), upper: make([]map[int]float64, n), pivot: make([]float64, n)}
	for i := range n {
		row := map[int]entry{}
		cols, vals := a.Row(i)
		for at, c := range cols {
			row[int(c)] = entry{value: vals[at]}
		}
		row[i] = entry{value: (1 + shift) * row[i].value}
		for {
			k, level := -1, 0
			for c, e := range row { // the next column to eliminate
				if _, done := out.lower[i][c]; !done && c < i && e.level <= order && (k < 0 || c < k) {
					k, level = c, e.level
				}
			}
			if k < 0 {
				break
			}
			if out.lower[i] == nil {
				out.lower[i] = map[int]float64{}
			}
			l := row[k].value / out.pivot[k]
			out.lower[i][k] = l
			for c, e := range upper[k] {
				fill := level + e.level + 1
				old, present := row[c]
				if present {
					fill = min(fill, old.level)
				}
				row[c] = entry{old.value - l*e.value, fill} // entries of too high a level go when the row is done
			}
		}
		out.pivot[i] = row[i].value
		upper[i], out.upper[i] = map[int]entry{}, map[int]float64{}
		for c, e := range row {
			if c > i && e.level <= order {
				upper[i][c], out.upper[i][c] = e, e.value
			}
		}
	}
	return out
}

// solve returns (L D U)^-1 r.
func (f *rowFactor) solve(r []float64) []float64 {
	x := append([]float64(nil), r...)
	for i, row := range f.lower {
		for c, l := range row {
			x[i] -= l * x[c]
		}
	}
	for i := len(x) - 1; i >= 0; i-- {
		for c, u := range f.upper[i] {
			x[i] -= u * x[c]
		}
		x[i] /= f.pivot[i]
	}
	return x
}
