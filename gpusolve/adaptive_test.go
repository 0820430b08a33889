package gpusolve_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"
	"thermsim/stack/stackfile"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// course is a field at the moments of a run.
type course [][]float64

// largestDistance of two runs at all moments.
func largestDistance(a, b course) float64 {
	d := 0.0
	for n := range a {
		d = math.Max(d, solves.LargestDifference(a[n], b[n]))
	}
	return d
}

// adaptively runs TR-BDF2 and returns the fields at the moments, and what is told of the steps.
func adaptively(t *testing.T, m *mesh.Mesh, o gpusolve.Options, plan gpusolve.AdaptiveOptions) (course,
	*gpusolve.Solution) {
	t.Helper()
	var c course
	plan.OnStep = func(_ gpusolve.Step, f gpusolve.Field) error {
		c = append(c, solves.Field(t, m.Stack, f))
		return nil
	}
	sol, err := gpusolve.Adaptive(t.Context(), m, o, plan)
	if err != nil {
		t.Fatal(err)
	}
	sol.Close()
	if !sol.Status.Converged || sol.Stepping.LargestErrorK > plan.Tol || sol.Energy.ImbalanceRel > 1e-6 {
		t.Errorf("%+v %+v %+v", sol.Status, sol.Stepping, sol.Energy)
	}
	return c, sol
}

