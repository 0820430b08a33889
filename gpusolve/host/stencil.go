package host

import (
	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
)

// stencil is one row of the operator: conductances to the six neighbours of each cell. All slices have the row's
// length.
type stencil struct {
	west, east, south, north, below, above []float32
	ground, capacity                       []float32 // nil where zero
}

// row returns the operator's row j of plane k and the offset of its first cell in padded vectors. zero must be nx
// zeros.
func (s *system) row(k, j int, zero []float32) (st stencil, c int) {
	n := s.nx
	c = s.pad + k*s.sheet + j*n
	st.east = s.gx.buf[c : c+n]
	st.west = s.gx.buf[c-1 : c-1+n]
	st.north = s.gy.buf[c : c+n]
	st.south = s.gy.buf[c-n : c]
	st.above = s.gz.buf[c : c+n]
	st.below = zero
	if k > 0 {
		st.below = s.gz.buf[c-s.sheet : c-s.sheet+n]
	}
	if g := s.ground[k]; g != nil {
		st.ground = g[j*n : j*n+n]
	}
	if g := s.capacity[k]; g != nil {
		st.capacity = g[j*n : j*n+n]
	}
	return st, c
}

// vertical are the couplings of row j of plane k to the planes below and above, and the values of v there. In the
// bottom and top plane the missing row is the row itself, which the zero coupling makes harmless; zero must be nx
// zeros.
func vertical[T float32 | float64](s *system, v []T, k, j int, zero []float32) (gBelow, gAbove []float32, below,
	above []T) {
	n := s.nx
	c := s.pad + k*s.sheet + j*n
	gBelow, gAbove = zero, s.gz.buf[c:c+n]
	below, above = v[c:c+n], v[c:c+n]
	if k > 0 {
		gBelow = s.gz.buf[c-s.sheet : c-s.sheet+n]
		below = v[c-s.sheet : c-s.sheet+n]
	}
	if k < s.nz-1 {
		above = v[c+s.sheet : c+s.sheet+n]
	}
	return gBelow, gAbove, below, above
}

// flow computes q = A x for row j of plane k in FP64, capacity left out.
func flow[T float32 | float64](s *system, q []float64, x []T, k, j int, zero []float32) {
	n := s.nx
	c := s.pad + k*s.sheet + j*n
	l := simd.Around(s.gx.buf, s.gy.buf, x, c, n, n)
	gBelow, gAbove, below, above := vertical(s, x, k, j, zero)
	simd.Flow(q, &l, gBelow, gAbove, below, above)
	if g := s.ground[k]; g != nil {
		simd.AddProduct(q, g[j*n:j*n+n], x[c:c+n])
	}
	if s.cooling != nil {
		addCooling(s, q, x, k, j)
	}
}

// heldIn is the row of a plane's capacities, nil where it has none.
func (s *system) heldIn(k, j int) []float32 {
	if g := s.capacity[k]; g != nil {
		return g[j*s.nx : j*s.nx+s.nx]
	}
	return nil
}

type multiplyTask struct {
	s    *system
	y, x []float64
}

// Apply sets y = A x.
func (s *system) Apply(y, x ops.Vector) {
	s.multiplyOp = multiplyTask{s, f64(y), f64(x)}
	s.rows(&s.multiplyOp)
	s.multiplyOp = multiplyTask{}
}

func (t *multiplyTask) Run(lo, hi, worker int) {
	s := t.s
	n := s.nx
	zero := s.Scratch(worker).Floats(n)
	clear(zero)
	for j := lo; j < hi; j++ {
		for k := range s.nz {
			c := s.pad + k*s.sheet + j*n
			y := t.y[c : c+n]
			flow(s, y, t.x, k, j, zero)
			if g := s.heldIn(k, j); g != nil {
				simd.AddProduct(y, g, t.x[c:c+n])
			}
		}
	}
}
