package host

import (
	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
)

// Nearest sets x to the combination of states that is closest to the solution in the norm of A: A times it has the same
// products with the states as b. The states are padded as vectors are.
func (s *system) Nearest(x ops.Vector, b ops.Source, states [][]float32) {
	m := len(states)
	sums := m * (m + 3) / 2
	partial := make([]float64, s.ny*sums) // by row: for each state its product with b, then with A times those up to it
	s.rows(loop(func(lo, hi, worker int) {
		row, zero := s.Scratch(worker).Doubles(s.nx), s.Scratch(worker).Floats(s.nx)
		clear(zero)
		for j := lo; j < hi; j++ {
			for k := range s.nz {
				c := s.pad + k*s.sheet + j*s.nx
				at := partial[j*sums:]
				b.(*source).heat(row, k, j)
				for n, v := range states {
					at[n] += simd.Dot(v[c:c+s.nx], row)
				}
				at = at[m:]
				for n, v := range states {
					flow(s, row, v, k, j, zero)
					for i, u := range states[:n+1] {
						at[i] += simd.Dot(u[c:c+s.nx], row)
					}
					at = at[n+1:]
				}
			}
		}
	}))
	total := make([]float64, sums)
	for n, v := range partial {
		total[n%sums] += v
	}
	weights := weigh(total[:m], total[m:])
	to := x.(*vec64).buf
	s.rows(loop(func(lo, hi, _ int) {
		for k := range s.nz {
			first := s.pad + k*s.sheet
			row := to[first+lo*s.nx : first+hi*s.nx]
			clear(row)
			for n, w := range weights {
				for i, v := range states[n][first+lo*s.nx:][:len(row)] {
					row[i] += w * float64(v)
				}
			}
		}
	}))
}

// weigh solves the equations of a symmetric, positive matrix, given by the rows of its lower half, which it overwrites.
// States that those before give anyway get no weight.
func weigh(b, lower []float64) []float64 {
	const alike = 1e-12
	rows := make([][]float64, len(b))
	for n := range rows {
		rows[n], lower = lower[:n+1], lower[n+1:]
		whole := rows[n][n]
		for k, pivot := range rows[:n] {
			for i := k + 1; i <= n && pivot[k] > 0; i++ {
				rows[n][i] -= rows[n][k] * rows[i][k] / pivot[k]
			}
		}
		if !(rows[n][n] > alike*whole) {
			rows[n][n] = 0
		}
	}
	for n := range b {
		for k := range n {
			if pivot := rows[k][k]; pivot > 0 {
				b[n] -= rows[n][k] / pivot * b[k]
			}
		}
	}
	for n := len(b) - 1; n >= 0; n-- {
		if rows[n][n] == 0 {
			b[n] = 0
			continue
		}
		for i := n + 1; i < len(b); i++ {
			b[n] -= rows[i][n] * b[i]
		}
		b[n] /= rows[n][n]
	}
	return b
}
