package multigrid_test

import "thermsim/gpusolve/precond/multigrid"

// weights checks conductance-weighted interpolation: ramps over the coarse cells, interpolated, tell the weight of
// every fine cell. With all planes weighted their columns agree as far as they conduct, with some only those next to
// one another do.
func (f *probe) weights(fine multigrid.Level) {
	for _, some := range []func(k int) bool{func(int) bool { return true }, func(k int) bool { return k%3 != 1 }} {
		how := f.pairs(true)
		for k := range how.Weighted {
			how.Weighted[k] = some(k)
		}
		coarse, err := f.m.Coarsen(fine, how)
		if err != nil {
			f.Fatal(err)
		}
		cx, cy, _ := coarse.Shape()
		xc, x := f.Must(f.m.NewVector(coarse)), f.Must(f.m.NewVector(fine))
		for _, d := range []coarsened{
			{"x", how.X, 1, f.nx, func(c int) int { return c % f.nx }, func(c int) int { return c % cx }},
			{"y", how.Y, f.nx, f.ny, func(c int) int { return c / f.nx % f.ny }, func(c int) int {
				return c / cx % cy
			}},
		} {
			if d.Parent == nil {
				continue
			}
			ramp := make([]float64, xc.Len())
			for c := range ramp {
				ramp[c] = float64(d.coarse(c))
			}
			f.Sys.Write(xc, ramp)
			f.Sys.Write(x, make([]float64, x.Len()))
			f.m.Prolong(fine, coarse, x, xc)
			eps := eps32*float64(max(cx, cy)) + f.rounding
			f.Near("weights along "+d.name, f.Read(x), f.ramp(d, how.Weighted), 1, eps)
		}
	}
}

// coarsened is a direction with its pairing.
type coarsened struct {
	name string
	multigrid.Pairing
	stride, n    int
	fine, coarse func(c int) int // position of a cell
}

// far is the coarse cell beyond that of fine cell p, false where there is none.
func (d *coarsened) far(p int) (int, bool) {
	near := int(d.Parent[p])
	first, last := p == 0 || d.Parent[p-1] != d.Parent[p], p == d.n-1 || d.Parent[p+1] != d.Parent[p]
	far := near + 1
	if first {
		far = near - 1
	}
	return far, first != last && far >= 0 && far <= int(d.Parent[d.n-1])
}

// ramp is what the interpolation of the coarse cells' numbers along d has to be.
func (f *probe) ramp(d coarsened, weighted []bool) []float64 {
	lateral, up := map[[2]int]float64{}, make([]float64, f.nx*f.ny*f.nz)
	f.Couplings(func(a, b int, g float64, beside bool) {
		if lateral[[2]int{a, b}] = g; !beside {
			up[a] = g
		}
	})
	x := make([]float64, f.nx*f.ny*f.nz)
	sheet := f.nx * f.ny
	for at := range sheet {
		p := d.fine(at)
		far, between := d.far(p)
		near := float64(d.Parent[p])
		product, sum := make([]float64, f.nz), make([]float64, f.nz)
		for k := range f.nz {
			x[k*sheet+at] = near
			if between {
				x[k*sheet+at] += float64(d.Far[p]) * (float64(far) - near)
				product[k], sum[k] = f.pull(d, lateral, k*sheet+at, p, far)
			}
		}
		if !between {
			continue
		}
		for k0 := 0; k0 < f.nz; k0++ {
			k1 := k0
			for k1 < f.nz && weighted[k1] {
				k1++
			}
			for i, w := range agree(product[k0:k1], sum[k0:k1], func(k int) float64 { return up[(k0+k)*sheet+at] }) {
				x[(k0+i)*sheet+at] = near + w*(float64(far)-near)
			}
			k0 = max(k0, k1-1)
		}
	}
	return x
}

// pull returns the conductance from cell c, at position p, to the centre of coarse cell far, and that plus the one to
// its own.
func (f *probe) pull(d coarsened, lateral map[[2]int]float64, c, p, far int) (toFar, both float64) {
	coupling := func(a, b int) float64 {
		if a > b {
			a, b = b, a
		}
		return lateral[[2]int{c + (a-p)*d.stride, c + (b-p)*d.stride}]
	}
	step := 1
	if far < int(d.Parent[p]) {
		step = -1
	}
	resistance := 1 / coupling(p, p+step)
	if q := p + 2*step; q >= 0 && q < d.n && int(d.Parent[q]) == far {
		resistance += 0.5 / coupling(p+step, q)
	}
	return 1 / resistance, 1/resistance + 2*coupling(p, p-step)
}

// agree solves sum_k w_k + the differences to the neighbours times up = product_k by elimination.
func agree(product, sum []float64, up func(k int) float64) []float64 {
	n := len(sum)
	w, d := append([]float64(nil), product...), make([]float64, n)
	for k := range n {
		d[k] += sum[k]
		if k+1 < n {
			d[k] += up(k)
			d[k+1] += up(k)
		}
	}
	for k := 1; k < n; k++ {
		f := up(k-1) / d[k-1]
		d[k] -= f * up(k-1)
		w[k] += f * w[k-1]
	}
	for k := n - 1; k >= 0; k-- {
		if k+1 < n {
			w[k] += up(k) * w[k+1]
		}
		w[k] /= d[k]
	}
	return w
}
