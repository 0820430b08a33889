package krylov_test

import (
	"math"
	"testing"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest"
	"thermsim/gpusolve/testing/opstest/devices"

	"gonum.org/v1/gonum/floats"
)

func TestStabilised(t *testing.T) { stabilised(t, devices.Processor) }
func TestStabilisedOnInterpreter(t *testing.T) {
	stabilised(t, devices.OnInterpreter(interpreter.Options{}))
}
func TestStabilisedWithFewRows(t *testing.T) { stabilised(t, devices.OnInterpreter(devices.FewRows())) }
func TestStabilisedOnGPU(t *testing.T)       { stabilised(t, devices.OnGPU(t)) }

// stabilised tests the operations of BiCGSTAB on meshes and matrices.
func stabilised(t *testing.T, open func(testing.TB) ops.Device) {
	opstest.OnMeshes(t, open, func(f *opstest.Fixture) { (&probe{&f.Probe}).iterations() })
	opstest.OnMatrices(t, open, func(f *opstest.Algebra) { (&probe{&f.Probe}).iterations() })
}

// probe tests the operations on a workspace.
type probe struct{ *opstest.Probe }

// Rounding of FP64 and FP32 sums of a few dozen terms.
const (
	eps64 = 1e-13
	eps32 = 2e-6
)

func largest(v []float64) float64 { return floats.Norm(v, math.Inf(1)) }

// iterations checks the operations through three iterations with vectors of no meaning. x of a mesh may be large beside
// FP32 rounding, so all that follows from FP32 vectors is compared with those as they were read.
func (f *probe) iterations() {
	s, err := krylov.On(f.Work)
	if err != nil {
		f.Fatal(err)
	}
	make64 := func() ops.Vector { return f.Must(f.Space.New64()) }
	x, r, shadow, p, v, t := make64(), make64(), make64(), make64(), make64(), make64()
	p32, r32, y32, z32 := f.Must(f.Space.New32()), f.Must(f.Space.New32()), f.Must(f.Space.New32()),
		f.Must(f.Space.New32())
	from := f.Must(f.Space.NewWork())
	start := f.Random(from)
	s.Begin(r, shadow, p, p32, from)
	for _, v := range []ops.Vector{r, shadow, p} {
		f.Near("beginning", f.Read(v), start, 1, 0)
	}
	f.Near("beginning in FP32", f.Read(p32), start, largest(start), eps32)
	rho := floats.Dot(start, start)
	f.Scalar("Rho at the beginning", s.StabilisedScalars().Rho, rho, 1e-12)
	xv, rv, pv := f.Random(x), start, start
	rounds := 3
	if x.Len() == 1 { // solved by the first step: what follows is rounding
		rounds = 0
	}
	for range rounds {
		vv, tv, yv, zv := f.Random(v), f.Random(t), f.Random(y32), f.Random(z32)
		rho = s.StabilisedScalars().Rho
		s.FirstStep(x, r, r32, shadow, v, y32)
		sc := s.StabilisedScalars()
		f.product("RV", sc.RV, start, vv)
		f.Scalar("Step", sc.Step, rho/sc.RV, 1e-14)
		xv, rv = plus(xv, sc.Step, yv), plus(rv, -sc.Step, vv)
		f.Near("r after the first step", f.Read(r), rv, largest(rv)+math.Abs(sc.Step)*largest(vv), eps64)
		f.Near("the same in FP32", f.Read(r32), rv, largest(rv), eps32)
		rv = f.Read(r)
		f.Scalar("SS", sc.SS, floats.Dot(rv, rv), 1e-12)

		s.SecondStep(x, r, shadow, t, z32)
		sc = s.StabilisedScalars()
		f.product("TS", sc.TS, tv, rv)
		f.Scalar("TT", sc.TT, floats.Dot(tv, tv), 1e-12)
		f.Scalar("Omega", sc.Omega, sc.TS/sc.TT, 1e-14)
		xv, rv = plus(xv, sc.Omega, zv), plus(rv, -sc.Omega, tv)
		f.Near("x", f.Read(x), xv, largest(xv)+math.Abs(sc.Step)*largest(yv)+math.Abs(sc.Omega)*largest(zv), eps64)
		f.Near("r after the second step", f.Read(r), rv, largest(rv)+math.Abs(sc.Omega)*largest(tv), eps64)
		xv, rv = f.Read(x), f.Read(r)
		f.Scalar("RR", sc.RR, floats.Dot(rv, rv), 1e-12)
		f.product("Rho", sc.Rho, start, rv)
		f.Scalar("Turn", sc.Turn, sc.Rho/rho*(sc.Step/sc.Omega), 1e-13)

		s.NextDirection(p, p32, r, v)
		pv = plus(rv, sc.Turn, plus(pv, -sc.Omega, vv))
		f.Near("p", f.Read(p), pv, largest(rv)+math.Abs(sc.Turn)*(largest(pv)+math.Abs(sc.Omega)*largest(vv)), 1e-12)
		pv = f.Read(p)
		f.Near("p in FP32", f.Read(p32), pv, largest(pv), eps32)
	}
	single := f.Random(y32)
	s.Widen(t, y32)
	f.Near("wide vector", f.Read(t), single, 1, 0)

	// A quotient that means nothing is 0: no step.
	f.Space.Fill(v, 0)
	f.Space.Fill(t, 0)
	s.FirstStep(x, r, r32, shadow, v, y32)
	s.SecondStep(x, r, shadow, t, z32)
	if sc := s.StabilisedScalars(); sc.Step != 0 || sc.Omega != 0 || sc.Turn != 0 {
		f.Errorf("steps %g, %g and turn %g along nothing, want 0", sc.Step, sc.Omega, sc.Turn)
	}
	f.Near("x after no step", f.Read(x), xv, 1, 0)
	if err := f.Space.Err(); err != nil {
		f.Fatal(err)
	}
}

// product compares a sum of products, whose rounding is relative to the vectors' lengths.
func (f *probe) product(what string, got float64, a, b []float64) {
	f.Helper()
	if math.Abs(got-floats.Dot(a, b)) > eps64*floats.Norm(a, 2)*floats.Norm(b, 2) {
		f.Errorf("%s is %.15g, want %.15g", what, got, floats.Dot(a, b))
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
