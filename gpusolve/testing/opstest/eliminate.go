package opstest

import (
	"math"

	"thermsim/gpusolve/sparse"
)

// Eliminate solves with a dense copy, by elimination with pivots.
func Eliminate(a *sparse.CSR, b []float64) []float64 {
	n := a.N()
	m := make([][]float64, n)
	for r := range m {
		m[r] = make([]float64, n+1)
		cols, vals := a.Row(r)
		for i, c := range cols {
			m[r][c] = vals[i]
		}
		m[r][n] = b[r]
	}
	for k := range n {
		pivot := k
		for r := k + 1; r < n; r++ {
			if math.Abs(m[r][k]) > math.Abs(m[pivot][k]) {
				pivot = r
			}
		}
		m[k], m[pivot] = m[pivot], m[k]
		for r := k + 1; r < n; r++ {
			f := m[r][k] / m[k][k]
			for c := k; c <= n; c++ {
				m[r][c] -= f * m[k][c]
			}
		}
	}
	x := make([]float64, n)
	for r := n - 1; r >= 0; r-- {
		x[r] = m[r][n]
		for c := r + 1; c < n; c++ {
			x[r] -= m[r][c] * x[c]
		}
		x[r] /= m[r][r]
	}
	return x
}
