package multigrid

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
	if l.ground[plane] != nil {
		l.ground[plane][j*l.nx+i] = ground
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
