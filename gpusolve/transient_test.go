package gpusolve_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/stepping"
	"thermsim/gpusolve/testing/cases"
)

func TestBackwardEulerOfOneCell(t *testing.T) {
	s, tau, final := solves.Lump()
	dt := tau / 7
	sol, err := gpusolve.Transient(context.Background(), solves.Build(t, s), gpusolve.Options{Tol: 1e-9},
		gpusolve.TransientOptions{Steps: 30, Dt: dt})
	if err != nil {
		t.Fatal(err)
	}
	for n, step := range sol.Steps {
		want := 310 + final*(1-math.Pow(1+dt/tau, -float64(n+1)))
		// Conductance and capacity are FP32.
		if math.Abs(step.MaxK-want) > 2e-7*final {
			t.Fatalf("step %d: %.9f K, want %.9f", n+1, step.MaxK, want)
		}
	}
	if e := sol.Energy; e.ImbalanceRel > 1e-9 || math.Abs(e.In-5) > 1e-12 || e.Stored <= 0 {
		t.Errorf("energy %+v", e)
	}
}

func TestSlowestTimeConstantOfOneCell(t *testing.T) {
	s, tau, _ := solves.Lump()
	got, err := stepping.SlowestTimeConstant(context.Background(), solves.Build(t, s))
	if err != nil || math.Abs(got/tau-1) > 1e-3 {
		t.Errorf("time constant %g s, want %g (%v)", got, tau, err)
	}
}

// A stack of many cells relaxes at its slowest time constant in the end.
func TestSlowestTimeConstantGovernsTheEnd(t *testing.T) {
	s := cases.Interposer(cases.Stack10(cases.Options{NX: 24}))
	m := solves.Build(t, s)
	tau, err := stepping.SlowestTimeConstant(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	for l := range s.Layers {
		s.Layers[l].Powers = nil
	}
	s.Transient.Initial = 400
	dt := tau / 10
	sol, err := gpusolve.Transient(context.Background(), solves.Build(t, s), gpusolve.Options{Tol: 1e-6},
		gpusolve.TransientOptions{Steps: 60, Dt: dt})
	if err != nil {
		t.Fatal(err)
	}
	a, b := sol.Steps[58].MaxK-300, sol.Steps[59].MaxK-300
	if want := 1 / (1 + dt/tau); math.Abs(b/a-want) > 1e-3 {
		t.Errorf("the rise shrinks by %g per step, want %g", b/a, want)
	}
}

func TestTransientReachesSteadyState(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 40})
	want := solves.Field(t, s, solves.Steady(t, s, gpusolve.Options{Tol: 1e-7}).Field)
	sol, err := gpusolve.Transient(context.Background(), solves.Build(t, s), gpusolve.Options{Tol: 1e-6},
		gpusolve.TransientOptions{Steps: 12, Dt: 100})
	if err != nil {
		t.Fatal(err)
	}
	if d := solves.LargestDifference(want, solves.Field(t, s, sol.Field)); d > 1e-5 {
		t.Errorf("differs from the steady state by %g K", d)
	}
	if !sol.Status.Converged || len(sol.Steps) != 12 {
		t.Errorf("%+v", sol.Status)
	}
}

// The estimate covers the errors of all steps together.
func TestTransientErrorEstimate(t *testing.T) {
	s := cases.Interposer(cases.Stack10(cases.Options{NX: 33}))
	plan := gpusolve.TransientOptions{Steps: 25, Dt: 1e-3}
	run := func(o gpusolve.Options) *gpusolve.Solution {
		sol, err := gpusolve.Transient(context.Background(), solves.Build(t, s), o, plan)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(sol.Close)
		return sol
	}
	exact := solves.Field(t, s, run(gpusolve.Options{RTol: 1e-13}).Field)
	sol := run(gpusolve.Options{})
	if e, est := solves.LargestDifference(exact, solves.Field(t, s, sol.Field)), sol.Status.EstimatedErrorK; e > est ||
		est > gpusolve.DefaultTol {
		t.Errorf("error %g K, estimate %g", e, est)
	}
}

func TestInterruptedTransientKeepsFinishedSteps(t *testing.T) {
	for method, iteration := range map[string]int{"multigrid": 1, "fourier": 0} {
		t.Run(method, func(t *testing.T) { keepsFinishedSteps(t, method, iteration) })
	}
}

