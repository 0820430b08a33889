package host

import (
	"math"

	"thermsim/gpusolve/ops"
)

// combineTask sets dst = a x + b y row by row.
type combineTask struct {
	s         *grid
	dst, x, y []float64
	a, b      float64
}

// Combine sets dst = a x + b y.
func (s *grid) Combine(dst ops.Vector, a float64, x ops.Vector, b float64, y ops.Vector) {
	s.combineOp = combineTask{s, dst.(*vec64).values(), x.(*vec64).values(), y.(*vec64).values(), a, b}
	s.rows(&s.combineOp)
	s.combineOp = combineTask{}
}

func (t *combineTask) Run(lo, hi, _ int) {
	n := t.s.nx
	for k := range t.s.nz {
		first, end := k*t.s.sheet+lo*n, k*t.s.sheet+hi*n
		dst, x, y := t.dst[first:end], t.x[first:end], t.y[first:end]
		dst, y = dst[:len(x)], y[:len(x)]
		for i, v := range x {
			dst[i] = float64(t.a*v) + float64(t.b*y[i])
		}
	}
}

// Inner returns x.y and max|x|.
func (s *grid) Inner(x, y ops.Vector) (product, largest float64) {
	s.forRows(x, y, s.innerRow)
	sums := s.sums(2)
	return sums.of(0), sums.largest(1, 0)
}

// innerRow adds in four sums, which the processor can do side by side.
func (s *grid) innerRow(x, y []float64, j int) {
	var sum, top [4]float64
	for k := range s.nz {
		c := k*s.sheet + j*s.nx
		a, b := x[c:c+s.nx], y[c:c+s.nx]
		i := 0
		for ; i+4 <= len(a); i += 4 {
			for n := range sum {
				sum[n] += a[i+n] * b[i+n]
				top[n] = max(top[n], math.Abs(a[i+n]))
			}
		}
		for ; i < len(a); i++ {
			sum[0] += a[i] * b[i]
			top[0] = max(top[0], math.Abs(a[i]))
		}
	}
	s.partial[perRow*j], s.partial[perRow*j+1] = (sum[0]+sum[1])+(sum[2]+sum[3]),
		max(max(top[0], top[1]), max(top[2], top[3]))
}
