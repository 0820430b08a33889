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
		d.Far = make([]float32, n)
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

func (s *hostOperations) Restrict(fine, coarse Level, bc, b ops.Vector, v Smoothed) {
	s.restrict(fine, coarse, bc, b, v.At, -1)
}

func (s *hostOperations) restrict(fine, coarse Level, bc, b, x ops.Vector, keep float32) {
	f, c := fine.(*hostLevel), coarse.(*hostLevel)
	s.restrictOp = restrictTask{f, c, values(bc), values(b), values(x), keep}
	s.Run(&s.restrictOp, c.ny, f.cells)
	s.restrictOp = restrictTask{}
}

// Run fills coarse rows [lo, hi). Every coarse row gathers its fine rows in ascending order, wherever the range is cut.
func (t *restrictTask) Run(lo, hi, worker int) {
	f, c := t.fine, t.coarse
	n := f.nx
	rows := max(1, tile/n) // to find the residual of together
	if f.cool != nil {
		rows = 1
	}
	w := f.s.Scratch(worker).Floats((rows+2)*n + gathersSize(n))
	res, part, even, w := w[:rows*n], w[rows*n:(rows+1)*n], w[(rows+1)*n:(rows+2)*n], w[(rows+2)*n:]
	first, last := f.next.y.reach(lo, hi, f.ny)
	for k := range f.nz {
		for _, to := range f.next.targets[k] {
			out := t.bc[c.pad+to.plane*c.sheet:][:c.sheet]
			clear(out[lo*c.nx : hi*c.nx])
			g := newGathers(&f.next.x, w, out, lo, hi, n)
			g.regular = to.regular(&f.next)
			for j := first; j < last; j++ {
				at := (j - first) % rows * n
				if at == 0 {
					t.residual(res[:min(rows, last-j)*n], k, j)
				}
				from := res[at : at+n]
				if to.of != nil {
					to.keep(part, from, j)
					from = part
				}
				near, far := f.next.y.parents(j)
				if g.regular {
					g.addRegular(near, far, from, f.next.y.Far[j])
					continue
				}
				wx, wy := to.weights(&f.next, j, even)
				g.add(near, far, from, wx, wy)
			}
			g.finish()
		}
	}
}

// reach is the half-open range of fine rows, of n, that coarse rows [lo, hi) gather.
func (d *hostDirection) reach(lo, hi, n int) (first, last int) {
	if d.kept() {
		return lo, hi
	}
	first, _ = d.span(lo)
	_, last = d.span(hi - 1)
	return max(first-1, 0), min(last+1, n)
}

// gathers adds up fine rows for coarse ones, before cells are gathered along x: what goes to the coarse cell of a fine
// one's own, and what goes to the farther. Three coarse rows are in work at a time.
type gathers struct {
	x        *hostDirection
	regular  bool         // own has all, without weights along x
	own, far [3][]float32 // with a zero at either end
	none     [2][]float32 // for fine rows without a farther coarse one, whose share of it is zero
	out      []float32    // a coarse plane
	lo, hi   int          // its rows that are filled
	begun    int          // rows before are in work or done
}

// gathersSize is the working memory of gathers for rows of n cells.
func gathersSize(n int) int { return 8 * (n + 2) }

func newGathers(x *hostDirection, work, out []float32, lo, hi, n int) gathers {
	g := gathers{x: x, out: out, lo: lo, hi: hi, begun: max(lo-1, 0)}
	row := func() (v []float32) {
		v, work = work[:n+2], work[n+2:]
		return v
	}
	for c := range g.own {
		g.own[c], g.far[c] = row(), row()
	}
	g.none = [2][]float32{row(), row()}
	clear(g.none[0])
	clear(g.none[1])
	return g
}

// begin takes coarse rows up to the last into work.
func (g *gathers) begin(last int) {
	for ; g.begun <= last; g.begun++ {
		g.gather(g.begun - len(g.own))
		clear(g.own[g.begun%len(g.own)])
		clear(g.far[g.begun%len(g.own)])
	}
}

// add takes a fine row with its weights of the farther coarse cells, far being -1 where no row is farther.
func (g *gathers) add(near, far int, v, wx, wy []float32) {
	g.begin(max(near, far))
	own, beyond := g.none[0], g.none[1]
	if far >= 0 {
		own, beyond = g.own[far%len(g.own)], g.far[far%len(g.own)]
	}
	n := near % len(g.own)
	simd.Split(g.own[n][1:], g.far[n][1:], own[1:], beyond[1:], v, wx, wy)
}

// addRegular takes a fine row with a weight of the farther coarse row.
func (g *gathers) addRegular(near, far int, v []float32, weight float32) {
	g.begin(max(near, far))
	if far < 0 {
		weight = 0
	}
	n := len(v)
	simd.Add(g.own[near%len(g.own)][1:1+n], v, 1-weight)
	if weight > 0 {
		simd.Add(g.own[far%len(g.own)][1:1+n], v, weight)
	}
}

func (g *gathers) finish() {
	for c := g.begun - len(g.own); c < g.begun; c++ {
		g.gather(c)
	}
}

