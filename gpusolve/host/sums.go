package host

import (
	"math"

	"thermsim/gpusolve/ops"
)

// perRow is how many sums a row has room for.
const perRow = 5

// rowSums are perRow numbers for each row, of all rows of the grid where ranks share it: added in the order of the rows
// they have the same bits for any number of ranks and of workers.
type rowSums []float64

// of adds up the n-th number of all rows.
func (r rowSums) of(n int) float64 {
	t := 0.0
	for ; n < len(r); n += perRow {
		t += r[n]
	}
	return t
}

// largest is the largest n-th number of a row, or least; NaN where any is NaN.
func (r rowSums) largest(n int, least float64) float64 {
	top := least
	for ; n < len(r); n += perRow {
		top = max(top, r[n])
	}
	return top
}

// fail keeps the first failure of the ranks, after which sums are no numbers.
func (s *Space) fail(err error) {
	if s.fault == nil {
		s.fault = err
	}
}

// lost fills numbers that nobody tells any more.
func lost(v []float64) {
	for i := range v {
		v[i] = math.NaN()
	}
}

// Max is the largest value of x, NaN where any is NaN.
func (s *grid) Max(x ops.Vector) float64 {
	s.forRows(x, nil, s.maxRow)
	return s.sums(1).largest(0, math.Inf(-1))
}

func (s *grid) maxRow(x, _ []float64, j int) {
	top := math.Inf(-1)
	for k := range s.nz {
		c := k*s.sheet + j*s.nx
		for _, v := range x[c : c+s.nx] {
			top = max(top, v)
		}
	}
	s.partial[perRow*j] = top
}
