package multigrid

import (
	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/ops"
)

// hostTransfer describes the interpolation between a level and the next.
type hostTransfer struct {
	planeMap
	flows []*hostFlow // of the finer level
	wet   []*limited  // weights of planes of coolant, by plane, nil for those of the directions
	x, y  hostDirection
	// wx[k] and wy[k] are, cell by cell, the weights of the farther coarse neighbour along x and y; nil for planes that
	// interpolate geometrically.
	wx, wy  [][]float32
	targets [][]rowTo // by plane
}

// hostDirection is the interpolation along x or y.
type hostDirection struct {
	Pairing
	first []int32 // first fine cell of each coarse one, and the number of fine cells as the last entry
	// regular says that all cells are paired and weigh 3/4 and 1/4, 1 at the ends.
	regular bool
	pulls   []pull // of fine cells
}

func newHostDirection(p Pairing, n int) hostDirection {
	d := hostDirection{Pairing: p}
	if p.Parent == nil {
		return d
	}
	d.first = p.firsts(n)
	d.pulls = make([]pull, n)
	for i := range d.pulls {
		d.pulls[i] = d.newPull(i)
	}
	d.regular = n%2 == 0 && len(d.first)-1 == n/2
	for i := 1; i < n-1 && d.regular; i++ {
		d.regular = p.Far[i] == 0.25
	}
	return d
}

// kept says that the direction is not coarsened.
func (d *hostDirection) kept() bool { return d.Parent == nil }

// span is the half-open range of fine cells of a coarse one.
func (d *hostDirection) span(c int) (lo, hi int) {
	if d.kept() {
		return c, c + 1
	}
	return int(d.first[c]), int(d.first[c+1])
}

// parents are the coarse cells that fine cell i is interpolated from; far is -1 where there is only one.
func (d *hostDirection) parents(i int) (near, far int) {
	if d.kept() {
		return i, -1
	}
	near = int(d.Parent[i])
	lo, hi := d.span(near)
	switch {
	case hi-lo == 1:
		return near, -1
	case i == lo:
		return near, near - 1
	case near+2 < len(d.first):
		return near, near + 1
	}
	return near, -1
}

// rowsOf returns the coarse rows that fine row j takes part in, and the geometric weight of the farther; far is -1
// where there is none.
func (d *hostDirection) rowsOf(j int) (near, far int, weight float32) {
	near, far = d.parents(j)
	if far >= 0 {
		weight = d.Far[j]
	}
	return near, far, weight
}

// limited are the weights of interpolation across a flow, 0 where the farther coarse line has no coolant.
type limited struct {
	along  int
	weight []float32
}

// plane of the next level that plane k goes to; walls where they part from coolant.
func (t *hostTransfer) plane(k int) int { return int(t.low[k]) }

// parts is the coolant of a plane that parts, nil of others.
func (t *hostTransfer) parts(k int) *hostFlow {
	if n := t.split[k]; n >= 0 {
		return t.flows[n]
	}
	return nil
}

// pairings of the cells along x and y.
func (t *hostTransfer) pairings() Coarsening { return Coarsening{X: t.x.Pairing, Y: t.y.Pairing} }

// limit keeps coolant from being interpolated from lines without.
func (t *hostTransfer) limit(fine *hostFlow, coarse *flow) {
	d := &t.x
	if fine.of.Along == 0 {
		d = &t.y
	}
	if d.kept() {
		return
	}
	w := make([]float32, len(fine.heat))
	any := false
	for i := range w {
		w[i] = d.Far[i]
		if _, far := d.parents(i); far >= 0 && !coarse.wet[far] {
			w[i], any = 0, true
		}
	}
	if any {
		t.wet[fine.plane] = &limited{fine.of.Along, w}
	}
}

