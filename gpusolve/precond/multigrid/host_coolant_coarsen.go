package multigrid

// A wall or coolant that a coarse cell lacks follows the solids below and above, or the walls, by a share of what ties
// the other: it carries nothing, and interpolation finds a value there.
const follow = 1e-3

// coarsenCooling gives a coarse level its coolant, and tells the transfer where the planes go.
func (l *hostLevel) coarsenCooling() {
	f := l.from
	if f.cool == nil {
		return
	}
	to := &f.next
	far := make([]bool, l.nz)
	for k := range f.nz {
		if f.cool.far[k] != nil {
			far[to.plane(k)] = true
		}
		if s := to.parts(k); s != nil {
			far[to.plane(k)-1], far[to.plane(k)] = true, true
		}
	}
	l.cool = newHostCooling(l, func(k int) bool { return far[k] })
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
				t.sum(l.cool.far[to.plane(k)][j*l.nx:(j+1)*l.nx], far, j)
			}
		}
		for _, v := range f.cool.flows {
			if v.split {
				t.part(v, j)
			}
		}
	}
}

// sum adds up a plane's values over the cells of coarse row j.
func (t *cooledCoarsenTask) sum(dst, from []float32, j int) {
	f := t.fine
	clear(dst)
	j0, j1 := f.next.y.span(j)
	for i := range dst {
		i0, i1 := f.next.x.span(i)
		for jj := j0; jj < j1; jj++ {
			for ii := i0; ii < i1; ii++ {
				dst[i] += from[jj*f.nx+ii]
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
