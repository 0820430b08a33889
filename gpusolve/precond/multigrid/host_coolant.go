package multigrid

import (
	"thermsim/gpusolve/host/simd"
	"thermsim/gpusolve/reuse"
)

// hostCooling is what a level of a stack with coolant has beside its couplings. Coolant is carried with upwind
// differences on every level: also where the operator has central ones, which no smoother bears.
//
// Columns couple planes k and k+1 and, by far, planes k and k+2. The elimination from the bottom fills in couplings of
// planes k and k+1 only:
//
//	e_k = gz_k + far_{k-1} e_{k-1} / pivot_{k-1}
//
// A plane of channels holds walls and coolant side by side. A coarse cell would have one value for both; so the next
// level has two planes in its place, one for the walls and above it one for the coolant, coupled like those of a porous
// cavity.
type hostCooling struct {
	far        [][]float32 // per lower plane, nil where there are none
	eliminated [][]float32 // per plane: e, nil where it is gz
	flows      []*hostFlow
	at         []*hostFlow // by plane of coolant, nil elsewhere
	zero       []float32   // a row
}

// hostFlow is the coolant of a cavity on a level.
type hostFlow struct {
	*flow
	lines []*hostLines
}

func newHostCooling(l *hostLevel, far [][]float32) *hostCooling {
	c := &hostCooling{far: far, eliminated: make([][]float32, l.nz), at: make([]*hostFlow, l.nz),
		zero: make([]float32, l.nx)}
	for k := 1; k < l.nz; k++ {
		if far[k-1] != nil {
			c.eliminated[k] = l.newSheet()
		}
	}
	return c
}

func (l *hostLevel) newSheet() []float32 {
	l.s.Account(int64(l.sheet) * 4)
	return reuse.Make[float32](l.s.Arrays(), l.sheet)
}

// cooled gives the finest level its coolant, if any flows.
func (l *hostLevel) cooled() {
	far, cavities, ok := l.s.Cooling()
	if !ok {
		return
	}
	l.cool = newHostCooling(l, far)
	for _, v := range cavities {
		l.cool.add(l, finestFlow(v))
	}
}

func (c *hostCooling) add(l *hostLevel, v flow) {
	f := &hostFlow{flow: &v}
	for _, plane := range f.planes() {
		f.lines = append(f.lines, newLines(l, f, plane))
	}
	c.flows = append(c.flows, f)
	c.at[f.plane] = f
}

// line of a cell of a flow.
func (f *hostFlow) line(i, j int) int { return f.of.Line(i, j) }

// step is the distance from a cell to the one downstream.
func (f *hostFlow) step(l *hostLevel) int {
	_, step, _, _ := f.of.Course(l.nx, l.ny)
	return step
}

// addUpstream adds what the coolant brings from the cells upstream, whose values are in x, to n cells of row j. The
// first of them is cell i, at c in padded vectors.
func (f *hostFlow) addUpstream(l *hostLevel, dst, x []float32, c, i, j int) {
	n := len(dst)
	from := c - f.step(l)
	switch {
	case f.of.Along == 1:
		if inlet := f.of.Backward && j == l.ny-1 || !f.of.Backward && j == 0; !inlet {
			simd.Couple(dst, f.heat[i:i+n], l.cool.zero, x[from:from+n])
		}
	case f.of.Backward:
		if i+n == l.nx {
			n--
		}
		if n > 0 {
			simd.Add(dst[:n], x[from:from+n], f.heat[j])
		}
	default:
		first := 0
		if i == 0 {
			first = 1
		}
		if first < n {
			simd.Add(dst[first:], x[from+first:from+n], f.heat[j])
		}
	}
}

// drain takes from a row of the residual what the coolant carries out of its cells, whose values are own.
func (f *hostFlow) drain(res, own []float32, j int) {
	if f.of.Along == 1 {
		simd.Drain(res, f.heat, own)
		return
	}
	simd.Add(res, own, -f.heat[j])
}

// right is b of cells of plane k from offset c on with what solved planes below and coolant upstream add to it: b
// itself where that is nothing. A nil x is zero.
func (l *hostLevel) right(work, b, y, x []float32, k, c int) []float32 {
	n := len(b)
	if l.cool == nil {
		return b
	}
	low := k >= 2 && l.cool.far[k-2] != nil
	flow := l.cool.at[k]
	if !low && (flow == nil || x == nil) {
		return b
	}
	cell := c - l.pad - k*l.sheet
	copy(work, b)
	if low {
		simd.Couple(work[:n], l.cool.far[k-2][cell:cell+n], l.cool.zero, y[(k-2)*n:(k-1)*n])
	}
	if flow != nil && x != nil {
		flow.addUpstream(l, work[:n], x, c, cell%l.nx, cell/l.nx)
	}
	return work[:n]
}

