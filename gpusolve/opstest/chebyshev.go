package opstest

import (
	"fmt"
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
)

// chebyshev runs some steps of the iteration in every pair of precisions beside the recurrence in FP64 with a, the matrix in the form stored.
func (p *probe) chebyshev(s ops.Stored, a *sparse.CSR) {
	p.Helper()
	m := p.work.(ops.Chebyshev)
	top := 0.0
	for r := range a.N() {
		top = math.Max(top, 2*a.At(r, r))
	}
	for _, k := range kinds(false) {
		if k.vector < k.entries && k.vector == ops.Double {
			continue // for the outer iteration only
		}
		p.iteration(fmt.Sprintf("Chebyshev, entries %v, vectors %v: ", k.entries, k.vector), m, s, a, k, top)
	}
	p.lanczos(m, s)
}

// iteration takes three steps over [top/8, top], the last of which goes back to unscaled vectors.
func (p *probe) iteration(what string, m ops.Chebyshev, s ops.Stored, a *sparse.CSR, k kind, top float64) {
	p.Helper()
	half := k.entries == ops.Half
	theta := top * 9 / 16
	vec := func() ops.Vector { return p.must(m.NewMixed(s, k.vector)) }
	z, rest, d, next, r := vec(), vec(), vec(), vec(), vec()
	rv := p.fill(m, r)
	m.ChebyshevStart(s, rest, d, r, theta, half)
	left, dir := p.values(m, rest), p.values(m, d)
	// c S is what relates them; S is found by its use, c from the size.
	lift := largest(dir)
	if half && (lift < 4 || lift >= 8.01) && largest(rv) > 0 {
		p.Errorf("%sthe largest correction is %g; it must be in [4, 8)", what, lift)
	}
	eps := max(k.eps, eps64) * 8
	for i := range dir {
		if math.Abs(dir[i]-left[i]/theta) > eps*math.Abs(dir[i])+0x1p-23*float64(k.vector&ops.Half) {
			p.Fatalf("%scorrection %d is %g, want %g", what, i, dir[i], left[i]/theta)
		}
	}
	ratio := make([]float64, len(rv)) // c S
	for i := range ratio {
		ratio[i] = left[i] / rv[i]
	}
	if k.vector == ops.Half {
		return // what follows is FP32's, but for the rounding; whole solves test it
	}
	sum := make([]float64, len(rv))
	scale := rowSize(a, dir) + largest(left)
	for n, u := range []ops.Recurrence{{Keep: 0.3, Gain: 1.7 / top, First: true}, {Keep: 0.4, Gain: 1.1 / top}, {Keep: 0.5, Gain: 0.9 / top, Last: true}} {
		m.ChebyshevStep(s, k.entries, u, z, rest, d, next)
		ad := make([]float64, len(dir))
		a.Multiply(ad, dir)
		for i := range sum {
			sum[i] += dir[i]
			left[i] -= ad[i]
			dir[i] = u.Keep*dir[i] + u.Gain*left[i]
		}
		if u.Last {
			p.finished(what, m, s, z, sum, dir, rv, ratio, k, top, scale)
			break
		}
		step := fmt.Sprint(what, "step ", n, ", ")
		p.near(step+"z", p.values(m, z), sum, scale/top, eps)
		p.near(step+"rest", p.values(m, rest), left, scale, eps)
		p.near(step+"next", p.values(m, next), dir, scale/top, eps)
		// The separate step does the same after a product.
		d, next = next, d
		sum, left, dir = p.values(m, z), p.values(m, rest), p.values(m, d)
	}
}

// finished checks z = S (sum + dir)/c, where ratio = c S.
func (p *probe) finished(what string, m ops.Chebyshev, s ops.Stored, z ops.Vector, sum, dir, rv, ratio []float64, k kind, top, scale float64) {
	p.Helper()
	got := p.values(m, z)
	// S c and S / c have the product S^2 over that of c: with S = 1, c^-2.
	c := 0.0
	for i := range got {
		v := sum[i] + dir[i]
		if math.Abs(v) < 1e-3*scale/top || math.Abs(rv[i]) < 1e-3 {
			continue
		}
		back := got[i] / v // S / c
		this := math.Sqrt(ratio[i] / back)
		if c == 0 {
			c = this
		}
		if math.Abs(this-c) > 3000*max(k.eps, 1e-6)*c {
			p.Errorf("%svalue %d comes back by another power of two: %g, others by %g", what, i, this, c)
			return
		}
	}
}

// lanczos checks noise and the purge of directions.
func (p *probe) lanczos(m ops.Chebyshev, s ops.Stored) {
	p.Helper()
	v, u, w := p.must(m.NewMixed(s, ops.Single)), p.must(m.NewMixed(s, ops.Single)), p.must(m.NewMixed(s, ops.Single))
	m.LanczosSeed(v, 7)
	vv := p.read(v)
	p.scalar("norm of noise", m.Scalars().RR, dot(vv, vv), 1e-12)
	if n := len(vv); n > 300 && (math.Abs(dot(vv, vv)/float64(n)-1.0/3) > 0.1 || largest(vv) > 1) {
		p.Errorf("noise has the mean square %g and goes up to %g; want 1/3 and 1", dot(vv, vv)/float64(n), largest(vv))
	}
	m.LanczosSeed(u, 8)
	if uv := p.read(u); len(uv) > 300 && math.Abs(dot(uv, vv))/float64(len(uv)) > 0.1 {
		p.Error("noise of two seeds is correlated")
	}
	wv, uv := p.random(w), p.read(u)
	for i := range wv {
		wv[i] -= 0.25*vv[i] + 1.5*uv[i]
	}
	m.LanczosPurge(w, v, u, 0.25, 1.5)
	p.near("purged vector", p.read(w), wv, 4, eps32)
	wv = p.read(w)
	p.scalar("norm of the purged vector", m.Scalars().RR, dot(wv, wv), 1e-12)
	m.LanczosPurge(w, v, nil, 0.5, 0)
	for i := range wv {
		wv[i] -= 0.5 * vv[i]
	}
	p.near("once purged vector", p.read(w), wv, 4, eps32)
}
