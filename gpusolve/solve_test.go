package gpusolve_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// kinds of stack that differ in what they ask of the solver.
func kinds() map[string]*stack.Stack {
	return map[string]*stack.Stack{
		"homogeneous": cases.Stack10(cases.Options{NX: 61, NY: 47}),
		"small h":     cases.Stack10(cases.Options{NX: 48, H: 1}),
		"2.5D":        cases.Interposer(cases.Stack10(cases.Options{NX: 67})),
		"pillars":     cases.Pillars(cases.Stack10(cases.Options{NX: 64})),
		"random":      cases.Random(cases.Stack10(cases.Options{NX: 32}), 7),
		"graded":      cases.Graded(cases.Stack10(cases.Options{NX: 60}), 6),
	}
}

// The estimate in kelvin must bound the error that a solve really leaves, and not by orders of magnitude.
func TestErrorEstimateIsHonest(t *testing.T) {
	for name, s := range kinds() {
		exact := solves.Field(t, s,
			solves.Steady(t, s, gpusolve.Options{RTol: 1e-13, Preconditioner: "multigrid"}).Field)
		for _, tol := range []float64{1, 1e-2, 1e-4} {
			sol := solves.Steady(t, s, gpusolve.Options{Tol: tol, Preconditioner: "multigrid"})
			e := solves.LargestDifference(exact, solves.Field(t, s, sol.Field))
			est := sol.Status.EstimatedErrorK
			if !sol.Status.Converged || e > est || est > tol {
				t.Errorf("%s: error %.2g K, estimate %.2g, tolerance %g: %+v", name, e, est, tol, sol.Status)
			}
		}
	}
}

// All preconditioners solve the same system.
func TestPreconditionersAgree(t *testing.T) {
	s := cases.Interposer(cases.Stack10(cases.Options{NX: testtier.Pick(13, 24)}))
	want := solves.Field(t, s, solves.Steady(t, s, gpusolve.Options{RTol: 1e-11}).Field)
	for _, p := range methods.Names() {
		sol := solves.Steady(t, s, gpusolve.Options{RTol: 1e-11, Preconditioner: p})
		if d := solves.LargestDifference(want, solves.Field(t, s, sol.Field)); d > 1e-5 || !sol.Status.Converged {
			t.Errorf("%s differs by %g K: %+v", p, d, sol.Status)
		}
	}
}

func TestEnergyIsConserved(t *testing.T) {
	for name, s := range kinds() {
		sol := solves.Steady(t, s, gpusolve.Options{RTol: 1e-12})
		if sol.Energy.ImbalanceRel > 1e-9 {
			t.Errorf("%s: imbalance %g: %+v", name, sol.Energy.ImbalanceRel, sol.Energy)
		}
		// At the default tolerance of 1e-4 K, what is missing is at most that error times the conductance of the top
		// face.
		sol = solves.Steady(t, s, gpusolve.Options{})
		h := s.Boundary[stack.Top].H
		if miss := math.Abs(sol.Energy.In - sol.Energy.Out); miss > gpusolve.DefaultTol*h*s.Size[0]*s.Size[1] {
			t.Errorf("%s: %g W are missing", name, miss)
		}
	}
}

// The same bits twice, whatever the number of workers.
func TestDeterminism(t *testing.T) {
	s := cases.Interposer(cases.Stack10(cases.Options{NX: 131}))
	trial := func(procs int) ([]float64, gpusolve.Status) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		sol := solves.Steady(t, s, gpusolve.Options{})
		return solves.Field(t, s, sol.Field), sol.Status
	}
	want, status := trial(1)
	for _, procs := range []int{1, 2, 3, 7} {
		got, st := trial(procs)
		if st != status {
			t.Errorf("GOMAXPROCS=%d: status %+v, want %+v", procs, st, status)
		}
		for i := range want {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("GOMAXPROCS=%d: cell %d is %v, want %v", procs, i, got[i], want[i])
			}
		}
	}
}

