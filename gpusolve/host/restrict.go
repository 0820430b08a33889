package host

import "thermsim/gpusolve/ops"

type restrictTask struct {
	fine, coarse *level
	bc, b, x     []float32
	keep         float32 // of b in the residual after Start; general form where negative
}

// RestrictStart sets bc = P^T (b - A x) for x = omega T^-1 b. There T x = omega b, so the residual is (1 - omega) b + lateral x.
func (s *system) RestrictStart(fine, coarse ops.Level, bc, b, x ops.Vector, omega float32) {
	s.restrict(fine, coarse, bc, b, x, 1-omega)
}

// Restrict sets bc = P^T (b - A x).
func (s *system) Restrict(fine, coarse ops.Level, bc, b, x ops.Vector) {
	s.restrict(fine, coarse, bc, b, x, -1)
}

func (s *system) restrict(fine, coarse ops.Level, bc, b, x ops.Vector, keep float32) {
	f, c := fine.(*level), coarse.(*level)
	s.restrictOp = restrictTask{f, c, f32(bc), f32(b), f32(x), keep}
	s.dev.pool.run(&s.restrictOp, c.ny, f.cells)
	s.restrictOp = restrictTask{}
}

// run fills coarse rows [lo, hi). Every coarse row gathers its fine rows in ascending order, wherever the range is cut.
func (t *restrictTask) run(lo, hi, worker int) {
	f, c := t.fine, t.coarse
	tr := &f.next
	w := f.s.dev.scratch[worker].floats(2*(f.nx+2) + c.nx)
	res, u, line := w[:f.nx+2], w[f.nx+2:2*(f.nx+2)], w[2*(f.nx+2):]
	for k := range f.nz {
		clear(t.bc[c.pad+k*c.sheet+lo*c.nx : c.pad+k*c.sheet+hi*c.nx])
		first, last := lo, hi
		if !tr.y.kept() {
			first, _ = tr.y.span(lo)
			_, last = tr.y.span(hi - 1)
			first, last = max(first-1, 0), min(last+1, f.ny)
		}
		for j := first; j < last; j++ {
			t.residual(res[1:1+f.nx], k, j)
			t.scatter(res, u, line, k, j, lo, hi)
		}
	}
}

// residual fills one fine row of b - A x.
func (t *restrictTask) residual(res []float32, k, j int) {
	l := t.fine
	n := len(res)
	c := l.pad + k*l.sheet + j*l.nx
	b := t.b[c : c+n][:n]
	if t.keep >= 0 {
		l.lateral(res, t.x, c)
		for i := range res {
			res[i] += t.keep * b[i]
		}
		return
	}
	x := around(t.x, c, n, l.sheet, k, l.nz)
	own, xw, xe, xs, xn := x.own[:n], x.west[:n], x.east[:n], x.south[:n], x.north[:n]
	ge, gw := l.gx[c : c+n][:n], l.gx[c-1 : c-1+n][:n]
	gn, gs := l.gy[c : c+n][:n], l.gy[c-l.nx : c-l.nx+n][:n]
	for i := range res {
		v := own[i]
		res[i] = b[i] + gw[i]*(xw[i]-v) + ge[i]*(xe[i]-v) + gs[i]*(xs[i]-v) + gn[i]*(xn[i]-v)
	}
	if k > 0 {
		couple(res, l.gz[c-l.sheet:c-l.sheet+n], own, x.below)
	}
	if k < l.nz-1 {
		couple(res, l.gz[c:c+n], own, x.above)
	}
	if g := l.ground[k]; g != nil {
		for i, g := range g[j*n : j*n+n] {
			res[i] -= g * own[i]
		}
	}
}

func couple(res, g, own, other []float32) {
	n := len(res)
	g, own, other = g[:n], own[:n], other[:n]
	for i := range res {
		res[i] += g[i] * (other[i] - own[i])
	}
}

// scatter adds one fine row, res[1:1+nx], to the coarse rows it belongs to.
func (t *restrictTask) scatter(res, u, line []float32, k, j, lo, hi int) {
	f, c := t.fine, t.coarse
	tr := &f.next
	n := f.nx
	res[0], res[n+1] = 0, 0
	var wx []float32
	if tr.wx[k] != nil {
		wx = tr.wx[k][j*n : j*n+n]
	}
	near, far, weight := tr.y.rowsOf(j)
	out := func(row int) []float32 {
		o := c.pad + k*c.sheet + row*c.nx
		return t.bc[o : o+c.nx]
	}
	if tr.wy[k] != nil {
		u[0], u[n+1] = 0, 0
		wy := tr.wy[k][j*n : j*n+n]
		if near >= lo && near < hi {
			for i, w := range wy {
				u[1+i] = (1 - w) * res[1+i]
			}
			f.restrictLine(line, u, wx)
			add(out(near), line, 1)
		}
		if far >= lo && far < hi {
			for i, w := range wy {
				u[1+i] = w * res[1+i]
			}
			f.restrictLine(line, u, wx)
			add(out(far), line, 1)
		}
		return
	}
	f.restrictLine(line, res, wx)
	if near >= lo && near < hi {
		add(out(near), line, 1-weight)
	}
	if weight > 0 && far >= lo && far < hi {
		add(out(far), line, weight)
	}
}

func add(dst, src []float32, w float32) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] += w * src[i]
	}
}

// restrictLine gathers a fine row, v[1:1+nx] between zeros, into coarse cells along x with geometric weights or those of wx.
func (l *level) restrictLine(dst, v, wx []float32) {
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
	for i := range dst {
		q := v[2*i : 2*i+3]
		dst[i] = 0.25*q[0] + 0.75*(q[1]+q[2])
	}
	for i := 0; i+1 < m; i++ {
		dst[i] += 0.25 * v[2*i+3]
	}
	// The outermost cells have no farther neighbour and go whole to their own.
	dst[0] += 0.25 * v[1]
	dst[m-1] += 0.25 * v[n]
}

// gather adds each fine cell of v[1:] to its coarse cells, with weight w to the farther.
func (d *direction) gather(dst, v, w []float32) {
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
func (d *direction) beyond(i int) int32 {
	near := d.Parent[i]
	if int(d.first[near]) == i {
		return near - 1
	}
	return near + 1
}