// euler steps by backward Euler and returns the field at the end of some steps.
func euler(t *testing.T, m *mesh.Mesh, o gpusolve.Options, steps int, dt float64, wanted func(n int) bool) course {
	t.Helper()
	var c course
	n := 0
	sol, err := gpusolve.Transient(t.Context(), m, o,
		gpusolve.TransientOptions{Steps: steps, Dt: dt, OnStep: func(_ gpusolve.Step, f gpusolve.Field) error {
			if n++; wanted(n) {
				c = append(c, solves.Field(t, m.Stack, f))
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	sol.Close()
	return c
}

// One cell follows theta = P/G (1 - exp(-t/tau)), between steps as at their ends.
func TestAdaptiveOfOneCell(t *testing.T) {
	s, tau, final := solves.Lump()
	for _, method := range []string{"multigrid", "fourier"} {
		for _, tol := range []float64{1e-2, 1e-4} {
			plan := gpusolve.AdaptiveOptions{Tol: tol, Until: 10 * tau}
			for n := range 37 {
				plan.At = append(plan.At, float64(n+1)*tau/3.7)
			}
			sol, err := gpusolve.Adaptive(t.Context(), solves.Build(t, s),
				gpusolve.Options{Tol: 1e-9, Preconditioner: method},
				plan)
			if err != nil {
				t.Fatal(err)
			}
			if len(sol.Steps) != len(plan.At) {
				t.Errorf("%s: %d moments, want %d", method, len(sol.Steps), len(plan.At))
			}
			for n, step := range sol.Steps {
				// A mode that lasts adds the errors of some steps: about three as long as tau at the tolerances here,
				// times 1/(1 - exp(-1/3)).
				want := 310 + final*(1-math.Exp(-step.Time/tau))
				if step.Time != plan.At[n] || math.Abs(step.MaxK-want) > 12*tol {
					t.Errorf("%s, %g K: %.6f K at %g s, want %.6f", method, tol, step.MaxK, step.Time, want)
				}
			}
			if e := sol.Energy; e.ImbalanceRel > 1e-9 || math.Abs(e.In-5) > 1e-12 {
				t.Errorf("%s: energy %+v", method, e)
			}
			// What is stored in the end is C theta: the mean of the power that is stored, over the time.
			if stored, want := sol.Energy.Stored*10*tau, 5/final*tau*(sol.PeakK-310); math.Abs(stored/want-1) > 1e-6 {
				t.Errorf("%s: %g J are stored, want %g", method, stored, want)
			}
			sol.Close()
		}
	}
}

// From step to step one cell follows theta(t + h) = final + (theta(t) - final) exp(-h/tau), so that each step's own
// error is known. The error that a run reports is that of its worst step within 2 %, or larger by at most the factor
// that the filter of the estimate would take away, and no step errs by more than allowed. The error of the whole run
// falls as the square of the steps, whose lengths vary.
func TestEstimateIsTheLocalError(t *testing.T) {
	s, tau, final := solves.Lump()
	for _, from := range []float64{310, 310 + 3*final} { // warming and cooling
		s.Transient.Initial = from
		first, steps := 0.0, 0
		for _, tol := range []float64{1e-2, 1e-3, 1e-4, 1e-5} {
			plan := gpusolve.AdaptiveOptions{Tol: tol, Until: 2 * tau}
			time, theta, worst, whole, taken := 0.0, from-310, 0.0, 0.0, 0
			plan.OnStep = func(step gpusolve.Step, _ gpusolve.Field) error {
				off := step.MaxK - 310 - final
				worst = math.Max(worst, math.Abs(off-(theta-final)*math.Exp((time-step.Time)/tau)))
				whole = math.Max(whole, math.Abs(off-(from-310-final)*math.Exp(-step.Time/tau)))
				time, theta = step.Time, step.MaxK-310
				if taken++; taken > 1000 {
					return errors.New("more than 1000 steps")
				}
				return nil
			}
			sol, err := gpusolve.Adaptive(t.Context(), solves.Build(t, s), gpusolve.Options{Device: "cpu", Tol: 1e-10},
				plan)
			if err != nil {
				t.Fatal(err)
			}
			sol.Close()
			x := sol.Stepping
			filter := 1 + (1-math.Sqrt2/2)*x.LongestS/tau
			if e := x.LargestErrorK / worst; e < 0.98 || e > 1.02*filter || worst > tol || worst < tol/3 {
				t.Errorf("from %g K: %g K are reported and %g K allowed; the worst step errs by %g K", from,
					x.LargestErrorK, tol, worst)
			}
			if first == 0 {
				first, steps = whole, x.Steps
			} else if tol == 1e-5 {
				order := math.Log(first/whole) / math.Log(float64(x.Steps)/float64(steps))
				t.Logf("from %g K: order %.2f", from, order)
				if order < 1.8 || order > 2.5 {
					t.Errorf("from %g K: %g K off in %d steps, %g K in %d: order %.2f", from, first, steps, whole,
						x.Steps, order)
				}
			}
		}
	}
}

// traceOf is the example on a coarser grid.
func traceOf(t *testing.T, cells int) *mesh.Mesh {
	t.Helper()
	s, err := stackfile.Load("../examples/trace/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	s.Grid.X.Cells, s.Grid.Y.Cells = cells, cells
	return solves.Build(t, s)
}

// At the error of TR-BDF2 backward Euler takes more than five times as many solves on a trace.
func TestFewerSolvesOnTrace(t *testing.T) {
	m := traceOf(t, 16)
	plan := gpusolve.AdaptiveOptions{Tol: 1e-5, Until: 0.2}
	for n := range 200 {
		plan.At = append(plan.At, float64(n+1)*1e-3)
	}
	exact, _ := adaptively(t, m, gpusolve.Options{}, plan)
	for _, c := range []struct {
		tol  float64
		more int
	}{{0.1, 5}, {0.03, 7}, {0.01, 10}} {
		plan.Tol = c.tol
		got, sol := adaptively(t, m, gpusolve.Options{}, plan)
		e := largestDistance(exact, got)
		if e > c.tol {
			t.Errorf("steps of %g K leave %g K", c.tol, e)
		}
		if sol.Stepping.Changes != 5 {
			t.Errorf("%d changes of the power, want 5", sol.Stepping.Changes)
		}
		per := (c.more*sol.Stepping.Solves + 199) / 200 // steps of backward Euler in a millisecond
		be := largestDistance(exact, euler(t, m, gpusolve.Options{}, 200*per, 1e-3/float64(per), func(n int) bool {
			return n%per == 0
		}))
		t.Logf("%g K: %d solves, error %.2g K; backward Euler: %d solves, error %.2g K", c.tol, sol.Stepping.Solves, e,
			200*per, be)
		if be < e {
			t.Errorf("backward Euler with %d solves leaves %g K, TR-BDF2 with %d %g K", 200*per, be,
				sol.Stepping.Solves, e)
		}
	}
}

// A stack that warms up over six decades of time takes more than twenty times as many.
func TestFewerSolvesOfWarmUp(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 6})
	m := solves.Build(t, s)
	const until, doublings = 10.0, 16
	plan := gpusolve.AdaptiveOptions{Tol: 1e-5, Until: until}
	for n := doublings; n >= 0; n-- {
		plan.At = append(plan.At, until/float64(int(1)<<n))
	}
	exact, _ := adaptively(t, m, gpusolve.Options{}, plan)
	plan.Tol = 0.1
	got, sol := adaptively(t, m, gpusolve.Options{}, plan)
	e := largestDistance(exact, got)
	be := largestDistance(exact, euler(t, m, gpusolve.Options{}, 1<<doublings, plan.At[0], func(n int) bool {
		return n&(n-1) == 0
	}))
	t.Logf("%d solves, error %.2g K; backward Euler: %d solves, error %.2g K", sol.Stepping.Solves, e, 1<<doublings, be)
	if be < e || 20*sol.Stepping.Solves > 1<<doublings {
		t.Errorf("backward Euler with %d solves leaves %g K, TR-BDF2 with %d %g K", 1<<doublings, be,
			sol.Stepping.Solves, e)
	}
}

// A power that is switched on drives no cell past its steady state, and one that is switched off none below the
// ambient, but for the tolerance.
func TestNoOvershootThroughStepsOfPower(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 9})
	hot := solves.Field(t, s, solves.Steady(t, s, gpusolve.Options{Tol: 1e-7}).Field)
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			s.Layers[l].Powers[p].Schedule = []stack.ScalePoint{{Time: 0, Factor: 0}, {Time: 0.013, Factor: 1},
				{Time: 200, Factor: 0}}
		}
	}
	for _, tol := range []float64{3, 0.1, 0.01} {
		var last []float64
		time := 0.0
		_, err := gpusolve.Adaptive(t.Context(), solves.Build(t, s), gpusolve.Options{Tol: 1e-6},
			gpusolve.AdaptiveOptions{Tol: tol, Until: 300, OnStep: func(step gpusolve.Step, f gpusolve.Field) error {
				now := solves.Field(t, s, f)
				for c, v := range now {
					falls := last != nil && v < last[c]-tol && step.Time <= 200
					if v > hot[c]+tol || v < s.Ambient-tol || falls {
						t.Errorf("%g K: cell %d has %g K at %g s; %g K in the steady state", tol, c, v, step.Time,
							hot[c])
						return errors.New("enough")
					}
				}
				if time < 0.013 && step.Time > 0.013 || time < 200 && step.Time > 200 {
					t.Errorf("a step from %g to %g s goes over a change of the power", time, step.Time)
				}
				last, time = now, step.Time
				return nil
			}})
		if err != nil {
			t.Error(err)
		}
	}
}