func TestReasons(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 32})
	for _, c := range []struct {
		o         gpusolve.Options
		converged bool
		reason    string
	}{
		{gpusolve.Options{}, true, solution.ReasonDirect},
		{gpusolve.Options{RTol: 1e-30}, true, solution.ReasonAttainable},
		{gpusolve.Options{Preconditioner: "multigrid"}, true, solution.ReasonTolerance},
		{gpusolve.Options{Preconditioner: "multigrid", ATol: 1e-6}, true, solution.ReasonTolerance},
		{gpusolve.Options{Preconditioner: "multigrid", RTol: 1e-30}, true, solution.ReasonAttainable},
		{gpusolve.Options{Preconditioner: "multigrid", Tol: 1e-30}, true, solution.ReasonAttainable},
		{gpusolve.Options{Preconditioner: "multigrid", MaxIter: 2}, false, solution.ReasonIterations},
		{gpusolve.Options{Preconditioner: "none", MaxIter: 5}, false, solution.ReasonIterations},
	} {
		sol := solves.Steady(t, s, c.o)
		if sol.Status.Converged != c.converged || sol.Status.Reason != c.reason {
			t.Errorf("%+v: %+v", c.o, sol.Status)
		}
		if c.o.ATol > 0 && sol.Status.ResidualW > c.o.ATol {
			t.Errorf("residual %g W above %g", sol.Status.ResidualW, c.o.ATol)
		}
	}
}

func TestRefusals(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 8})
	for _, c := range []struct {
		o    gpusolve.Options
		want error
	}{
		{gpusolve.Options{Preconditioner: "magic"}, gpusolve.ErrOption},
		{gpusolve.Options{Device: "tpu"}, gpusolve.ErrOption},
		{gpusolve.Options{Tol: math.NaN()}, gpusolve.ErrOption},
		{gpusolve.Options{RTol: -1}, gpusolve.ErrOption},
		{gpusolve.Options{MaxIter: -1}, gpusolve.ErrOption},
		{gpusolve.Options{Device: "gpu"}, gpusolve.ErrDevice},
	} {
		if _, err := gpusolve.Steady(context.Background(), solves.Build(t, s), c.o); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.o, err, c.want)
		}
	}
	s.Boundary[stack.Top] = stack.Boundary{}
	if _, err := gpusolve.Steady(context.Background(), solves.Build(t, s), gpusolve.Options{}); !errors.Is(err,
		gpusolve.ErrSingular) {
		t.Errorf("adiabatic stack: %v", err)
	}
}

func TestCancelledSteadyReturnsTheContextsError(t *testing.T) {
	for method, iteration := range map[string]int{"multigrid": 2, "fourier": 0} {
		ctx, cancel := context.WithCancel(context.Background())
		s := cases.Stack10(cases.Options{NX: 32})
		sol, err := gpusolve.Steady(ctx, solves.Build(t, s),
			gpusolve.Options{Preconditioner: method, Progress: func(p gpusolve.Progress) {
				if p.Iteration == iteration {
					cancel()
				}
			}})
		if !errors.Is(err, context.Canceled) || sol.Status.Reason != solution.ReasonInterrupted ||
			sol.Status.Converged {
			t.Errorf("%s: %v, %+v", method, err, sol.Status)
		}
	}
}

// A stack without power at one temperature all around stays there to the last bit.
func TestNoPowerNoRise(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 16})
	for l := range s.Layers {
		s.Layers[l].Powers = nil
	}
	for i, v := range solves.Field(t, s, solves.Steady(t, s, gpusolve.Options{}).Field) {
		if v != s.Ambient {
			t.Fatalf("cell %d is at %v K", i, v)
		}
	}
}

// Faces away from ambient but at one temperature drive nothing: no imbalance may come of rounding.
func TestNoFlowNoImbalance(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 16})
	for l := range s.Layers {
		s.Layers[l].Powers = nil
	}
	for _, f := range []stack.Face{stack.Bottom, stack.West, stack.South} {
		s.Boundary[f] = stack.Boundary{Kind: stack.Convective, H: 777, Temperature: 317}
	}
	s.Boundary[stack.Top].Temperature = 317
	sol := solves.Steady(t, s, gpusolve.Options{})
	if sol.Energy.ImbalanceRel > 1e-3 || !sol.Status.Converged {
		t.Errorf("%+v", sol.Energy)
	}
}

func TestMemory(t *testing.T) {
	for name, s := range kinds() {
		m := solves.Build(t, s)
		sol := solves.Steady(t, s, gpusolve.Options{})
		got, want := float64(sol.Memory.DeviceBytes), float64(solves.Held(memory.OfSystem(m, "", false, false)))
		if got > want || got < 0.95*want-(256<<10) {
			t.Errorf("%s: %g bytes held, %g estimated", name, got, want)
		}
	}
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 256}))
	if b := float64(memory.OfSystem(m, "", false, false).Peak()) / float64(m.Cells()); b > 70 {
		t.Errorf("steady multigrid takes %.1f bytes per cell", b)
	}
}