// gather fills coarse row c, if it is one of those asked for.
func (g *gathers) gather(c int) {
	if c < g.lo || c >= g.hi {
		return
	}
	own, far := g.own[c%len(g.own)], g.far[c%len(g.own)]
	n := len(own) - 2
	m := g.x.Coarse(n)
	dst := g.out[c*m : (c+1)*m]
	if !g.regular {
		g.x.gather(dst, own[1:1+n], far)
		return
	}
	simd.GatherPairs(dst, own, 0.75, 0.25)
	// The outermost cells have no farther neighbour and go whole to their own.
	dst[0] += 0.25 * own[1]
	dst[m-1] += 0.25 * own[n]
}

// gather adds up the fine cells of each coarse one, and what the pairs on either side give to it. far begins a cell
// before own.
func (d *hostDirection) gather(dst, own, far []float32) {
	if d.kept() {
		copy(dst, own)
		return
	}
	lo := d.first[0]
	for c := range dst {
		hi := d.first[c+1]
		v := own[lo]
		if hi-lo == 2 {
			v += own[lo+1]
		}
		dst[c] = v + (far[lo] + far[hi+1])
		lo = hi
	}
}

// expand sets, for every fine cell, the value of its coarse cell and that of the farther one.
func (d *hostDirection) expand(own, far, v []float32) {
	if d.kept() {
		copy(own, v)
		copy(far, v)
		return
	}
	lo, before := d.first[0], v[0]
	for c, x := range v {
		hi := d.first[c+1]
		own[lo], far[lo] = x, before
		if hi-lo == 2 {
			own[lo+1], far[lo+1] = x, v[min(c+1, len(v)-1)]
		}
		lo, before = hi, x
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

// regular says that rows go to regular pairs along x, by a weight for the whole row along y.
func (r *rowTo) regular(tr *hostTransfer) bool {
	return tr.x.regular && r.limited == nil && tr.wx[r.k] == nil && tr.wy[r.k] == nil
}

// weights are those of the cells of row j for the farther coarse cells along x and y. Uniform ones go into even.
func (r *rowTo) weights(tr *hostTransfer, j int, even []float32) (wx, wy []float32) {
	n := len(even)
	wx, weight := tr.x.Far, tr.y.Far[j]
	switch {
	case r.limited == nil:
		if w := tr.wx[r.k]; w != nil {
			wx = w[j*n : j*n+n]
		}
		if w := tr.wy[r.k]; w != nil {
			return wx, w[j*n : j*n+n]
		}
	case r.limited.along == 1:
		wx = r.limited.weight
	default:
		weight = r.limited.weight[j]
	}
	for i := range even {
		even[i] = weight
	}
	return wx, even
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
	f := t.fine
	n := f.nx
	w := f.s.Scratch(worker).Floats(8*n + 2)
	part, even := w[:n], w[n:2*n]
	for k := range f.nz {
		for _, to := range f.next.targets[k] {
			rows := t.expanded(to.plane, w[2*n:])
			regular := to.regular(&f.next)
			for j := lo; j < hi; j++ {
				o := f.pad + k*f.sheet + j*n
				x := t.x[o : o+n]
				if to.of != nil {
					clear(part)
					x = part
				}
				if regular {
					rows.addRegular(x, j)
				} else {
					wx, wy := to.weights(&f.next, j, even)
					rows.add(x, j, wx, wy)
				}
				if to.of != nil {
					to.keep(part, part, j)
					simd.Add(t.x[o:o+n], part, 1)
				}
			}
		}
	}
}

// expansion interpolates the rows of a coarse plane, of which three at a time are expanded to fine cells.
type expansion struct {
	next     *hostTransfer
	plane    []float32
	own, far [3][]float32
	of       [3]int    // the coarse rows
	line     []float32 // of regular pairs in their place: a coarse row, with a cell more at either end
}

func (t *prolongTask) expanded(plane int, work []float32) expansion {
	c, n := t.coarse, t.fine.nx
	e := expansion{next: &t.fine.next, plane: t.xc[c.pad+plane*c.sheet:][:c.sheet], of: [3]int{-1, -1, -1}}
	for i := range e.of {
		e.own[i], e.far[i] = work[2*i*n:(2*i+1)*n], work[(2*i+1)*n:(2*i+2)*n]
	}
	e.line = work[:n/2+2]
	return e
}

// row is coarse row c, expanded.
func (e *expansion) row(c int) (own, far []float32) {
	i := c % len(e.of)
	if e.of[i] != c {
		n := e.next.x.Coarse(len(e.own[i]))
		e.of[i] = c
		e.next.x.expand(e.own[i], e.far[i], e.plane[c*n:(c+1)*n])
	}
	return e.own[i], e.far[i]
}

// add adds the interpolation of fine row j to x.
func (e *expansion) add(x []float32, j int, wx, wy []float32) {
	near, far := e.next.y.parents(j)
	own, beyond := e.row(near)
	other, otherBeyond := own, beyond
	if far >= 0 {
		other, otherBeyond = e.row(far)
	}
	simd.Blend(x, own, beyond, other, otherBeyond, wx, wy)
}

// addRegular adds the interpolation of fine row j to x between regular pairs.
func (e *expansion) addRegular(x []float32, j int) {
	m := len(x) / 2
	near, far := e.next.y.parents(j)
	weight := e.next.y.Far[j]
	if far < 0 {
		far, weight = near, 0
	}
	v := e.line[1 : 1+m]
	simd.Combine(v, e.plane[near*m:(near+1)*m], e.plane[far*m:(far+1)*m], 1-weight, weight)
	e.line[0], e.line[m+1] = v[0], v[m-1] // beyond the ends lies the same again
	simd.SpreadPairs(x, e.line, 0.75, 0.25)
}