// A run to the steady state ends as close to it as it was asked to, without an end in time.
func TestToSteady(t *testing.T) {
	s := cases.Interposer(cases.Stack10(cases.Options{NX: 9}))
	want := solves.Field(t, s, solves.Steady(t, s, gpusolve.Options{Tol: 1e-7}).Field)
	for _, o := range []gpusolve.Options{{Tol: 1e-5}, {Tol: 1e-5, Preconditioner: "jacobi"}} {
		sol, err := gpusolve.Adaptive(t.Context(), solves.Build(t, s), o,
			gpusolve.AdaptiveOptions{ToSteady: 0.5, Until: math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		d := solves.LargestDifference(want, solves.Field(t, s, sol.Field))
		if v := sol.Stepping; !v.Steady || d > 0.5 || math.Abs(d-v.RestK) > 1e-3 || d < 0.1 {
			t.Errorf("%g K from the steady state; %+v", d, v)
		}
		sol.Close()
	}
}

// A run that begins at the steady state, or as close to it as it was asked to, takes one step, and converged.
func TestToSteadyFromThere(t *testing.T) {
	s, _, _ := solves.Lump()
	sol, err := gpusolve.Adaptive(t.Context(), solves.Build(t, s), gpusolve.Options{},
		gpusolve.AdaptiveOptions{ToSteady: 1e5, Until: math.Inf(1)})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	if v := sol.Stepping; !v.Steady || v.Steps != 1 || len(sol.Steps) != 1 || !sol.Status.Converged {
		t.Errorf("%d steps told, converged %t, %+v", len(sol.Steps), sol.Status.Converged, v)
	}
}

// What cannot be done is refused.
func TestAdaptiveRefusals(t *testing.T) {
	grounded, _, _ := solves.Lump()
	alone, _, _ := solves.Lump()
	alone.Boundary[stack.Top] = stack.Boundary{}
	for name, c := range map[string]struct {
		s    *stack.Stack
		plan gpusolve.AdaptiveOptions
		want error
	}{
		"no end":           {grounded, gpusolve.AdaptiveOptions{Until: math.Inf(1)}, gpusolve.ErrOption},
		"end before start": {grounded, gpusolve.AdaptiveOptions{Until: -1}, gpusolve.ErrOption},
		"tolerance":        {grounded, gpusolve.AdaptiveOptions{Until: 1, Tol: -1}, gpusolve.ErrOption},
		"moments": {grounded, gpusolve.AdaptiveOptions{Until: 1, At: []float64{0.5, 0.2}},
			gpusolve.ErrOption},
		"late moment":       {grounded, gpusolve.AdaptiveOptions{Until: 1, At: []float64{2}}, gpusolve.ErrOption},
		"no steady state":   {alone, gpusolve.AdaptiveOptions{Until: 1, ToSteady: 1}, gpusolve.ErrSingular},
		"negative distance": {grounded, gpusolve.AdaptiveOptions{Until: 1, ToSteady: math.NaN()}, gpusolve.ErrOption},
	} {
		if _, err := gpusolve.Adaptive(t.Context(), solves.Build(t, c.s), gpusolve.Options{}, c.plan); !errors.Is(err,
			c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := gpusolve.Periodic(t.Context(), solves.Build(t, grounded), gpusolve.Options{},
		gpusolve.PeriodicOptions{}); !errors.Is(err, gpusolve.ErrPeriod) {
		t.Errorf("no period: %v", err)
	}
	// A stack that leads nothing away is stepped all the same.
	sol, err := gpusolve.Adaptive(t.Context(), solves.Build(t, alone), gpusolve.Options{Tol: 1e-8},
		gpusolve.AdaptiveOptions{Until: 1})
	if err != nil || math.Abs(sol.PeakK-310-5/(2e6*6e-9)) > 1e-3 {
		t.Errorf("5 J in 0.012 J/K: %v, %v", sol, err)
	}
}

// An interrupted run keeps what it finished.
func TestInterruptedAdaptive(t *testing.T) {
	for _, method := range []string{"", "multigrid"} {
		ctx, cancel := context.WithCancel(t.Context())
		s := cases.Stack10(cases.Options{NX: 8})
		n := 0
		var last []float64
		sol, err := gpusolve.Adaptive(ctx, solves.Build(t, s), gpusolve.Options{Preconditioner: method},
			gpusolve.AdaptiveOptions{Until: 1, OnStep: func(_ gpusolve.Step, f gpusolve.Field) error {
				if n++; n == 4 {
					cancel()
				}
				last = solves.Field(t, s, f)
				return nil
			}})
		if !errors.Is(err, context.Canceled) || len(sol.Steps) != 4 ||
			sol.Status.Reason != solution.ReasonInterrupted || sol.Status.Converged {
			t.Fatalf("%v %+v", err, sol)
		}
		if d := solves.LargestDifference(last, solves.Field(t, s, sol.Field)); d != 0 {
			t.Errorf("the field is off by %g K", d)
		}
		sol.Close()
	}
}

// The kernels take the same steps to the same temperatures.
func TestAdaptiveOnInterpreter(t *testing.T) {
	t.Parallel()
	s := cases.Stack10(cases.Options{NX: 4, NY: 3})
	plan := gpusolve.AdaptiveOptions{Tol: 50, Until: 0.1, At: []float64{0.03, 0.077}}
	for _, method := range testtier.Pick([]string{"multigrid"}, []string{"", "multigrid"}) {
		want, cpu := adaptively(t, solves.Build(t, s),
			gpusolve.Options{Device: "cpu", Preconditioner: method, Tol: 1e-6},
			plan)
		got, gpu := adaptively(t, solves.Build(t, s),
			gpusolve.Options{Executor: solves.OnInterpreter(t, devices.Machine(interpreter.Options{NoRaces: true})),
				Preconditioner: method, Tol: 1e-6}, plan)
		if d := largestDistance(want, got); len(got) != 3 || d > 1e-5 || gpu.Stepping.Steps != cpu.Stepping.Steps {
			t.Errorf("%q: %g K apart; %+v, %+v", method, d, cpu.Stepping, gpu.Stepping)
		}
	}
}

// TestAdaptiveSetPower compares a lump with theory, T - Ta = R P (1 - exp(-t/(R C))), where the power is set from
// outside: temperatures and the energy balance are those of the power that was set, on the iterative and the direct
// path.
func TestAdaptiveSetPower(t *testing.T) {
	s, r := solves.LeakyLump(2, stack.Leakage{})
	tau := r * 1.6e6 * 1e-7
	for _, method := range []string{"multigrid", "fourier"} {
		m := solves.Build(t, s)
		power := m.Power.Controls()
		power.Set(0, 5)
		o := gpusolve.Options{Device: "cpu", Preconditioner: method, Power: power}
		sol, err := gpusolve.Adaptive(t.Context(), m, o, gpusolve.AdaptiveOptions{Tol: 1e-3, Until: tau})
		if err != nil {
			t.Fatal(method, err)
		}
		if want := 300 + 5*r*(1-math.Exp(-1)); math.Abs(sol.PeakK-want) > 1e-2 {
			t.Errorf("%s: %.5f K, want %.5f K", method, sol.PeakK, want)
		}
		if math.Abs(sol.Energy.In-5) > 1e-12 || sol.Energy.ImbalanceRel > 1e-6 {
			t.Errorf("%s: %+v, want 5 W in", method, sol.Energy)
		}
		if last := sol.Steps[len(sol.Steps)-1]; last.PowerW != 5 {
			t.Errorf("%s: %+v, want 5 W", method, last)
		}
		sol.Close()
	}
}

// What a run by TR-BDF2 misses in its balance of heat is what the residuals of its solves leave, and nothing else: with
// solves to 1e-12 of their right-hand sides, nothing is missing to rounding.
func TestHeatOfARunIsComplete(t *testing.T) {
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 9, NY: 8}))
	for _, method := range []string{"fourier", "multigrid", "ic"} {
		o := gpusolve.Options{Device: "cpu", Preconditioner: method, RTol: 1e-12}
		_, sol := adaptively(t, m, o, gpusolve.AdaptiveOptions{Tol: 0.1, Until: 0.1})
		if e := sol.Energy; !(e.ImbalanceRel < 1e-12) || e.Stored < 0.01*e.In || e.Out < 0.01*e.In {
			t.Errorf("%s: %+v", method, e)
		}
	}
}
