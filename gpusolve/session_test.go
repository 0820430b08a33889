package gpusolve_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
	"thermsim/stack"
)

func openSession(t *testing.T, m *mesh.Mesh, dt float64) *gpusolve.Session {
	t.Helper()
	s, err := gpusolve.OpenSession(m, gpusolve.Options{Device: "cpu"}, dt, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func stepSession(t *testing.T, s *gpusolve.Session, n int) {
	t.Helper()
	for range n {
		if _, err := s.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// A session that nobody sets powers in is a transient.
func TestSessionIsATransient(t *testing.T) {
	const dt, steps = 2e-3, 12
	for name, m := range solves.SessionCases(t) {
		t.Run(name, func(t *testing.T) {
			s := openSession(t, m, dt)
			stepSession(t, s, steps)
			sol, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{Device: "cpu"},
				gpusolve.TransientOptions{Steps: steps, Dt: dt})
			if err != nil {
				t.Fatal(err)
			}
			defer sol.Close()
			if len(sol.Steps) < steps {
				t.Fatalf("the transient ended after %d steps: %s", len(sol.Steps), sol.Status.Reason)
			}
			want, got := solves.WholeField(t, m, sol.Field), solves.WholeField(t, m, s.Field())
			if d := solves.Furthest(got, want); d > 2*gpusolve.DefaultTol {
				t.Errorf("the session is up to %g K off", d)
			}
			if name == "direct" && !slices.Equal(got, want) {
				t.Error("the direct solver's bits differ")
			}
			if top, err := s.Hottest(); err != nil || top != slices.Max(got) {
				t.Errorf("hottest %g K, the field has %g (%v)", top, slices.Max(got), err)
			}
			e, ok := s.Energy()
			if !ok || e.ImbalanceRel > 1e-5 {
				t.Errorf("energy %+v, %v", e, ok)
			}
			if st, ok := s.Status(); !ok || !st.Converged {
				t.Errorf("status %+v, %v", st, ok)
			}
			if math.Abs(s.Time()-steps*dt) > 1e-15 || s.Steps() != steps {
				t.Errorf("%d steps to %g s", s.Steps(), s.Time())
			}
		})
	}
}

// What is set is what heats: a single cell follows theory through a step of power that a client sets.
func TestSessionFollowsPowers(t *testing.T) {
	s, tau, final := solves.Lump()
	dt := tau / 5
	on := openSession(t, solves.Build(t, s), dt)
	rise, factor := 0.0, 1/(1+dt/tau)
	for n, watts := range []float64{5, 5, 20, 20, 0, 0, 7} {
		if err := on.Power().Set(0, watts); err != nil {
			t.Fatal(err)
		}
		step, err := on.Step(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		rise = factor * (rise + dt/tau*final*watts/5)
		if top, _ := on.Hottest(); math.Abs(top-310-rise) > 2e-7*final*4 {
			t.Errorf("step %d: %.9f K, want %.9f", n+1, top-310, rise)
		}
		if step.PowerW != watts {
			t.Errorf("step %d: %g W, want %g", n+1, step.PowerW, watts)
		}
	}
}

// A saved state is the state: what follows it has the bits of what followed before, where nothing depends on the
// temperature.
func TestSessionRestoresItsBits(t *testing.T) {
	for name, m := range solves.SessionCases(t) {
		t.Run(name, func(t *testing.T) {
			s := openSession(t, m, 2e-3)
			stepSession(t, s, 4)
			if err := s.Power().Set(1, 3.5); err != nil {
				t.Fatal(err)
			}
			state, err := s.Save()
			if err != nil {
				t.Fatal(err)
			}
			before := solves.WholeField(t, m, s.Field())
			stepSession(t, s, 5)
			want := solves.WholeField(t, m, s.Field())
			if err := s.Power().Set(0, 40); err != nil {
				t.Fatal(err)
			}
			stepSession(t, s, 3)
			for range 2 {
				if err := s.Restore(state); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(solves.WholeField(t, m, s.Field()), before) {
					t.Fatal("the state is not what was saved")
				}
				stepSession(t, s, 5)
				got := solves.WholeField(t, m, s.Field())
				if d := solves.Furthest(got, want); name != "k(T)" && name != "leakage" && d > 0 ||
					d > gpusolve.DefaultTol {
					t.Errorf("up to %g K off after a restore", d)
				}
			}
			if s.Steps() != 9 {
				t.Errorf("step %d, want 9", s.Steps())
			}
		})
	}
}

// A session that takes up a field, a time and a count of steps is where the session was that they come from: what
// follows has the same times, counts and temperatures, under powers that change with time.
func TestSessionResumes(t *testing.T) {
	s, tau, _ := solves.Lump()
	s.Layers[0].Powers[0].Schedule =
		[]stack.ScalePoint{{Factor: 1}, {Time: 2.5 * tau, Factor: 3}, {Time: 4 * tau, Factor: 0}}
	m := solves.Build(t, s)
	whole := openSession(t, m, tau)
	for taken := range 6 {
		resumed := openSession(t, m, tau)
		if err := resumed.Resume(whole.Field(), whole.Time(), whole.Steps()); err != nil {
			t.Fatal(err)
		}
		on := openSession(t, m, tau)
		stepSession(t, on, taken)
		for n := range 3 {
			stepSession(t, on, 1)
			stepSession(t, resumed, 1)
			if math.Abs(resumed.Time()-on.Time()) > 1e-12*tau || resumed.Steps() != on.Steps() {
				t.Fatalf("%d steps after %d: step %d at %g s, want %d at %g", n+1, taken, resumed.Steps(),
					resumed.Time(), on.Steps(), on.Time())
			}
			if d := solves.Furthest(solves.WholeField(t, m, resumed.Field()), solves.WholeField(t, m, on.Field())); d >
				1e-6 {
				t.Errorf("%d steps after %d: %g K off", n+1, taken, d)
			}
		}
		stepSession(t, whole, 1)
	}
}

// A start over has the bits of the first start, and steps of another length go on from the same field.
func TestSessionStartsOver(t *testing.T) {
	for name, m := range solves.SessionCases(t) {
		t.Run(name, func(t *testing.T) {
			s := openSession(t, m, 2e-3)
			stepSession(t, s, 3)
			want := solves.WholeField(t, m, s.Field())
			if err := s.SetDt(1e-3); err != nil {
				t.Fatal(err)
			}
			if d := solves.Furthest(solves.WholeField(t, m, s.Field()), want); d > 1e-9 {
				t.Errorf("another step moves the state by %g K", d)
			}
			stepSession(t, s, 2)
			if math.Abs(s.Time()-8e-3) > 1e-15 || s.Steps() != 5 {
				t.Errorf("step %d at %g s", s.Steps(), s.Time())
			}
			if err := s.SetDt(2e-3); err != nil {
				t.Fatal(err)
			}
			if err := s.Start(nil); err != nil {
				t.Fatal(err)
			}
			stepSession(t, s, 3)
			if d := solves.Furthest(solves.WholeField(t, m, s.Field()), want); d > 2e-6 {
				t.Errorf("the second start is %g K off", d)
			}
		})
	}
}

func TestSessionRefusals(t *testing.T) {
	s, tau, _ := solves.Lump()
	m := solves.Build(t, s)
	for _, dt := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := gpusolve.OpenSession(m, gpusolve.Options{Device: "cpu"}, dt, nil); !errors.Is(err,
			gpusolve.ErrOption) {
			t.Errorf("dt %g: %v", dt, err)
		}
	}
	a, b := openSession(t, m, tau), openSession(t, m, tau)
	state, err := a.Save()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Restore(state); !errors.Is(err, gpusolve.ErrOption) {
		t.Errorf("a state of another session: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.Step(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, ok := a.Energy(); ok {
		t.Error("a balance without a step")
	}
}

// A step that cannot converge leaves the state, and the session goes on when the power is sane again.
func TestSessionSurvivesAFailedStep(t *testing.T) {
	m := solves.Build(t, cases.Interposer(cases.Stack10(cases.Options{NX: 16})))
	s, err := gpusolve.OpenSession(m, gpusolve.Options{Device: "cpu", MaxIter: 1}, 1e-3, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Step(context.Background()); !errors.Is(err, gpusolve.ErrNotConverged) {
		t.Fatalf("one iteration was enough: %v", err)
	}
	if top, err := s.Hottest(); err != nil || math.Abs(top-m.Stack.Ambient) > 1e-12 || s.Steps() != 0 {
		t.Errorf("the state moved to %g K, step %d (%v)", top, s.Steps(), err)
	}
	var f solution.Field = s.Field()
	if f == nil {
		t.Error("no field")
	}
}

// A session by the kernels that ship goes where the processor's does, restores its bits, changes the length of its
// steps, and leaves nothing on the device.
func TestSessionOnInterpreter(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*stack.Stack{"direct": cases.Stack10(cases.Options{NX: 8}),
		"multigrid": cases.Interposer(cases.Stack10(cases.Options{NX: 8}))} {
		t.Run(name, func(t *testing.T) {
			m := solves.Build(t, s)
			machine := devices.Machine(interpreter.Options{GridRows: 2, NoRaces: true})
			on, err := gpusolve.OpenSession(m, gpusolve.Options{Executor: solves.OnInterpreter(t, machine)}, 2e-3, nil)
			if err != nil {
				t.Fatal(err)
			}
			host := openSession(t, m, 2e-3)
			agree := func(what string) {
				t.Helper()
				if d := solves.Furthest(solves.WholeField(t, m, on.Field()), solves.WholeField(t, m, host.Field())); d >
					2e-5 {
					t.Errorf("%s: %g K off", what, d)
				}
			}
			for _, one := range []*gpusolve.Session{on, host} {
				stepSession(t, one, 2)
				if err := one.Power().Set(2, 9); err != nil {
					t.Fatal(err)
				}
				stepSession(t, one, 1)
			}
			agree("steps")
			state, err := on.Save()
			if err != nil {
				t.Fatal(err)
			}
			stepSession(t, on, 2)
			want := solves.WholeField(t, m, on.Field())
			if err := on.Restore(state); err != nil {
				t.Fatal(err)
			}
			stepSession(t, on, 2)
			if !slices.Equal(solves.WholeField(t, m, on.Field()), want) {
				t.Error("other bits after a restore")
			}
			stepSession(t, host, 2)
			for _, one := range []*gpusolve.Session{on, host} {
				if err := one.SetDt(5e-3); err != nil {
					t.Fatal(err)
				}
				stepSession(t, one, 1)
			}
			agree("longer steps")
			on.Close()
			solves.Empty(t, machine)
		})
	}
}
