package opstest

import (
	"math"

	"thermsim/gpusolve/ops"
)

func (f *fixture) lines() {
	l, ok := f.sys.(ops.Lines)
	if !ok {
		f.Error("no column operations")
		return
	}
	level, err := l.Finest()
	if err != nil {
		f.Fatal(err)
	}
	f.smoothing(l, level)
	f.transfers(l, level, f.pairs(false), false)
	f.transfers(l, level, f.pairs(true), true)
	f.weights(l, level)
	for _, s := range []ops.Smoothing{{First: 0.8}, {First: 0.8, Momentum: 0.22, Second: 0.98}} {
		f.bottom(l, level, s)
	}
}

// bottom checks a cycle in one operation against the same cycle in single ones.
func (f *fixture) bottom(l ops.Lines, finest ops.Level, s ops.Smoothing) {
	b, ok := f.sys.(ops.Bottom)
	if !ok {
		return
	}
	rungs := []ops.Rung{{Level: finest}}
	nx, ny := f.ref.nx, f.ref.ny
	for nx > 1 || ny > 1 {
		c := ops.Coarsening{Weighted: make([]bool, f.ref.nz)}
		if nx > 1 {
			c.X = f.pairing(nx, false)
		}
		if ny > 1 {
			c.Y = f.pairing(ny, false)
		}
		c.Weighted[0] = true
		next, err := l.Coarsen(rungs[len(rungs)-1].Level, c)
		if err != nil {
			f.Fatal(err)
		}
		rungs = append(rungs, ops.Rung{Level: next})
		nx, ny, _ = next.Shape()
	}
	for n := range rungs {
		r := &rungs[n]
		r.B, r.Z, r.X = f.must(l.NewVector(r.Level)), f.must(l.NewVector(r.Level)), f.must(l.NewVector(r.Level))
	}
	cycle, err := b.Bottom(rungs, s)
	if err != nil {
		f.Fatal(err)
	}
	if cycle == nil {
		return
	}
	f.random(rungs[0].B)
	plainCycle(l, rungs, s)
	want := f.read(rungs[0].Z)
	f.sys.Write(rungs[0].Z, make([]float64, len(want)))
	cycle()
	f.near("Bottom", f.read(rungs[0].Z), want, largest(want), 100*eps32)
}

func plainCycle(l ops.Lines, rungs []ops.Rung, s ops.Smoothing) {
	r := rungs[0]
	if len(rungs) == 1 {
		l.Start(r.Level, r.Z, r.B, 1)
		return
	}
	next := rungs[1]
	l.Start(r.Level, r.X, r.B, s.First)
	if s.Momentum == 0 {
		l.RestrictStart(r.Level, next.Level, next.B, r.B, r.X, s.First)
		plainCycle(l, rungs[1:], s)
		l.Prolong(r.Level, next.Level, r.X, next.Z)
		l.Step(r.Level, r.Z, r.X, nil, r.B, 0, s.First)
		return
	}
	l.Step(r.Level, r.Z, r.X, nil, r.B, s.Momentum, s.Second)
	l.Restrict(r.Level, next.Level, next.B, r.B, r.Z)
	plainCycle(l, rungs[1:], s)
	l.Prolong(r.Level, next.Level, r.Z, next.Z)
	l.Step(r.Level, r.X, r.Z, nil, r.B, 0, s.First)
	l.Step(r.Level, r.Z, r.X, r.Z, r.B, s.Momentum, s.Second)
}

// smoothing checks Start and Step on the finest level against FP64 elimination.
func (f *fixture) smoothing(l ops.Lines, level ops.Level) {
	vector := func() ops.Vector { return f.must(l.NewVector(level)) }
	b, x, y, prev := vector(), vector(), vector(), vector()
	bv := f.random(b)
	l.Start(level, x, b, 0.8)
	want := f.ref.solveColumns(bv)
	for i := range want {
		want[i] *= 0.8
	}
	f.near("Start", f.read(x), want, largest(want), 50*eps32)

	// From here on vectors have the size of solutions, as in a cycle.
	xv := f.read(x)
	for i := range xv {
		xv[i] *= 1 + 0.1*f.rng.Float64()
	}
	f.sys.Write(x, xv)
	xv = f.read(x)
	pv := make([]float64, len(xv))
	for i := range pv {
		pv[i] = 0.5 * xv[i]
	}
	f.sys.Write(prev, pv)
	pv = f.read(prev)
	residual := f.ref.apply(xv)
	for i := range residual {
		residual[i] = bv[i] - residual[i]
	}
	correction := f.ref.solveColumns(residual)
	const a, c = 0.3, 0.7
	step := func(prev []float64) []float64 {
		w := make([]float64, len(xv))
		for i := range w {
			w[i] = xv[i] + a*(xv[i]-prev[i]) + c*correction[i]
		}
		return w
	}
	l.Step(level, y, x, prev, b, a, c)
	f.near("Step", f.read(y), step(pv), largest(want), 100*eps32)
	l.Step(level, y, x, nil, b, a, c)
	f.near("Step without prev", f.read(y), step(make([]float64, len(xv))), largest(want), 100*eps32)
	l.Step(level, prev, x, prev, b, a, c)
	f.near("Step onto prev", f.read(prev), step(pv), largest(want), 100*eps32)
}

