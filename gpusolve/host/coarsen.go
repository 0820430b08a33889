package host

import (
	"thermsim/gpusolve/ops"
)

// Coarsen halves the directions asked for. Conductances are resistances in series and parallel: between two coarse cells, each fine row adds
// the resistance from centre to centre, half of the fine coupling inside either cell and the coupling across. Ground and vertical
// couplings add.
func (s *system) Coarsen(fine ops.Level, c ops.Coarsening) (ops.Level, error) {
	f := fine.(*level)
	l := newLevel(s, c.X.Coarse(f.nx), c.Y.Coarse(f.ny), f.nz)
	f.next = transfer{
		x: newDirection(c.X, f.nx), y: newDirection(c.Y, f.ny),
		wx: make([][]float32, f.nz), wy: make([][]float32, f.nz),
	}
	l.gx, l.gy, l.gz = l.new32(), l.new32(), l.new32()
	l.ground = make([][]float32, l.nz)
	for k := range l.ground {
		if f.ground[k] != nil {
			l.ground[k] = make([]float32, l.sheet)
			s.Account(int64(l.sheet) * 4)
		}
	}
	l.from, l.inverse = f, l.new32()
	f.reserveWeights(c.Weighted)
	l.compute()
	return l, nil
}

type coarsenTask struct{ fine, coarse *level }

func (t *coarsenTask) Run(lo, hi, _ int) {
	for k := range t.coarse.nz {
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
	c := l.pad + k*l.sheet + j*l.nx + i
	var gx, gy, gz, ground float32
	for jj := j0; jj < j1; jj++ {
		for ii := i0; ii < i1; ii++ {
			n := k*f.sheet + jj*f.nx + ii
			gz += f.gz[f.pad+n]
			if g := f.ground[k]; g != nil {
				ground += g[jj*f.nx+ii]
			}
		}
	}
	for jj := j0; jj < j1 && i+1 < l.nx; jj++ {
		gx += f.next.x.series(f.gx[f.pad+k*f.sheet+jj*f.nx:], i, 1)
	}
	for ii := i0; ii < i1 && j+1 < l.ny; ii++ {
		gy += f.next.y.series(f.gy[f.pad+k*f.sheet+ii:], j, f.nx)
	}
	l.gx[c], l.gy[c], l.gz[c] = gx, gy, gz
	if l.ground[k] != nil {
		l.ground[k][j*l.nx+i] = ground
	}
}

// series is the conductance between coarse cells c and c+1 of a line of fine cells, whose couplings lie stride apart.
func (d *direction) series(g []float32, c, stride int) float32 {
	lo, mid := d.span(c)
	_, hi := d.span(c + 1)
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

// reserveWeights takes memory for conductance-weighted interpolation in the planes asked for.
func (l *level) reserveWeights(weighted []bool) {
	t := &l.next
	for k, w := range weighted {
		if !w {
			continue
		}
		if !t.x.kept() {
			t.wx[k] = make([]float32, l.sheet)
			l.s.Account(int64(l.sheet) * 4)
		}
		if !t.y.kept() {
			t.wy[k] = make([]float32, l.sheet)
			l.s.Account(int64(l.sheet) * 4)
		}
	}
}

// weighTask computes conductance-weighted interpolation: the weight of the far coarse neighbour is the resistance from the cell to its own coarse centre
// over that from centre to centre.
type weighTask struct{ l *level }

func (t *weighTask) Run(lo, hi, _ int) {
	l := t.l
	for k := range l.nz {
		wx, wy := l.next.wx[k], l.next.wy[k]
		base := l.pad + k*l.sheet
		for j := lo; j < hi; j++ {
			if wx != nil {
				row := l.gx[base+j*l.nx:]
				for i := range l.nx {
					wx[j*l.nx+i] = l.next.x.farWeight(row, i, 1)
				}
			}
			if wy != nil {
				for i := range l.nx {
					wy[j*l.nx+i] = l.next.y.farWeight(l.gy[base+i:], j, l.nx)
				}
			}
		}
	}
}

// farWeight is the weight of the far coarse neighbour for position p of a line of fine cells.
func (d *direction) farWeight(g []float32, p, stride int) float32 {
	near, far := d.parents(p)
	if far < 0 {
		return 0
	}
	lo, _ := d.span(near)
	link := lo + 1 // the coupling from the pair to the far cell
	if far < near {
		link = lo - 1
	}
	if g[link*stride] == 0 {
		return 0
	}
	own := 0.5 / g[lo*stride]
	r := own + 1/g[link*stride]
	if flo, fhi := d.span(far); fhi-flo == 2 {
		r += 0.5 / g[flo*stride]
	}
	return own / r
}
