package multigrid

import (
	"math"

	"thermsim/gpusolve/host/simd"
)

// Coarsen halves the directions asked for. Conductances are resistances in series and parallel: between two coarse
// cells, each fine row adds the resistance from centre to centre, half of the fine coupling inside either cell and the
// coupling across. Ground and vertical couplings add.
func (s *hostOperations) Coarsen(fine Level, c Coarsening) (Level, error) {
	f := fine.(*hostLevel)
	to := &f.next
	*to = hostTransfer{
		x: newHostDirection(c.X, f.nx), y: newHostDirection(c.Y, f.ny), wet: make([]*limited, f.nz),
		wx: make([][]float32, f.nz), wy: make([][]float32, f.nz),
	}
	var flows []*flow
	if f.cool != nil {
		to.flows = f.cool.flows
		for _, v := range to.flows {
			flows = append(flows, v.flow)
		}
	}
	to.planeMap = newPlaneMap(f.nz, flows)
	l := newHostLevel(s, c.X.Coarse(f.nx), c.Y.Coarse(f.ny), len(to.origin))
	l.gx, l.gy, l.gz = l.new32(), l.new32(), l.new32()
	l.ground = make([][]float32, l.nz)
	for k, g := range f.ground {
		if g == nil {
			continue
		}
		l.ground[to.plane(k)] = l.newSheet()
		if to.parts(k) != nil {
			l.ground[to.plane(k)+1] = l.newSheet()
		}
	}
	l.from, l.inverse = f, l.new32()
	l.coarsenCooling()
	to.aim()
	f.reserveWeights(c.Weighted)
	l.compute()
	return l, nil
}

type coarsenTask struct{ fine, coarse *hostLevel }

func (t *coarsenTask) Run(lo, hi, _ int) {
	for k := range t.fine.nz {
		if t.fine.next.parts(k) != nil {
			continue // cooledCoarsenTask
		}
		for j := lo; j < hi; j++ {
			for i := range t.coarse.nx {
				t.cell(i, j, k)
			}
		}
	}
}

func (t *coarsenTask) cell(i, j, k int) {
	f, l := t.fine, t.coarse
	i0, i1 := f.next.x.span(i)
	j0, j1 := f.next.y.span(j)
	plane := f.next.plane(k)
	c := l.pad + plane*l.sheet + j*l.nx + i
	var gx, gy, gz float32
	for jj := j0; jj < j1; jj++ {
		for ii := i0; ii < i1; ii++ {
			gz += f.gz[f.pad+k*f.sheet+jj*f.nx+ii]
		}
	}
	for jj := j0; jj < j1 && i+1 < l.nx; jj++ {
		gx += f.next.x.series(f.gx[f.pad+k*f.sheet+jj*f.nx:], i, 1)
	}
	for ii := i0; ii < i1 && j+1 < l.ny; ii++ {
		gy += f.next.y.series(f.gy[f.pad+k*f.sheet+ii:], j, f.nx)
	}
	l.gx[c], l.gy[c], l.gz[c] = gx, gy, gz
}

// groundTask adds up the ground of fine cells, except in planes that part.
type groundTask struct{ fine, coarse *hostLevel }

func (t *groundTask) Run(lo, hi, _ int) {
	f, l := t.fine, t.coarse
	for k, from := range f.ground {
		if from == nil || f.next.parts(k) != nil {
			continue
		}
		to := l.ground[f.next.plane(k)]
		for j := lo; j < hi; j++ {
			f.next.sum(to[j*l.nx:(j+1)*l.nx], from, j, f.nx)
		}
	}
}

// sum adds up a plane's values over the cells of coarse row j.
func (t *hostTransfer) sum(dst, from []float32, j, nx int) {
	clear(dst)
	j0, j1 := t.y.span(j)
	for i := range dst {
		i0, i1 := t.x.span(i)
		for jj := j0; jj < j1; jj++ {
			for _, v := range from[jj*nx+i0 : jj*nx+i1] {
				dst[i] += v
			}
		}
	}
}

// series is the conductance between coarse cells c and c+1 of a line of fine cells, whose couplings lie stride apart.
func (d *hostDirection) series(g []float32, c, stride int) float32 {
	lo, mid := d.span(c)
	_, hi := d.span(c + 1)
	if lo == mid || mid == hi { // at the end of a slab
		return 0
	}
	across := g[(mid-1)*stride]
	if across == 0 {
		return 0
	}
	r := 1 / across
	if mid-lo == 2 {
		r += 0.5 / g[lo*stride]
	}
	if hi-mid == 2 {
		r += 0.5 / g[mid*stride]
	}
	return 1 / r
}

