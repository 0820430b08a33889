package ranks_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// sameOnRanks solves alone and on ranks, and compares all that rank 0 is told of, and the last field.
func sameOnRanks(t *testing.T, m *mesh.Mesh, n int, solve func(o gpusolve.Options, onStep func(gpusolve.Step,
	gpusolve.Field) error) (*gpusolve.Solution, error)) *gpusolve.Solution {
	t.Helper()
	run := func(o gpusolve.Options, told *[][]float64, rank int) (*gpusolve.Solution, error) {
		if rank > 0 {
			return solve(o, nil)
		}
		s, err := solve(o, func(_ gpusolve.Step, f gpusolve.Field) error {
			*told = append(*told, solves.Planes(t, m, f))
			return nil
		})
		if err == nil {
			*told = append(*told, solves.Planes(t, m, s.Field))
		}
		return s, err
	}
	var want, got [][]float64
	alone, err := run(solves.Exact, &want, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	err = solves.Together(t, n, func(rank int, g ranks.Group) error {
		o := solves.Exact
		o.Ranks = g
		s, err := run(o, &got, rank)
		if err != nil || rank > 0 {
			return err
		}
		defer s.Close()
		if len(got) != len(want) || !slices.EqualFunc(got, want, slices.Equal[[]float64]) {
			t.Errorf("%d ranks: %d fields, alone %d, or others", n, len(got), len(want))
		}
		if s.Status.IterationsTotal != alone.Status.IterationsTotal || !s.Status.Converged || !alone.Status.Converged {
			t.Errorf("%d ranks: %+v, alone %+v", n, s.Status, alone.Status)
		}
		if math.Abs(s.Energy.Out-alone.Energy.Out) > 1e-9*alone.Energy.Scale || s.Energy.ImbalanceRel > 1e-6 {
			t.Errorf("%d ranks: %+v, alone %+v", n, s.Energy, alone.Energy)
		}
		if n := alone.Status.Nonlinear; n != nil && !slices.Equal(s.Status.Nonlinear.Outside, n.Outside) {
			t.Errorf("cells outside: %v, alone %v", s.Status.Nonlinear.Outside, n.Outside)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return alone
}

// warmOnRanks has silicon and faces that follow the temperature.
func warmOnRanks() *stack.Stack {
	s := solves.Hot10(32)
	s.Materials[0].KCurve[0].Range[1] = 330 // some cells lie outside
	s.Boundary[stack.South] = stack.Boundary{Kind: stack.Convective, Temperature: 300,
		Film: stack.Film{Emissivity: 0.8}}
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.Convective, H: 20, Temperature: 305,
		Film: stack.Film{Emissivity: 0.9}}
	return s
}

// Properties and faces that follow the temperature.
func TestNonlinearOnRanks(t *testing.T) {
	s := warmOnRanks()
	m := solves.Build(t, s)
	alone := sameOnRanks(t, m, 3,
		func(o gpusolve.Options, _ func(gpusolve.Step, gpusolve.Field) error) (*gpusolve.Solution, error) {
			return gpusolve.Steady(context.Background(), m, o)
		})
	if n := alone.Status.Nonlinear; n == nil || slices.Max(n.Outside) == 0 {
		t.Errorf("%+v", n)
	}
	sameOnRanks(t, m, 2, func(o gpusolve.Options, onStep func(gpusolve.Step, gpusolve.Field) error) (*gpusolve.Solution,
		error) {
		return gpusolve.Transient(context.Background(), m, o,
			gpusolve.TransientOptions{Steps: 4, Dt: 2e-3, OnStep: onStep})
	})
}

// repeating has powers that repeat themselves every 3 ms.
func repeating() *stack.Stack {
	s := solves.Cool10(32)
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			power := &s.Layers[l].Powers[p]
			low, high := make([]float64, max(1, len(power.Blocks))), make([]float64, max(1, len(power.Blocks)))
			for b := range low {
				low[b], high[b] = 0.3, 1.5
			}
			if len(power.Blocks) > 0 {
				power.Trace = &stack.Trace{Times: []float64{0, 2e-3}, End: 3e-3, Repeat: true,
					Watts: [][]float64{low, high}}
			}
		}
	}
	return s
}

// Steps that follow the temperatures, and a periodic state.
func TestAdaptiveOnRanks(t *testing.T) {
	s := cases.PowerSteps(solves.Cool10(32))
	repeated := solves.Build(t, repeating())
	sameOnRanks(t, repeated, 2,
		func(o gpusolve.Options, onStep func(gpusolve.Step, gpusolve.Field) error) (*gpusolve.Solution, error) {
			return gpusolve.Periodic(context.Background(), repeated, o,
				gpusolve.PeriodicOptions{StepTol: 0.5, Tol: 0.1, OnStep: onStep})
		})
	m := solves.Build(t, s)
	times := [][]float64{{1e-4, 1.7e-3}, nil}
	for _, at := range testtier.Pick(times[:1], times) {
		sameOnRanks(t, m, 3,
			func(o gpusolve.Options, onStep func(gpusolve.Step, gpusolve.Field) error) (*gpusolve.Solution, error) {
				return gpusolve.Adaptive(context.Background(), m, o,
					gpusolve.AdaptiveOptions{Until: 2e-3, Tol: 0.5, At: at, OnStep: onStep})
			})
	}
}

// leakyOnRanks has a layer whose leakage doubles every 20 K.
func leakyOnRanks(watts float64) *stack.Stack {
	s := solves.Cool10(32)
	addLeakage(s, watts)
	return s
}

// addLeakage lets the first powered layer leak, twice as much for every 20 K.
func addLeakage(s *stack.Stack, watts float64) {
	law := &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: math.Ln2 / 20, At: 300,
		Range: [2]float64{250, 500}}
	for l := range s.Layers {
		if len(s.Layers[l].Powers) > 0 {
			s.Layers[l].Powers = append(s.Layers[l].Powers,
				stack.Power{Area: stack.Rect{X: 0.1 * s.Size[0], Y: 0.2 * s.Size[1], Width: 0.6 * s.Size[0],
					Height: 0.7 * s.Size[1]},
					AllowOverlap: true, Leakage: stack.Leakage{Watts: watts, Factor: law}})
			return
		}
	}
}