// restCooled takes from row j of the residual in plane k what far couplings and the coolant carry away.
func (l *hostLevel) restCooled(res, x []float32, k, j, c int) {
	n := len(res)
	own := x[c : c+n]
	for _, o := range [2]int{0, -2} {
		if k+o < 0 || l.cool.far[k+o] == nil {
			continue
		}
		other := c + (2+2*o)*l.sheet
		simd.Couple(res, l.cool.far[k+o][j*n:j*n+n], own, x[other:other+n])
	}
	if f := l.cool.at[k]; f != nil {
		f.drain(res, own, j)
		f.addUpstream(l, res, x, c, 0, j)
	}
}

// A wall or coolant that a coarse cell lacks follows the solids below and above, or the walls, by a share of what ties
// the other: it carries nothing, and interpolation finds a value there.
const follow = 1e-3

// coarsenCooling gives a coarse level its coolant, and sets where the transfer takes the planes.
func (l *hostLevel) coarsenCooling() {
	f := l.from
	if f.cool == nil {
		return
	}
	to := &f.next
	far := make([][]float32, l.nz)
	couple := func(k int) {
		if far[k] == nil {
			far[k] = l.newSheet()
		}
	}
	for k := range f.nz {
		if f.cool.far[k] != nil {
			couple(to.plane(k))
		}
		if to.parts(k) != nil {
			couple(to.plane(k) - 1)
			couple(to.plane(k))
		}
	}
	l.cool = newHostCooling(l, far)
	for _, v := range f.cool.flows {
		w := v.coarse(to.pairings(), &to.planeMap)
		l.cool.add(l, w)
		to.limit(v, &w)
	}
}

// cooledCoarsenTask fills in what coolant changes on a coarse level: planes that part, and far couplings.
type cooledCoarsenTask struct{ fine, coarse *hostLevel }

func (t *cooledCoarsenTask) Run(lo, hi, _ int) {
	f, l := t.fine, t.coarse
	to := &f.next
	for j := lo; j < hi; j++ {
		for k := range f.nz {
			if far := f.cool.far[k]; far != nil {
				to.sum(l.cool.far[to.plane(k)][j*l.nx:(j+1)*l.nx], far, j, f.nx)
			}
		}
		for _, v := range f.cool.flows {
			if v.split {
				t.part(v, j)
			}
		}
	}
}

// part divides row j of a plane of channels among walls and coolant.
func (t *cooledCoarsenTask) part(v *hostFlow, j int) {
	f, l := t.fine, t.coarse
	walls := f.next.plane(v.plane)
	row := func(p []float32, k int) []float32 { return p[l.pad+k*l.sheet+j*l.nx:][:l.nx] }
	below, film, above := row(l.gz, walls-1), row(l.gz, walls), row(l.gz, walls+1)
	farBelow, farAbove := l.cool.far[walls-1][j*l.nx:(j+1)*l.nx], l.cool.far[walls][j*l.nx:(j+1)*l.nx]
	for _, p := range [][]float32{below, film, above, farBelow, farAbove, row(l.gx, walls), row(l.gx, walls+1),
		row(l.gy, walls), row(l.gy, walls+1)} {
		clear(p)
	}
	for _, k := range [2]int{walls, walls + 1} {
		if g := l.ground[k]; g != nil {
			clear(g[j*l.nx : (j+1)*l.nx])
		}
	}
	side, next := f.gx, 1
	if v.of.Along == 0 {
		side, next = f.gy, f.nx
	}
	j0, j1 := f.next.y.span(j)
	for i := range l.nx {
		i0, i1 := f.next.x.span(i)
		for jj := j0; jj < j1; jj++ {
			for ii := i0; ii < i1; ii++ {
				at := f.pad + v.plane*f.sheet + jj*f.nx + ii
				k := walls
				if v.wet[v.line(ii, jj)] {
					k++
					farBelow[i] += f.gz[at-f.sheet]
					above[i] += f.gz[at]
					film[i] += side[at] + side[at-next]
				} else {
					below[i] += f.gz[at-f.sheet]
					farAbove[i] += f.gz[at]
				}
				if g := f.ground[v.plane]; g != nil {
					l.ground[k][j*l.nx+i] += g[jj*f.nx+ii]
				}
			}
		}
		t.lateral(v, walls, i, j)
		t.complete(&below[i], &film[i], &farBelow[i], &farAbove[i])
	}
}

