package solves

import (
	"math"
	"slices"
)

// SteadyLeak finds the steady state of a linear stack with leakage, all powers multiplied by a factor, or nil if there
// is none. Newton's method rises from the state without leakage to the lowest solution. Without one it leaves the range
// or turns down.
func (d *Dense) SteadyLeak(k [][]float64, source []float64, factor float64) []float64 {
	n := len(source)
	solve := func(lost, b []float64) []float64 {
		a := make([][]float64, n)
		for i := range a {
			a[i] = append(slices.Clone(k[i]), b[i])
			a[i][i] -= lost[i]
		}
		return Eliminate(a)
	}
	b := make([]float64, n)
	for i := range b {
		b[i] = source[i] + factor*d.Power[i]
	}
	t := solve(make([]float64, n), b)
	for range 200 {
		lost, rhs := make([]float64, n), slices.Clone(b)
		for i := range t {
			lost[i] = factor * (d.Leaking(i, t[i]+1e-4) - d.Leaking(i, t[i]-1e-4)) / 2e-4
			rhs[i] += factor*d.Leaking(i, t[i]) - lost[i]*t[i]
		}
		next := solve(lost, rhs)
		most := 0.0
		for i := range next {
			if next[i] < t[i]-1e-6 || next[i] > 690 {
				return nil
			}
			most = math.Max(most, next[i]-t[i])
		}
		if t = next; most < 1e-7 {
			return t
		}
	}
	return nil
}
