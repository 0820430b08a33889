package gpusolve_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
)

// Statistics of regions alter no run: the same moments are told, each with the hottest cell of its field, whether or
// not statistics are asked for.
func TestAdaptiveStatisticsAlterNoRun(t *testing.T) {
	for name, m := range map[string]*mesh.Mesh{"direct": flashing(t),
		"multigrid": solves.Build(t, cases.Interposer(cases.Stack10(cases.Options{NX: 9, NY: 8})))} {
		for _, at := range [][]float64{nil, {1.1e-3, 2e-3, 3.7e-3}} {
			alone := toldAdaptive(t, m, at, nil)
			if n := len(alone); n < 3 || alone[n-1].Time != 5e-3 {
				t.Fatalf("%s: %d moments are told, the last %+v", name, n, alone[n-1])
			}
			if got := timesOf(alone); at != nil && !slices.Equal(got, append(slices.Clone(at), 5e-3)) {
				t.Errorf("%s: told at %v, want %v and the end", name, got, at)
			}
			if with := toldAdaptive(t, m, at, regionsOf(t, m)); !slices.Equal(with, alone) {
				t.Errorf("%s, moments %v: %d are told with statistics, %d without, or others", name, at, len(with),
					len(alone))
			}
		}
	}
}

// toldAdaptive are the steps that a run of 5 ms tells of.
func toldAdaptive(t *testing.T, m *mesh.Mesh, at []float64, r *reduction.Regions) (told []solution.Step) {
	t.Helper()
	plan := gpusolve.AdaptiveOptions{Tol: 0.05, Until: 5e-3, At: at, Regions: r,
		OnStep: func(s solution.Step, f solution.Field) error {
			if hottest := slices.Max(solves.Field(t, m.Stack, f)); math.Abs(s.MaxK-hottest) > 1e-10 {
				t.Errorf("at %g s the hottest cell has %.12g K, the step says %.12g", s.Time, hottest, s.MaxK)
			}
			told = append(told, s)
			return nil
		}}
	sol, err := gpusolve.Adaptive(t.Context(), m, gpusolve.Options{Device: "cpu"}, plan)
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	if !slices.Equal(sol.Steps, told) {
		t.Errorf("%d steps are kept, %d were told, or others", len(sol.Steps), len(told))
	}
	return told
}

func timesOf(steps []solution.Step) (all []float64) {
	for _, s := range steps {
		all = append(all, s.Time)
	}
	return all
}

// A run that is interrupted before its first step has none to tell.
func TestAdaptiveTellsNoStepBeforeTheFirst(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sol, err := gpusolve.Adaptive(ctx, flashing(t), gpusolve.Options{Device: "cpu"},
		gpusolve.AdaptiveOptions{Until: 1e-3, OnStep: func(s solution.Step, _ solution.Field) error {
			t.Errorf("%+v is told", s)
			return nil
		}})
	if !errors.Is(err, context.Canceled) || sol == nil || len(sol.Steps) > 0 || sol.Status.Converged {
		t.Errorf("%+v, %v", sol, err)
	}
}