// complete ties what a coarse cell lacks to what is there.
func (t *cooledCoarsenTask) complete(below, film, farBelow, farAbove *float32) {
	if *below == 0 && *farAbove == 0 { // no walls
		g := *film
		if g == 0 {
			g = *farBelow
		}
		*below, *farAbove = g, g
	}
	if *film == 0 && *farBelow == 0 { // no coolant
		*film = follow * *below
	}
}

// lateral sets the couplings of a coarse cell of walls and coolant to its neighbours of higher coordinates: those of
// cells of one kind.
func (t *cooledCoarsenTask) lateral(v *hostFlow, walls, i, j int) {
	f, l := t.fine, t.coarse
	c := l.pad + j*l.nx + i
	i0, i1 := f.next.x.span(i)
	j0, j1 := f.next.y.span(j)
	plane := f.pad + v.plane*f.sheet
	kind := func(ii, jj int) int {
		if v.wet[v.line(ii, jj)] {
			return walls + 1
		}
		return walls
	}
	if i+1 < l.nx {
		_, end := f.next.x.span(i + 1)
		for jj := j0; jj < j1; jj++ {
			if k := kind(i1-1, jj); k == kind(i1, jj) {
				l.gx[c+k*l.sheet] += f.gx[plane+jj*f.nx+i1-1] / (float32(end-i0) / 2)
			}
		}
	}
	if j+1 < l.ny {
		_, end := f.next.y.span(j + 1)
		for ii := i0; ii < i1; ii++ {
			if k := kind(ii, j1-1); k == kind(ii, j1) {
				l.gy[c+k*l.sheet] += f.gy[plane+(j1-1)*f.nx+ii] / (float32(end-j0) / 2)
			}
		}
	}
}

// cooledFactorTask eliminates the columns of a level with coolant from the bottom up. With m the conductances of a cell
// to everything outside its column, coolant carried away among them,
//
//	t_k = m_k + e_{k-1} t_{k-1} / pivot_{k-1} + far_{k-2} t_{k-2} / pivot_{k-2},   pivot_k = e_k + far_k + t_k
//
// All terms are positive, as without coolant.
type cooledFactorTask struct{ l *hostLevel }

func (t *cooledFactorTask) Run(lo, hi, worker int) {
	l := t.l
	rest := l.s.Scratch(worker).Floats(3 * l.nx) // t of this plane and of the two below
	for j := lo; j < hi; j++ {
		for k := range l.nz {
			row := func(k int) []float32 { return rest[k%3*l.nx : (k%3+1)*l.nx] }
			var below, under []float32
			if k > 0 {
				below = row(k - 1)
			}
			if k > 1 && l.cool.far[k-2] != nil {
				under = row(k - 2)
			}
			t.row(row(k), below, under, k, j)
		}
	}
}

func (t *cooledFactorTask) row(rest, below, under []float32, k, j int) {
	l := t.l
	c := l.pad + k*l.sheet + j*l.nx
	flow, far, fill, ground := l.cool.at[k], l.cool.far[k], l.cool.eliminated[k], l.ground[k]
	for i := range rest {
		at, cell := c+i, j*l.nx+i
		m := l.gx[at] + l.gx[at-1] + l.gy[at] + l.gy[at-l.nx]
		if ground != nil {
			m += ground[cell]
		}
		if flow != nil {
			m += flow.heat[flow.line(i, j)]
		}
		e := l.gz[at]
		if below != nil {
			g := l.below(k, c, l.nx)[i]
			m += g * (below[i] * l.inverse[at-l.sheet])
			if fill != nil {
				e += l.cool.far[k-1][cell] * (g * l.inverse[at-l.sheet])
				fill[cell] = e
			}
		}
		if under != nil {
			m += l.cool.far[k-2][cell] * (under[i] * l.inverse[at-2*l.sheet])
		}
		rest[i] = m
		pivot := e + m
		if far != nil {
			pivot += far[cell]
		}
		l.inverse[at] = 1 / pivot
	}
}

// computeCooled fills in what coolant adds to a level, and factors columns and lines.
func (l *hostLevel) computeCooled() {
	if l.from != nil {
		l.rows(&cooledCoarsenTask{l.from, l}, l.ny)
	}
	l.followFlows()
	l.rows(&cooledFactorTask{l}, l.ny)
	l.overLines(nil, nil)
}

// followFlows takes what the lines of coolant carry from the mesh or from the finer level.
func (l *hostLevel) followFlows() {
	for n, f := range l.cool.flows {
		if l.from == nil {
			f.carry(nil, Coarsening{})
		} else {
			f.carry(l.from.cool.flows[n].flow, l.from.next.pairings())
		}
	}
}