// reserveWeights takes memory for conductance-weighted interpolation in the planes asked for, where planes have parted
// in all or none.
func (l *hostLevel) reserveWeights(weighted []bool) {
	t := &l.next
	for k := range l.nz {
		if !weighted[min(k, len(weighted)-1)] {
			continue
		}
		if !t.x.kept() {
			t.wx[k] = l.newSheet()
		}
		if !t.y.kept() {
			t.wy[k] = l.newSheet()
		}
	}
}

// weighTask computes conductance-weighted interpolation. Alone, a plane gives the far coarse neighbour the weight w0:
// the resistance from the cell to its own coarse centre over that from centre to centre. But differences between planes
// that conduct well to one another cost energy in the vertical couplings, which grow fourfold with every level. The
// coarse correction would then add many times the error that it removes. So the weights of a column solve this system.
//
//	s_k (w_k - w0_k) = gz_{k-1/2} (w_{k-1} - w_k) + gz_{k+1/2} (w_{k+1} - w_k)
//
// with s the sum of the conductances to both coarse centres: the interpolation that eliminating the column from the
// coarse values gives. Planes that hardly touch keep their own weights; others get the mean, weighted by s.
type weighTask struct{ l *hostLevel }

func (t *weighTask) Run(lo, hi, worker int) {
	l := t.l
	n := l.nx
	w := l.s.Scratch(worker).Floats((l.nz + 3) * n)
	pivots, link, own, far := w[:l.nz*n], w[l.nz*n:][:n], w[(l.nz+1)*n:][:n], w[(l.nz+2)*n:][:n]
	for j := lo; j < hi; j++ {
		if x := &l.next.x; !x.kept() {
			l.weighRow(l.next.wx, j, pivots, func(k int, products, sums []float32) {
				g := l.gx[l.pad+k*l.sheet+j*n:]
				for i := range link {
					link[i], own[i], far[i] = x.pulls[i].of(g)
				}
				simd.Pull(products, sums, link, own, far)
			})
		}
		if y := &l.next.y; !y.kept() {
			l.weighRow(l.next.wy, j, pivots, func(k int, products, sums []float32) {
				p := y.pulls[j]
				row := func(j int32) []float32 { return l.gy[l.pad+k*l.sheet+int(j)*n:][:n] }
				if p.link < 0 {
					clear(products)
					clear(sums)
					return
				}
				beyond := far
				if p.far >= 0 {
					beyond = row(p.far)
				} else {
					for i := range far {
						far[i] = single
					}
				}
				simd.Pull(products, sums, row(p.link), row(p.own), beyond)
			})
		}
	}
}

// weighRow solves the columns over row j, by elimination from the bottom. The terms of the pivots are positive, and
// differences of weights from those above stay small where the planes conduct well: FP32 is safe.
// fill sets the right-hand sides and the terms of the planes' own.
func (l *hostLevel) weighRow(weights [][]float32, j int, pivots []float32,
	fill func(k int, products, sums []float32)) {
	n := l.nx
	at := func(k int) (row, pivot, gz []float32) {
		return weights[k][j*n : j*n+n], pivots[k*n : k*n+n], l.gz[l.pad+k*l.sheet+j*n:][:n]
	}
	for k := range l.nz {
		if weights[k] == nil {
			continue
		}
		row, pivot, _ := at(k)
		fill(k, row, pivot)
		if k > 0 && weights[k-1] != nil {
			below, under, gz := at(k - 1)
			simd.Carry(row, pivot, gz, below, under)
		}
	}
	for k := l.nz - 1; k >= 0; k-- {
		if weights[k] == nil {
			continue
		}
		row, pivot, gz := at(k)
		if k < l.nz-1 && weights[k+1] != nil {
			above, _, _ := at(k + 1)
			simd.Settle(row, pivot, gz, above)
			continue
		}
		for i, p := range pivot {
			if p > 0 {
				row[i] /= p
			}
		}
	}
}

// pull names couplings along a line of fine cells, by the number of their first cell: link is that to the far coarse
// neighbour, own that within the pair, far that within the far pair. link is -1 without a far neighbour, and far where
// that is a single cell.
type pull struct{ link, own, far int32 }

func (d *hostDirection) newPull(p int) pull {
	none := pull{link: -1}
	near, far := d.parents(p)
	if far < 0 {
		return none
	}
	lo, _ := d.span(near)
	link := lo + 1
	if far < near {
		link = lo - 1
	}
	first, end := d.span(far)
	switch end - first {
	case 0: // a slab has none of its cells
		return none
	case 2:
		return pull{int32(link), int32(lo), int32(first)}
	}
	return pull{int32(link), int32(lo), -1}
}

// single is the coupling within a pair that is no pair: no resistance.
var single = float32(math.Inf(1))

// of returns the couplings of a cell in a line; that to the far coarse neighbour is 0 where there is none.
func (p pull) of(g []float32) (link, own, far float32) {
	if p.link < 0 {
		return 0, 0, single
	}
	if far = single; p.far >= 0 {
		far = g[p.far]
	}
	return g[p.link], g[p.own], far
}