func keepsFinishedSteps(t *testing.T, method string, iteration int) {
	ctx, cancel := context.WithCancel(context.Background())
	s := cases.Stack10(cases.Options{NX: 20})
	var last []float64
	plan := gpusolve.TransientOptions{Steps: 40, Dt: 1e-3, OnStep: func(step gpusolve.Step, f gpusolve.Field) error {
		last = solves.Field(t, s, f)
		return nil
	}}
	o := gpusolve.Options{Preconditioner: method, Progress: func(p gpusolve.Progress) {
		if p.Step == 5 && p.Iteration == iteration {
			cancel()
		}
	}}
	sol, err := gpusolve.Transient(ctx, solves.Build(t, s), o, plan)
	if !errors.Is(err, context.Canceled) || len(sol.Steps) != 5 || sol.Status.Converged ||
		sol.Status.Reason != solution.ReasonInterrupted {
		t.Fatalf("%v after %d steps: %+v", err, len(sol.Steps), sol.Status)
	}
	if d := solves.LargestDifference(last, solves.Field(t, s, sol.Field)); d != 0 {
		t.Errorf("the field differs from that of the last finished step by %g K", d)
	}
}

// An interrupted run balances the heat of the last step that it finished, whoever watches.
func TestInterruptedTransientBalancesItsHeat(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s, tau, _ := solves.Lump()
	o := gpusolve.Options{Tol: 1e-9, Progress: func(p gpusolve.Progress) {
		if p.Step == 3 {
			cancel()
		}
	}}
	sol, err := gpusolve.Transient(ctx, solves.Build(t, s), o, gpusolve.TransientOptions{Steps: 40, Dt: tau / 10})
	if !errors.Is(err, context.Canceled) || len(sol.Steps) == 0 || len(sol.Steps) == 40 {
		t.Fatalf("%v", err)
	}
	defer sol.Close()
	// Backward Euler approaches the steady state by 1/(1 + dt/tau) a step, and so does what is stored.
	stored := sol.Steps[0].PowerW * math.Pow(1.1, -float64(len(sol.Steps)))
	if e := sol.Energy; math.Abs(e.Stored-stored) > 1e-5*stored || !(e.ImbalanceRel < 1e-5) {
		t.Errorf("after %d steps %g W are stored, want %g W: %+v", len(sol.Steps), e.Stored, stored, e)
	}
}

// Nothing is reserved for steps that a run may never get to: so many would be 40 TB.
func TestStepsAreKeptAsTheyCome(t *testing.T) {
	s, tau, _ := solves.Lump()
	enough := errors.New("enough")
	plan := gpusolve.TransientOptions{Steps: 1_000_000_000_000, Dt: tau,
		OnStep: func(step gpusolve.Step, _ gpusolve.Field) error {
			if step.Time > 2.5*tau {
				return enough
			}
			return nil
		}}
	sol, err := gpusolve.Transient(context.Background(), solves.Build(t, s), gpusolve.Options{RTol: 1e-9}, plan)
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	defer sol.Close()
	if len(sol.Steps) != 3 || cap(sol.Steps) > 1000 {
		t.Errorf("%d steps kept in the room of %d", len(sol.Steps), cap(sol.Steps))
	}
}

// A run in which nothing moves ends when it is interrupted too, though no solve takes an iteration.
func TestInterruptOfStepsWithoutIterations(t *testing.T) {
	s := cases.Slab(cases.Options{NX: 2, NY: 2}, 2)
	for l := range s.Layers {
		s.Layers[l].Powers = nil
	}
	for _, method := range []string{"multigrid", "jacobi", "fourier"} {
		ctx, cancel := context.WithCancel(t.Context())
		plan := gpusolve.TransientOptions{Steps: 20, Dt: 1e-3,
			OnStep: func(gpusolve.Step, gpusolve.Field) error { cancel(); return nil }}
		sol, err := gpusolve.Transient(ctx, solves.Build(t, s), gpusolve.Options{Device: "cpu", Preconditioner: method},
			plan)
		if !errors.Is(err, context.Canceled) || sol == nil {
			t.Fatalf("%s: %v", method, err)
		}
		if len(sol.Steps) != 1 {
			t.Errorf("%s: %d steps, interrupted in the first", method, len(sol.Steps))
		}
		sol.Close()
	}
}
