package multigrid

import (
	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
)

type restrictTask struct {
	fine, coarse *hostLevel
	bc, b, x     []float32
	keep         float32 // of b in the residual after Start; general form where negative
}

// RestrictStart sets bc = P^T (b - A x) for x = omega T^-1 b. There T x = omega b, so the residual is (1 - omega) b +
// lateral x.
func (s *hostOperations) RestrictStart(fine, coarse Level, bc, b, x ops.Vector, omega float32) {
	s.restrict(fine, coarse, bc, b, x, 1-omega)
}

// Restrict sets bc = P^T (b - A x).
func (s *hostOperations) Restrict(fine, coarse Level, bc, b, x ops.Vector) {
	s.restrict(fine, coarse, bc, b, x, -1)
}

func (s *hostOperations) restrict(fine, coarse Level, bc, b, x ops.Vector, keep float32) {
	f, c := fine.(*hostLevel), coarse.(*hostLevel)
	s.restrictOp = restrictTask{f, c, values(bc), values(b), values(x), keep}
	s.Run(&s.restrictOp, c.ny, f.cells)
	s.restrictOp = restrictTask{}
}

// run fills coarse rows [lo, hi). Every coarse row gathers its fine rows in ascending order, wherever the range is cut.
func (t *restrictTask) Run(lo, hi, worker int) {
	f, c := t.fine, t.coarse
	tr := &f.next
	w := f.s.Scratch(worker).Floats(3*(f.nx+2) + c.nx)
	res, part := w[:f.nx+2], w[2*(f.nx+2):3*(f.nx+2)]
	between := rowsBetween{w[f.nx+2 : 2*(f.nx+2)], w[3*(f.nx+2):]}
	for k := range c.nz {
		clear(t.bc[c.pad+k*c.sheet+lo*c.nx : c.pad+k*c.sheet+hi*c.nx])
	}
	for k := range f.nz {
		plane := tr.plane(k)
		first, last := lo, hi
		if !tr.y.kept() {
			first, _ = tr.y.span(lo)
			_, last = tr.y.span(hi - 1)
			first, last = max(first-1, 0), min(last+1, f.ny)
		}
		for j := first; j < last; j++ {
			t.residual(res[1:1+f.nx], k, j)
			v := tr.parts(k)
			if v == nil {
				t.scatter(rowTo{k, plane, tr.wet[k]}, res, between, j, lo, hi)
				continue
			}
			v.kind(part[1:1+f.nx], res[1:1+f.nx], j, false)
			t.scatter(rowTo{k, plane, nil}, part, between, j, lo, hi)
			v.kind(part[1:1+f.nx], res[1:1+f.nx], j, true)
			t.scatter(rowTo{k, plane + 1, tr.wet[k]}, part, between, j, lo, hi)
		}
	}
}

// residual fills one fine row of b - A x.
func (t *restrictTask) residual(res []float32, k, j int) {
	l := t.fine
	n := len(res)
	c := l.pad + k*l.sheet + j*l.nx
	b, x := t.b[c:c+n], l.around(t.x, c, n)
	if t.keep >= 0 {
		simd.KeepLateral(res, b, t.keep, &x)
		return
	}
	simd.Inflow(res, b, &x)
	own := t.x[c : c+n]
	if k > 0 {
		simd.Couple(res, l.gz[c-l.sheet:c-l.sheet+n], own, t.x[c-l.sheet:c-l.sheet+n])
	}
	if k < l.nz-1 {
		simd.Couple(res, l.gz[c:c+n], own, t.x[c+l.sheet:c+l.sheet+n])
	}
	if g := l.ground[k]; g != nil {
		simd.Drain(res, g[j*n:j*n+n], own)
	}
	if l.cool != nil {
		l.restCooled(res, t.x, k, j, c)
	}
}

// rowTo is a row of plane k on its way to a plane of the coarse level, with the weights of coolant where there are any.
type rowTo struct {
	k, plane int
	limited  *limited
}

// weights are those of row j along x, nil for geometric ones, and that of the farther coarse row.
func (r rowTo) weights(tr *hostTransfer, j, n int, geometric float32) (wx []float32, wy float32) {
	switch {
	case r.limited == nil:
	case r.limited.along == 1:
		return r.limited.weight, geometric
	default:
		return nil, r.limited.weight[j]
	}
	if tr.wx[r.k] != nil {
		wx = tr.wx[r.k][j*n : j*n+n]
	}
	return wx, geometric
}

// rowsBetween are for a fine row with the weights along y, and for a coarse row.
type rowsBetween struct{ u, line []float32 }

// scatter adds one fine row, res[1:1+nx], to the coarse rows it belongs to.
func (t *restrictTask) scatter(to rowTo, res []float32, between rowsBetween, j, lo, hi int) {
	u, line := between.u, between.line
	f, c := t.fine, t.coarse
	tr := &f.next
	n := f.nx
	res[0], res[n+1] = 0, 0
	near, far, weight := tr.y.rowsOf(j)
	wx, weight := to.weights(tr, j, n, weight)
	out := func(row int) []float32 {
		o := c.pad + to.plane*c.sheet + row*c.nx
		return t.bc[o : o+c.nx]
	}
	if tr.wy[to.k] != nil && to.limited == nil {
		u[0], u[n+1] = 0, 0
		wy := tr.wy[to.k][j*n : j*n+n]
		if near >= lo && near < hi {
			for i, w := range wy {
				u[1+i] = (1 - w) * res[1+i]
			}
			f.restrictLine(line, u, wx)
			simd.Add(out(near), line, 1)
		}
		if far >= lo && far < hi {
			for i, w := range wy {
				u[1+i] = w * res[1+i]
			}
			f.restrictLine(line, u, wx)
			simd.Add(out(far), line, 1)
		}
		return
	}
	f.restrictLine(line, res, wx)
	if near >= lo && near < hi {
		simd.Add(out(near), line, 1-weight)
	}
	if weight > 0 && far >= lo && far < hi {
		simd.Add(out(far), line, weight)
	}
}

// restrictLine gathers a fine row, v[1:1+nx] between zeros, into coarse cells along x with geometric weights or those
// of wx.
func (l *hostLevel) restrictLine(dst, v, wx []float32) {
	n, m := l.nx, len(dst)
	d := &l.next.x
	switch {
	case d.kept():
		copy(dst, v[1:1+n])
		return
	case wx != nil:
		d.gather(dst, v, wx)
		return
	case !d.regular:
		d.gather(dst, v, d.Far)
		return
	}
	simd.GatherPairs(dst, v, 0.75, 0.25)
	// The outermost cells have no farther neighbour and go whole to their own.
	dst[0] += 0.25 * v[1]
	dst[m-1] += 0.25 * v[n]
}

// gather adds each fine cell of v[1:] to its coarse cells, with weight w to the farther.
func (d *hostDirection) gather(dst, v, w []float32) {
	clear(dst)
	for i, w := range w {
		near := d.Parent[i]
		dst[near] += (1 - w) * v[1+i]
		if w > 0 {
			dst[d.beyond(i)] += w * v[1+i]
		}
	}
}

// beyond is the far coarse neighbour of a cell whose weight for it is not zero.
func (d *hostDirection) beyond(i int) int32 {
	near := d.Parent[i]
	if int(d.first[near]) == i {
		return near - 1
	}
	return near + 1
}