// pairs coarsens both directions from one end, or leaves gaps as graded grids do.
func (f *fixture) pairs(gaps bool) ops.Coarsening {
	c := ops.Coarsening{Weighted: make([]bool, f.ref.nz)}
	if f.ref.nx > 1 {
		c.X = f.pairing(f.ref.nx, gaps)
	}
	if f.ref.ny > 1 {
		c.Y = f.pairing(f.ref.ny, gaps)
	}
	for k := range c.Weighted {
		c.Weighted[k] = k%2 == 0
	}
	return c
}

// pairing merges n cells two by two, some of them singly where gaps is true.
func (f *fixture) pairing(n int, gaps bool) ops.Pairing {
	var p ops.Pairing
	cell := int32(0)
	for i := 0; i < n; cell++ {
		size := min(2, n-i)
		if gaps && f.rng.IntN(2) == 0 {
			size = 1
		}
		for range size {
			p.Parent = append(p.Parent, cell)
			i++
		}
	}
	for i := range p.Parent {
		far := float32(0.25)
		first := i == 0 || p.Parent[i-1] != p.Parent[i]
		last := i == n-1 || p.Parent[i+1] != p.Parent[i]
		if first && last || first && p.Parent[i] == 0 || last && p.Parent[i] == cell-1 {
			far = 0
		}
		p.Far = append(p.Far, far)
	}
	return p
}

// transfers checks restriction and interpolation by what defines them: constants are interpolated exactly, the one is the other's adjoint,
// and restriction sees b - A x.
func (f *fixture) transfers(l ops.Lines, fine ops.Level, how ops.Coarsening, gaps bool) {
	coarse, err := l.Coarsen(fine, how)
	if err != nil {
		f.Fatal(err)
	}
	nx, ny, nz := coarse.Shape()
	if wx, wy := how.X.Coarse(f.ref.nx), how.Y.Coarse(f.ref.ny); nx != wx || ny != wy || nz != f.ref.nz {
		f.Fatalf("coarse level is %dx%dx%d, want %dx%dx%d", nx, ny, nz, wx, wy, f.ref.nz)
	}
	x, b, zero := f.must(l.NewVector(fine)), f.must(l.NewVector(fine)), f.must(l.NewVector(fine))
	xc, bc := f.must(l.NewVector(coarse)), f.must(l.NewVector(coarse))

	ones := make([]float64, xc.Len())
	for i := range ones {
		ones[i] = 1
	}
	f.sys.Write(xc, ones)
	l.Prolong(fine, coarse, x, xc)
	for i, v := range f.read(x) {
		if math.Abs(v-1) > eps32 {
			f.Fatalf("Prolong turns 1 into %g at %d", v, i)
		}
	}

	bv, xcv := f.random(b), f.random(xc)
	l.Restrict(fine, coarse, bc, b, zero)
	xv := f.random(x)
	before := append([]float64(nil), xv...)
	l.Prolong(fine, coarse, x, xc)
	after := f.read(x)
	for i := range after {
		after[i] -= before[i]
	}
	left, right := dot(after, bv), dot(xcv, f.read(bc))
	if math.Abs(left-right) > 5*eps32*norm(after)*norm(bv) {
		f.Errorf("<P xc, b> is %g but <xc, P^T b> is %g", left, right)
	}

	// Restrict of b - A x against restricting that vector itself.
	l.Start(fine, x, b, 0.8)
	residual := f.ref.apply(f.read(x))
	for i := range residual {
		residual[i] = bv[i] - residual[i]
	}
	f.sys.Write(b, residual)
	l.Restrict(fine, coarse, bc, b, zero)
	want := f.read(bc)
	f.sys.Write(b, bv)
	// The columns' couplings dwarf the lateral ones; FP32 differences of x carry that into the general form.
	vertical := largest(f.ref.diagonal()) * largest(f.read(x))
	l.Restrict(fine, coarse, bc, b, x)
	f.near("Restrict", f.read(bc), want, 1+vertical, 20*eps32)
	l.RestrictStart(fine, coarse, bc, b, x, 0.8)
	f.near("RestrictStart", f.read(bc), want, 1+vertical, 20*eps32)
}