// keep copies the values of row j that go there, and zeros for the others. dst may be v.
func (r *rowTo) keep(dst, v []float32, j int) {
	for i, x := range v {
		if r.of.wet[r.of.line(i, j)] != r.coolant {
			x = 0
		}
		dst[i] = x
	}
}

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
	n := f.nx
	rows := max(1, tile/n) // to find the residual of together
	if f.cool != nil {
		rows = 1
	}
	w := f.s.Scratch(worker).Floats((rows+2)*n + 2 + 2*c.nx)
	res, part, w := w[:rows*n], w[rows*n:(rows+1)*n], w[(rows+1)*n:]
	between := rowsBetween{w[:n+2], w[n+2 : n+2+c.nx], w[n+2+c.nx:]}
	for k := range c.nz {
		clear(t.bc[c.pad+k*c.sheet+lo*c.nx : c.pad+k*c.sheet+hi*c.nx])
	}
	first, last := lo, hi
	if !tr.y.kept() {
		first, _ = tr.y.span(lo)
		_, last = tr.y.span(hi - 1)
		first, last = max(first-1, 0), min(last+1, f.ny)
	}
	for k := range f.nz {
		for j := first; j < last; j++ {
			at := (j - first) % rows * n
			if at == 0 {
				t.residual(res[:min(rows, last-j)*n], k, j)
			}
			for _, to := range tr.targets[k] {
				from := res[at : at+n]
				if to.of != nil {
					to.keep(part, from, j)
					from = part
				}
				t.scatter(to, from, between, j, lo, hi)
			}
		}
	}
}

// residual fills fine rows of b - A x, from row j on; where coolant flows, only one.
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
		simd.Drain(res, g[j*l.nx:j*l.nx+n], own)
	}
	if l.cool != nil {
		l.restCooled(res, t.x, k, j, c)
	}
}

// rowTo is where rows of plane k go on the coarse level, with the weights of coolant where there are any.
type rowTo struct {
	k, plane int
	limited  *limited
	of       *hostFlow // of a plane that parts: cells of its walls alone, or of its coolant alone
	coolant  bool
}

