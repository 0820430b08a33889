package cmg

import (
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
)

// hostDirectRows: an inverse of 400 x 400 takes 64 million multiplications to make and fits the second-level cache.
const hostDirectRows = 400

// DirectRows is where products with an inverse beat further levels.
func (s hostOperations) DirectRows() int { return hostDirectRows }

// vanished is the share of a diagonal below which a pivot is rounding: the vertex belongs to a part that has no ground.
const vanished = 1e-11

// Invert sweeps all pivots (Gauss-Jordan, in place and symmetric), in FP64. A pivot that vanishes is left out, which
// holds its vertex at zero.
func (s hostOperations) Invert(level graphLevel) error {
	l := level.(*hostLevel)
	n := l.Len()
	a := reuse.Make[float64](s.Arrays(), n*n)
	for v := range n {
		cols, weights := l.g.Row(v)
		for i, u := range cols {
			a[v*n+int(u)] = -float64(weights[i])
		}
		a[v*n+v] = l.g.Diagonal[v]
	}
	column := reuse.Make[float64](s.Arrays(), n)
	for k := range n {
		for i := range n {
			column[i] = a[i*n+k]
		}
		pivot := column[k]
		if !(pivot > vanished*l.g.Diagonal[k]) {
			for i := range n {
				a[i*n+k], a[k*n+i] = 0, 0
			}
			continue
		}
		for i := range n {
			if factor := column[i] / pivot; factor != 0 && i != k {
				row := a[i*n : (i+1)*n]
				for j, c := range column {
					row[j] -= factor * c
				}
			}
		}
		for i, c := range column {
			a[i*n+k], a[k*n+i] = c/pivot, c/pivot
		}
		a[k*n+k] = -1 / pivot
	}
	l.inverse = reuse.Make[float32](s.Arrays(), n*n)
	for i := range n {
		sum := 0.0
		for j := range n {
			// The upper half for both: rounding must not make the preconditioner unsymmetric.
			v := -a[min(i, j)*n+max(i, j)]
			l.inverse[i*n+j] = float32(v)
			sum += v
		}
		// Nor must it make it indefinite. Where little ties the graph to ground, all entries are large beside what sets
		// neighbours apart, and so is their rounding, a symmetric matrix of random entries up to 2^-25 of them: its
		// norm is below 2^-24 sqrt(n) times their mean, and twice that on the diagonal outweighs it.
		l.inverse[i*n+i] += float32(0x1p-23 / math.Sqrt(float64(n)) * sum)
	}
	l.add(4 * n * n)
	return nil
}

// Direct multiplies with the inverse.
func (s hostOperations) Direct(level graphLevel, x, b ops.Vector) {
	l := level.(*hostLevel)
	n := l.Len()
	s.over(n, int64(n)*int64(n),
		&graphTask{l: l, dst: host.Singles(x), b: host.Singles(b), body: func(t *graphTask, lo, hi int) {
			for v := lo; v < hi; v++ {
				sum := 0.0
				row := t.l.inverse[v*n : (v+1)*n]
				for u, w := range row {
					sum += float64(w) * float64(t.b[u])
				}
				t.dst[v] = float32(sum)
			}
		}})
}
