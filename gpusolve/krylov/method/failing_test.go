package method_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

var errNoRoom = errors.New("no room")

// scarce refuses one vector, or the workspace, behind so many others.
type scarce struct {
	ops.System
	left int
}

func (s *scarce) refuses() bool {
	s.left--
	return s.left == -1
}

func (s *scarce) take(alloc func() (ops.Vector, error)) (ops.Vector, error) {
	if s.refuses() {
		return nil, errNoRoom
	}
	return alloc()
}

func (s *scarce) NewWorkspace() (ops.Workspace, error) {
	if s.refuses() {
		return nil, errNoRoom
	}
	return s.System.NewWorkspace()
}

func (s *scarce) New64() (ops.Vector, error)   { return s.take(s.System.New64) }
func (s *scarce) New32() (ops.Vector, error)   { return s.take(s.System.New32) }
func (s *scarce) NewWork() (ops.Vector, error) { return s.take(s.System.NewWork) }

// Solvers that lack memory for any of their vectors say so.
func TestSolversTellThatMemoryIsShort(t *testing.T) {
	s, _ := system(t, 8)
	for name, open := range map[string]func(ops.Operator) (krylov.Solver, error){
		"pcg":      func(a ops.Operator) (krylov.Solver, error) { return krylov.NewPCG(a, &fake{s: s}) },
		"bicgstab": func(a ops.Operator) (krylov.Solver, error) { return krylov.NewBiCGSTAB(a, &fake{s: s}) },
	} {
		failed := 0
		for ; failed < 100; failed++ {
			c, err := open(&scarce{s, failed})
			if err == nil {
				c.Close() // of a solver that lacks nothing
				break
			}
			if !errors.Is(err, errNoRoom) {
				t.Fatalf("%s with %d vectors: %v", name, failed, err)
			}
		}
		if failed < 3 || failed == 100 {
			t.Errorf("%s has %d vectors", name, failed)
		}
	}
}

// broken is a device that failed.
type broken struct{ ops.System }

func (broken) Err() error { return errors.New("the device fell off the bus") }

// A device that failed has no result, whatever the residual looks like.
func TestFailedDeviceHasNoResult(t *testing.T) {
	s, _ := system(t, 8)
	none, err := s.NewSource(true)
	if err != nil {
		t.Fatal(err)
	}
	c, x := solver(t, broken{s}, &fake{s: s, scale: func(int) float64 { return 1 }})
	out := c.Solve(context.Background(), krylov.Rule{RTol: 1e-6, MaxIter: 5}, none, x)
	if out.Converged || out.Reason != krylov.Failed {
		t.Errorf("converged %v, %v", out.Converged, out.Reason)
	}
}

// What is known of the error at the start of a solve is nothing the first time, and stands above the largest error when
// the operator is known.
func TestErrorAtTheStart(t *testing.T) {
	s, b := system(t, 24)
	c, x := solver(t, s, cycle(t, s))
	out := c.Solve(context.Background(), krylov.Rule{Tol: 1e-8, MaxIter: 100}, b, x)
	if !out.Converged || !math.IsNaN(out.Start.PlainK) {
		t.Fatalf("%v, %g K at the start of the first solve", out.Reason, out.Start.PlainK)
	}
	exact := make([]float64, x.Len())
	s.Read(x, exact)
	largestError := 0.0
	for _, v := range exact {
		largestError = math.Max(largestError, math.Abs(v)) // of a start from zero
	}
	s.Fill(x, 0)
	out = c.Solve(context.Background(), krylov.Rule{Tol: 1e-8, MaxIter: 100, Continued: true}, b, x)
	if k := out.Start.PlainK; !(k >= largestError && k < 100*largestError) {
		t.Errorf("%g K at the start, where the largest error is %g", k, largestError)
	}
}

// A solve that begins at its solution ends at once and still tells its error, once the operator is known.
func TestErrorOfASolveWithoutIterations(t *testing.T) {
	s, b := system(t, 24)
	c, x := solver(t, s, cycle(t, s))
	rule := krylov.Rule{RTol: 1e-9, MaxIter: 100}
	if out := c.Solve(context.Background(), rule, b, x); !out.Converged {
		t.Fatal(out.Reason)
	}
	rule.Continued = true
	rule.RTol = 1e-8
	if out := c.Solve(context.Background(), rule, b, x); !out.Converged || out.Iterations != 0 ||
		!(out.ErrorK > 0 && out.ErrorK < 1e-4) {
		t.Errorf("%d iterations, %g K", out.Iterations, out.ErrorK)
	}
}

// A solve that begins so near its solution that it ends at rounding errors before the slow modes have shown knows
// nothing of its error, and one that saw them before does.
func TestErrorBeforeTheSlowModesHaveShown(t *testing.T) {
	s, b := system(t, 24)
	c, x := solver(t, s, cycle(t, s))
	rule := krylov.Rule{Tol: 1e-30, MaxIter: 100}
	out := c.Solve(context.Background(), rule, b, x)
	if out.Reason != krylov.Attainable || !(out.ErrorK > 0 && out.ErrorK < 1e-6) {
		t.Fatalf("from zero: %v, %g K", out.Reason, out.ErrorK)
	}
	if out = c.Solve(context.Background(), rule, b, x); out.Reason != krylov.Attainable || !(out.ErrorK < 1e-6) {
		t.Errorf("again: %v, %g K", out.Reason, out.ErrorK)
	}
	fresh, _ := solver(t, s, cycle(t, s))
	out = fresh.Solve(context.Background(), rule, b, x)
	if out.Reason != krylov.Attainable || !math.IsNaN(out.ErrorK) {
		t.Errorf("by a solver that knows nothing: %v, %g K", out.Reason, out.ErrorK)
	}
}

// refreshing is a preconditioner whose operator has changed so many times.
type refreshing struct {
	precond.Preconditioner
	times int
}

func (r *refreshing) Refreshes() int { return r.times }

// A system that was changed a little and is continued keeps what is known of its operator, for the solve and for those
// behind it; otherwise a change makes it unknown.
func TestContinuedSolvesKeepWhatIsKnown(t *testing.T) {
	s, b := system(t, 24)
	p := &refreshing{Preconditioner: cycle(t, s)}
	c, x := solver(t, s, p)
	known := func(continued bool) bool {
		s.Fill(x, 0)
		out := c.Solve(context.Background(), krylov.Rule{Tol: 1e-6, MaxIter: 100, Continued: continued}, b, x)
		return !math.IsNaN(out.Start.PlainK)
	}
	for n, c := range []struct {
		changes, continued, want bool
	}{{false, false, false}, {false, false, true}, {true, true, true}, {false, false, true}, {true, false, false},
		{false, false, true}} {
		if c.changes {
			p.times++
		}
		if got := known(c.continued); got != c.want {
			t.Errorf("solve %d: known %v, want %v", n+1, got, c.want)
		}
	}
}