// aim sets where the rows of every plane go.
func (t *hostTransfer) aim() {
	t.targets = make([][]rowTo, len(t.low))
	for k := range t.targets {
		if v := t.parts(k); v != nil {
			t.targets[k] = []rowTo{{k, t.plane(k), nil, v, false}, {k, t.plane(k) + 1, t.wet[k], v, true}}
		} else {
			t.targets[k] = []rowTo{{k: k, plane: t.plane(k), limited: t.wet[k]}}
		}
	}
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

// rowsBetween are for a fine row with a cell more at either end, and for two coarse rows.
type rowsBetween struct{ u, line, far []float32 }

// scatter adds one fine row to the coarse rows it belongs to.
func (t *restrictTask) scatter(to rowTo, res []float32, between rowsBetween, j, lo, hi int) {
	f, c := t.fine, t.coarse
	tr := &f.next
	n := f.nx
	near, far, weight := tr.y.rowsOf(j)
	wx, weight := to.weights(tr, j, n, weight)
	out := func(row int) []float32 {
		o := c.pad + to.plane*c.sheet + row*c.nx
		return t.bc[o : o+c.nx]
	}
	line := between.line
	if tr.wy[to.k] != nil && to.limited == nil {
		tr.x.gatherTwo(line, between.far, res, wx, tr.wy[to.k][j*n:j*n+n])
		if near >= lo && near < hi {
			simd.Add(out(near), line, 1)
		}
		if far >= lo && far < hi {
			simd.Add(out(far), between.far, 1)
		}
		return
	}
	f.restrictLine(between, res, wx)
	if near >= lo && near < hi {
		simd.Add(out(near), line, 1-weight)
	}
	if weight > 0 && far >= lo && far < hi {
		simd.Add(out(far), line, weight)
	}
}

// restrictLine gathers a fine row into between.line, coarse cells along x, with geometric weights or those of wx.
func (l *hostLevel) restrictLine(between rowsBetween, v, wx []float32) {
	d, dst := &l.next.x, between.line
	switch {
	case d.kept():
		copy(dst, v)
		return
	case wx != nil:
		d.gather(dst, v, wx)
		return
	case !d.regular:
		d.gather(dst, v, d.Far)
		return
	}
	n, m := l.nx, len(dst)
	u := between.u
	copy(u[1:], v)
	u[0], u[n+1] = 0, 0
	simd.GatherPairs(dst, u, 0.75, 0.25)
	// The outermost cells have no farther neighbour and go whole to their own.
	dst[0] += 0.25 * u[1]
	dst[m-1] += 0.25 * u[n]
}

// gather adds each fine cell of v to its coarse cells, with weight w to the farther: that before for the first cell of
// a pair, that after for the second. A coarse cell of a single one has its weight 0.
func (d *hostDirection) gather(dst, v, w []float32) {
	own, next := float32(0), float32(0) // of the coarse cell before, and of the present one
	lo := d.first[0]
	for c := range dst {
		hi := d.first[c+1]
		first := v[lo]
		if c > 0 {
			dst[c-1] = own + w[lo]*first
		}
		own, next = next+(1-w[lo])*first, 0
		if hi-lo == 2 {
			second := v[lo+1]
			own += (1 - w[lo+1]) * second
			next = w[lo+1] * second
		}
		lo = hi
	}
	dst[len(dst)-1] = own
}

// gatherTwo adds the fine cells of v to a near and a far coarse row, with weight wy to the far one.
func (d *hostDirection) gatherTwo(near, far, v, wx, wy []float32) {
	wy = wy[:len(v)]
	if d.kept() {
		near, far = near[:len(v)], far[:len(v)]
		for i, x := range v {
			near[i], far[i] = (1-wy[i])*x, wy[i]*x
		}
		return
	}
	far = far[:len(near)]
	var ownN, nextN, ownF, nextF float32
	lo := d.first[0]
	for c := range near {
		hi := d.first[c+1]
		w := wx[lo]
		n, f := (1-wy[lo])*v[lo], wy[lo]*v[lo]
		if c > 0 {
			near[c-1], far[c-1] = ownN+w*n, ownF+w*f
		}
		ownN, ownF = nextN+(1-w)*n, nextF+(1-w)*f
		nextN, nextF = 0, 0
		if hi-lo == 2 {
			w = wx[lo+1]
			n, f = (1-wy[lo+1])*v[lo+1], wy[lo+1]*v[lo+1]
			ownN, ownF = ownN+(1-w)*n, ownF+(1-w)*f
			nextN, nextF = w*n, w*f
		}
		lo = hi
	}
	near[len(near)-1], far[len(near)-1] = ownN, ownF
}

// beyond is the far coarse neighbour of a cell whose weight for it is not zero.
func (d *hostDirection) beyond(i int) int32 {
	near := d.Parent[i]
	if int(d.first[near]) == i {
		return near - 1
	}
	return near + 1
}

type prolongTask struct {
	fine, coarse *hostLevel
	x, xc        []float32
}

func (s *hostOperations) Prolong(fine, coarse Level, x, xc ops.Vector) {
	f, c := fine.(*hostLevel), coarse.(*hostLevel)
	s.prolongOp = prolongTask{f, c, values(x), values(xc)}
	f.rows(&s.prolongOp, f.ny)
	s.prolongOp = prolongTask{}
}

func (t *prolongTask) Run(lo, hi, worker int) {
	f, c := t.fine, t.coarse
	tr := &f.next
	w := f.s.Scratch(worker).Floats(c.nx + 2 + f.nx)
	line, part := w[:c.nx+2], w[c.nx+2:]
	for k := range f.nz {
		for j := lo; j < hi; j++ {
			o := f.pad + k*f.sheet + j*f.nx
			x := t.x[o : o+f.nx]
			for _, to := range tr.targets[k] {
				if to.of == nil {
					t.row(x, line, to, j)
					continue
				}
				clear(part)
				t.row(part, line, to, j)
				to.keep(part, part, j)
				simd.Add(x, part, 1)
			}
		}
	}
}

// row adds the interpolation of row j from a plane of the coarse level.
func (t *prolongTask) row(x, line []float32, to rowTo, j int) {
	f, c := t.fine, t.coarse
	tr := &f.next
	near, far, weight := tr.y.rowsOf(j)
	a := t.xc[c.pad+to.plane*c.sheet+near*c.nx:][:c.nx]
	b := a
	if far >= 0 {
		b = t.xc[c.pad+to.plane*c.sheet+far*c.nx:][:c.nx]
	}
	if to.limited == nil && (tr.wx[to.k] != nil || tr.wy[to.k] != nil) {
		t.weighted(x, a, b, to.k, j)
		return
	}
	wx, weight := to.weights(tr, j, f.nx, weight)
	simd.Towards(line[1:1+c.nx], a, b, weight)
	f.prolongLine(x, line, wx)
}

// prolongLine adds the geometric interpolation along x of a coarse row, line[1:len(line)-1].
func (l *hostLevel) prolongLine(x, line, wx []float32) {
	d := &l.next.x
	m := len(line) - 2
	v := line[1 : 1+m]
	switch {
	case d.kept():
		simd.Add(x, v, 1)
		return
	case !d.regular || wx != nil:
		if wx == nil {
			wx = d.Far
		}
		for i, w := range wx {
			own := v[d.Parent[i]]
			if w > 0 {
				own += w * (v[d.beyond(i)] - own)
			}
			x[i] += own
		}
		return
	}
	// Beyond the ends lies the same again.
	line[0], line[m+1] = v[0], v[m-1]
	simd.SpreadPairs(x, line, 0.75, 0.25)
}

// weighted adds the interpolation of coarse rows a (near) and b (far) with the plane's own weights.
func (t *prolongTask) weighted(x, a, b []float32, k, j int) {
	tr := &t.fine.next
	row := func(weights []float32) []float32 {
		if weights == nil {
			return nil
		}
		return weights[j*len(x) : (j+1)*len(x)]
	}
	wx, wy := row(tr.wx[k]), row(tr.wy[k])
	switch {
	case wx == nil:
		a, b = a[:len(x)], b[:len(x)]
		for i, w := range wy[:len(x)] {
			x[i] += blend(w, a[i], b[i])
		}
	case wy == nil:
		tr.x.spread(x, a, wx)
	default:
		tr.x.spreadTwo(x, a, b, wx, wy)
	}
}

func blend(w, near, far float32) float32 { return (1-w)*near + w*far }

// spread adds the interpolation of a coarse row: gather's adjoint.
func (d *hostDirection) spread(x, a, wx []float32) {
	before, own := a[0], a[0]
	lo := d.first[0]
	for c := range a {
		hi, behind := d.first[c+1], a[min(c+1, len(a)-1)]
		x[lo] += blend(wx[lo], own, before)
		if hi-lo == 2 {
			x[lo+1] += blend(wx[lo+1], own, behind)
		}
		before, own, lo = own, behind, hi
	}
}

// spreadTwo adds the interpolation of a near and a far row.
func (d *hostDirection) spreadTwo(x, a, b, wx, wy []float32) {
	beforeA, ownA, beforeB, ownB := a[0], a[0], b[0], b[0]
	lo := d.first[0]
	for c := range a {
		next := min(c+1, len(a)-1)
		hi, behindA, behindB := d.first[c+1], a[next], b[next]
		w := wx[lo]
		x[lo] += blend(wy[lo], blend(w, ownA, beforeA), blend(w, ownB, beforeB))
		if hi-lo == 2 {
			w = wx[lo+1]
			x[lo+1] += blend(wy[lo+1], blend(w, ownA, behindA), blend(w, ownB, behindB))
		}
		beforeA, ownA, beforeB, ownB, lo = ownA, behindA, ownB, behindB, hi
	}
}
