package opstest

import (
	"math"

	"thermsim/gpusolve/ops"
)

// stabilised checks the operations of BiCGSTAB through three iterations with vectors of no meaning. x of a mesh may be large beside FP32 rounding, so all that
// follows from FP32 vectors is compared with those as they were read.
func (f *probe) stabilised() {
	s, ok := f.work.(ops.Stabilised)
	if !ok {
		f.Error("no operations for BiCGSTAB")
		return
	}
	make64 := func() ops.Vector { return f.must(f.space.New64()) }
	x, r, shadow, p, v, t := make64(), make64(), make64(), make64(), make64(), make64()
	p32, r32, y32, z32 := f.must(f.space.New32()), f.must(f.space.New32()), f.must(f.space.New32()), f.must(f.space.New32())
	from := f.must(f.space.NewWork())
	start := f.random(from)
	s.Begin(r, shadow, p, p32, from)
	for _, v := range []ops.Vector{r, shadow, p} {
		f.near("beginning", f.read(v), start, 1, 0)
	}
	f.near("beginning in FP32", f.read(p32), start, largest(start), eps32)
	rho := dot(start, start)
	f.scalar("Rho at the beginning", s.StabilisedScalars().Rho, rho, 1e-12)
	xv, rv, pv := f.random(x), start, start
	rounds := 3
	if x.Len() == 1 { // solved by the first step: what follows is rounding
		rounds = 0
	}
	for range rounds {
		vv, tv, yv, zv := f.random(v), f.random(t), f.random(y32), f.random(z32)
		rho = s.StabilisedScalars().Rho
		s.FirstStep(x, r, r32, shadow, v, y32)
		sc := s.StabilisedScalars()
		f.product("RV", sc.RV, start, vv)
		f.scalar("Step", sc.Step, rho/sc.RV, 1e-14)
		xv, rv = plus(xv, sc.Step, yv), plus(rv, -sc.Step, vv)
		f.near("r after the first step", f.read(r), rv, largest(rv)+math.Abs(sc.Step)*largest(vv), eps64)
		f.near("the same in FP32", f.read(r32), rv, largest(rv), eps32)
		rv = f.read(r)
		f.scalar("SS", sc.SS, dot(rv, rv), 1e-12)

		s.SecondStep(x, r, shadow, t, z32)
		sc = s.StabilisedScalars()
		f.product("TS", sc.TS, tv, rv)
		f.scalar("TT", sc.TT, dot(tv, tv), 1e-12)
		f.scalar("Omega", sc.Omega, sc.TS/sc.TT, 1e-14)
		xv, rv = plus(xv, sc.Omega, zv), plus(rv, -sc.Omega, tv)
		f.near("x", f.read(x), xv, largest(xv)+math.Abs(sc.Step)*largest(yv)+math.Abs(sc.Omega)*largest(zv), eps64)
		f.near("r after the second step", f.read(r), rv, largest(rv)+math.Abs(sc.Omega)*largest(tv), eps64)
		xv, rv = f.read(x), f.read(r)
		f.scalar("RR", sc.RR, dot(rv, rv), 1e-12)
		f.product("Rho", sc.Rho, start, rv)
		f.scalar("Turn", sc.Turn, sc.Rho/rho*(sc.Step/sc.Omega), 1e-13)

		s.NextDirection(p, p32, r, v)
		pv = plus(rv, sc.Turn, plus(pv, -sc.Omega, vv))
		f.near("p", f.read(p), pv, largest(rv)+math.Abs(sc.Turn)*(largest(pv)+math.Abs(sc.Omega)*largest(vv)), 1e-12)
		pv = f.read(p)
		f.near("p in FP32", f.read(p32), pv, largest(pv), eps32)
	}
	single := f.random(y32)
	s.Widen(t, y32)
	f.near("wide vector", f.read(t), single, 1, 0)

	// A quotient that means nothing is 0: no step.
	f.space.Fill(v, 0)
	f.space.Fill(t, 0)
	s.FirstStep(x, r, r32, shadow, v, y32)
	s.SecondStep(x, r, shadow, t, z32)
	if sc := s.StabilisedScalars(); sc.Step != 0 || sc.Omega != 0 || sc.Turn != 0 {
		f.Errorf("steps %g, %g and turn %g along nothing, want 0", sc.Step, sc.Omega, sc.Turn)
	}
	f.near("x after no step", f.read(x), xv, 1, 0)
}

// product compares a sum of products, whose rounding is relative to the vectors' lengths.
func (f *probe) product(what string, got float64, a, b []float64) {
	f.Helper()
	if math.Abs(got-dot(a, b)) > eps64*norm(a)*norm(b) {
		f.Errorf("%s is %.15g, want %.15g", what, got, dot(a, b))
	}
}

// plus returns a + f b.
func plus(a []float64, f float64, b []float64) []float64 {
	y := make([]float64, len(a))
	for i := range y {
		y[i] = a[i] + f*b[i]
	}
	return y
}
