package method_test

import (
	"context"
	"math"
	"testing"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
)

func system(t testing.TB, n int) (ops.System, ops.Source) {
	t.Helper()
	return systemOf(t, cases.Options{NX: n})
}

func systemOf(t testing.TB, o cases.Options) (ops.System, ops.Source) {
	t.Helper()
	m, err := mesh.Build(cases.Stack10(o))
	if err != nil {
		t.Fatal(err)
	}
	d := host.Open()
	t.Cleanup(func() { d.Close() })
	s, err := d.Assemble(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.NewSource(true)
	if err != nil {
		t.Fatal(err)
	}
	b.SetPower(m.Power.Steady())
	return s, b
}

func solver(t testing.TB, s ops.System, p precond.Preconditioner) (*krylov.PCG, ops.Vector) {
	t.Helper()
	c, err := krylov.NewPCG(s, p)
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.New64()
	if err != nil {
		t.Fatal(err)
	}
	return c, x
}

func cycle(t testing.TB, s ops.System) precond.Preconditioner {
	t.Helper()
	p, err := multigrid.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Iterations allocate nothing: a solve of 20 costs no more than one of 2.
func TestIterationsDoNotAllocate(t *testing.T) {
	s, b := system(t, 128)
	c, x := solver(t, s, cycle(t, s))
	count := func(iterations int) float64 {
		return testing.AllocsPerRun(5, func() {
			s.Fill(x, 0)
			c.Solve(context.Background(), krylov.Rule{RTol: 1e-30, MaxIter: iterations}, b, x)
		})
	}
	few, many := count(2), count(9)
	if many > few || few > 4 {
		t.Errorf("%g allocations for 2 iterations, %g for 9", few, many)
	}
}

// fake preconditions by a function of the number of calls.
type fake struct {
	s     ops.System
	scale func(call int) float64
	calls int
}

func (f *fake) Name() string    { return "fake" }
func (f *fake) Details() string { return "" }
func (f *fake) Apply(z, r ops.Vector) {
	v := make([]float64, r.Len())
	f.s.Read(r, v)
	c := f.scale(f.calls)
	for i := range v {
		v[i] *= c
	}
	f.s.Write(z, v)
	f.calls++
}

// stuck is a system whose true residual does not follow the recursive one: it stays that of zero.
type stuck struct{ ops.System }

func (s stuck) Residual(r, r32 ops.Vector, b ops.Source, _ ops.Vector) ops.Norms {
	return s.System.Residual(r, r32, b, nil)
}

func TestEveryEndHasItsReason(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	s, b := system(t, 16)
	for _, c := range []struct {
		name  string
		ctx   context.Context
		scale func(int) float64
		rule  krylov.Rule
		want  krylov.Reason
	}{
		{"indefinite", context.Background(), func(int) float64 {
			return -1
		}, krylov.Rule{Tol: 1e-4, MaxIter: 50}, krylov.Breakdown},
		{"NaN", context.Background(), func(int) float64 {
			return math.NaN()
		}, krylov.Rule{Tol: 1e-4, MaxIter: 50}, krylov.Breakdown},
		{"infinite", context.Background(), func(int) float64 {
			return math.Inf(1)
		}, krylov.Rule{Tol: 1e-4, MaxIter: 50}, krylov.Breakdown},
		{"drift", context.Background(), func(int) float64 {
			return 1e3
		}, krylov.Rule{Tol: 1e-4, MaxIter: 5000}, krylov.Stagnation},
		{"limit", context.Background(), func(int) float64 {
			return 1
		}, krylov.Rule{Tol: 1e-9, MaxIter: 3}, krylov.Limit},
		{"cancelled", cancelled, func(int) float64 {
			return 1
		}, krylov.Rule{Tol: 1e-9, MaxIter: 3}, krylov.Interrupted},
	} {
		a := s
		if c.want == krylov.Stagnation {
			a = stuck{s}
		}
		p, x := solver(t, a, &fake{s: s, scale: c.scale})
		out := p.Solve(c.ctx, c.rule, b, x)
		if out.Reason != c.want || out.Converged {
			t.Errorf("%s: reason %v, converged %v; want reason %v", c.name, out.Reason, out.Converged, c.want)
		}
	}
}

// The residual in the outcome is b - A x of the very x returned.
func TestOutcomeHoldsTheTrueResidual(t *testing.T) {
	s, b := system(t, 40)
	c, x := solver(t, s, cycle(t, s))
	out := c.Solve(context.Background(), krylov.Rule{RTol: 1e-12, MaxIter: 60}, b, x)
	r, _ := s.NewWork()
	r32, _ := s.Single(r)
	if n := s.Residual(r, r32, b, x); n != out.Norms || !out.Converged {
		t.Errorf("%+v, want %+v", out.Norms, n)
	}
}

// A residual in W is met by itself, in no more iterations than it takes: of two, the smaller one takes more.
func TestResidualInWatts(t *testing.T) {
	s, b := system(t, 24)
	before := 0
	for _, atol := range []float64{1e-1, 1e-4, 1e-7} {
		c, x := solver(t, s, cycle(t, s))
		out := c.Solve(context.Background(), krylov.Rule{ATol: atol, MaxIter: 60}, b, x)
		if !out.Converged || out.Reason != krylov.Tolerance || out.Norms.Residual > atol ||
			out.Norms.Residual < 1e-3*atol || out.Iterations <= before {
			t.Errorf("%g W: %+v", atol, out)
		}
		before = out.Iterations
	}
}

// A tolerance relative to the power asks the same of any power: with 2^20 times or a part in 2^20 of it, all iterates
// are so many times as large to the last bit, and the iteration ends at the same of them.
func TestRelativeToleranceFollowsThePower(t *testing.T) {
	solve := func(factor float64) (krylov.Outcome, []float64) {
		s, b := systemOf(t, cases.Options{NX: 24, Power: 36 * factor})
		c, x := solver(t, s, cycle(t, s))
		out := c.Solve(context.Background(), krylov.Rule{RTol: 1e-7, MaxIter: 60}, b, x)
		values := make([]float64, 24*24*10)
		s.Read(x, values)
		return out, values
	}
	want, x := solve(1)
	if !(want.Norms.Residual <= 1e-7*want.Norms.Source) {
		t.Errorf("%+v does not meet the tolerance", want)
	}
	for _, factor := range []float64{0x1p-20, 0x1p20} {
		out, y := solve(factor)
		for n := range y {
			if y[n] != factor*x[n] {
				t.Fatalf("%g of the power after %d iterations, with all of it %d: %g K for %g", factor, out.Iterations,
					want.Iterations, y[n], x[n])
			}
		}
	}
}