// Powers that follow the temperature: with a stable state, in time, and without one, where the largest factor is looked
// for.
func TestLeakageOnRanks(t *testing.T) {
	m := solves.Build(t, leakyOnRanks(3))
	alone := sameOnRanks(t, m, 3,
		func(o gpusolve.Options, _ func(gpusolve.Step, gpusolve.Field) error) (*gpusolve.Solution, error) {
			return gpusolve.Steady(context.Background(), m, o)
		})
	if l := alone.Status.Nonlinear.Leakage; l == nil || l.Gain <= 0 || l.Runaway {
		t.Errorf("%+v", l)
	}
	sameOnRanks(t, m, 2, func(o gpusolve.Options, onStep func(gpusolve.Step, gpusolve.Field) error) (*gpusolve.Solution,
		error) {
		return gpusolve.Transient(context.Background(), m, o,
			gpusolve.TransientOptions{Steps: 3, Dt: 2e-3, OnStep: onStep})
	})
	hot := solves.Build(t, leakyOnRanks(3000))
	want, err := gpusolve.Steady(context.Background(), hot, solves.Exact)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	if err := solves.Together(t, 3, func(rank int, g ranks.Group) error {
		o := solves.Exact
		o.Ranks = g
		s, err := gpusolve.Steady(context.Background(), hot, o)
		if err != nil || rank > 0 {
			return err
		}
		defer s.Close()
		if got, want := *s.Status.Nonlinear.Leakage, *want.Status.Nonlinear.Leakage; got != want || !got.Runaway {
			t.Errorf("%+v, alone %+v", got, want)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
