package host

import (
	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
)

// Nearest sets x to the combination of states that is closest to the solution in the norm of A: A times it has the same
// products with the states as b. The states are padded as vectors are.
func (s *system) Nearest(x ops.Vector, b ops.Source, states [][]float32) {
	m, n := len(states), s.nx
	partial := make([]float64, s.ny*m*(m+1)) // by row of cells and state: its products with A times others, and with b
	s.rows(loop(func(lo, hi, worker int) {
		w, zero := s.Scratch(worker).Doubles(2*n), s.Scratch(worker).Floats(n)
		clear(zero)
		for j := lo; j < hi; j++ {
			for k := range s.nz {
				c := s.pad + k*s.sheet + j*n
				b.(*source).heat(w[:n], k, j)
				for i, v := range states {
					products := partial[(j*m+i)*(m+1):]
					products[m] += simd.Dot(v[c:c+n], w[:n])
					flow(s, w[n:], v, k, j, zero)
					for l, u := range states {
						products[l] += simd.Dot(u[c:c+n], w[n:])
					}
				}
			}
		}
	}))
	equations := make([][]float64, m)
	for i := range equations {
		equations[i] = make([]float64, m+1)
		for j := range s.ny {
			for l, v := range partial[(j*m+i)*(m+1):][:m+1] {
				equations[i][l] += v
			}
		}
	}
	weights, to := weigh(equations), f64(x)
	s.rows(loop(func(lo, hi, _ int) {
		for k := range s.nz {
			first := s.pad + k*s.sheet
			sum := to[first+lo*n : first+hi*n]
			clear(sum)
			for i, w := range weights {
				for c, v := range states[i][first+lo*n : first+hi*n] {
					sum[c] += w * float64(v)
				}
			}
		}
	}))
}

// weigh solves symmetric, positive equations, each with its right-hand side last. States that those before it give
// anyway get no weight.
func weigh(equations [][]float64) []float64 {
	const alike = 1e-12
	weights := make([]float64, len(equations))
	for k, pivot := range equations {
		weights[k] = pivot[k]
	}
	for k, pivot := range equations {
		if !(pivot[k] > alike*weights[k]) {
			clear(pivot)
			pivot[k] = 1
		}
		for _, row := range equations[k+1:] {
			factor := row[k] / pivot[k]
			for i := k; i < len(row); i++ {
				row[i] -= factor * pivot[i]
			}
		}
	}
	for k := len(equations) - 1; k >= 0; k-- {
		row := equations[k]
		weights[k] = row[len(row)-1]
		for i := k + 1; i < len(equations); i++ {
			weights[k] -= row[i] * weights[i]
		}
		weights[k] /= row[k]
	}
	return weights
}
