package host

// stencil is one row of the operator: conductances to the six neighbours of each cell. All slices have the row's length.
type stencil struct {
	west, east, south, north, below, above []float32
	ground, capacity                       []float32 // nil where zero
}

// row returns the operator's row j of plane k and the offset of its first cell in padded vectors. zero must be nx zeros.
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

// neighbours are the rows around a row of a padded vector. In the bottom and top plane the missing row is the row itself, which the zero
// coupling makes harmless.
type neighbours[T float32 | float64] struct {
	own, west, east, south, north, below, above []T
}

func around[T float32 | float64](v []T, c, n, sheet, k, nz int) neighbours[T] {
	r := neighbours[T]{
		own: v[c : c+n], west: v[c-1 : c-1+n], east: v[c+1 : c+1+n],
		south: v[c-n : c], north: v[c+n : c+2*n],
	}
	r.below, r.above = r.own, r.own
	if k > 0 {
		r.below = v[c-sheet : c-sheet+n]
	}
	if k < nz-1 {
		r.above = v[c+sheet : c+sheet+n]
	}
	return r
}

// flow computes q = A x for one row in FP64, capacity left out. Differences come first: a large common rise then costs no digits.
func flow[T float32 | float64](q []float64, st *stencil, x *neighbours[T]) {
	n := len(q)
	own, xw, xe, xs, xn, xb, xa := x.own[:n], x.west[:n], x.east[:n], x.south[:n], x.north[:n], x.below[:n], x.above[:n]
	gw, ge, gs, gn, gb, ga := st.west[:n], st.east[:n], st.south[:n], st.north[:n], st.below[:n], st.above[:n]
	for i := range q {
		v := float64(own[i])
		q[i] = float64(gw[i])*(v-float64(xw[i])) + float64(ge[i])*(v-float64(xe[i])) +
			float64(gs[i])*(v-float64(xs[i])) + float64(gn[i])*(v-float64(xn[i])) +
			float64(gb[i])*(v-float64(xb[i])) + float64(ga[i])*(v-float64(xa[i]))
	}
	if g := st.ground; g != nil {
		for i, g := range g[:n] {
			q[i] += float64(g) * float64(own[i])
		}
	}
}
