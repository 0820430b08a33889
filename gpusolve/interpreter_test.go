package gpusolve_test

import (
	"context"
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

func smallKinds() map[string]*stack.Stack {
	n := testtier.Pick(7, 25)
	return map[string]*stack.Stack{
		"homogeneous": cases.Stack10(cases.Options{NX: n + 1, NY: n - 2}),
		"2.5D":        cases.Interposer(cases.Stack10(cases.Options{NX: n})),
		"graded":      cases.Graded(cases.Stack10(cases.Options{NX: n - 4, NY: n - 2}), 4),
		"tall":        cases.Slab(cases.Options{NX: 5, NY: 4}, testtier.Pick(11, 19)),
	}
}

// Whole solves by the kernels that ship, against the processor's.
func TestKernelsSolveAsTheProcessorDoes(t *testing.T) {
	t.Parallel()
	for name, s := range smallKinds() {
		for _, tol := range testtier.Pick([]float64{1e-6}, []float64{1e-4, 1e-6}) {
			onHost := solves.Steady(t, s, gpusolve.Options{Tol: tol, Device: "cpu", Preconditioner: "multigrid"})
			want := solves.Field(t, s, onHost.Field)
			var first []float64
			for seed := range int64(2) {
				m := devices.Machine(interpreter.Options{Seed: seed, NoRaces: seed > 0})
				sol, err := gpusolve.Steady(context.Background(), solves.Build(t, s),
					gpusolve.Options{Tol: tol, Executor: solves.OnInterpreter(t, m), Preconditioner: "multigrid"})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got := solves.Field(t, s, sol.Field)
				// Residuals in FP32 may cost an iteration, and near their rounding a fresh start from the true
				// residual.
				extra := 1
				if tol < 1e-5 {
					extra = 3
				}
				if n, h := sol.Status.Iterations, onHost.Status.Iterations; n < h-1 || n > h+extra {
					t.Errorf("%s at %g K: %d iterations, %d on the processor", name, tol, n, h)
				}
				if d := solves.LargestDifference(want, got); d > math.Max(tol, 1e-5) || !sol.Status.Converged ||
					sol.Energy.ImbalanceRel > 1e-4 {
					t.Errorf("%s at %g K: fields differ by %g K: %+v, %+v", name, tol, d, sol.Status, sol.Energy)
				}
				if first == nil {
					first = got
				} else if solves.LargestDifference(first, got) != 0 {
					t.Errorf("%s: another order of blocks and warps changes the result", name)
				}
				sol.Close()
				solves.Empty(t, m)
			}
		}
	}
}

func TestKernelsStepAsTheProcessorDoes(t *testing.T) {
	s := cases.Interposer(cases.Stack10(cases.Options{NX: testtier.Pick(9, 14), NY: testtier.Pick(7, 11)}))
	plan := gpusolve.TransientOptions{Steps: 4, Dt: 1e-3}
	run := func(o gpusolve.Options) *gpusolve.Solution {
		sol, err := gpusolve.Transient(context.Background(), solves.Build(t, s), o, plan)
		if err != nil {
			t.Fatal(err)
		}
		return sol
	}
	want := run(gpusolve.Options{Device: "cpu"})
	m := devices.Machine(interpreter.Options{})
	got := run(gpusolve.Options{Executor: solves.OnInterpreter(t, m)})
	if d := solves.LargestDifference(solves.Field(t, s, want.Field), solves.Field(t, s, got.Field)); d > 1e-4 {
		t.Errorf("fields differ by %g K", d)
	}
	if math.Abs(want.Energy.Stored-got.Energy.Stored) > 1e-4*want.Energy.Stored || got.Energy.ImbalanceRel > 1e-4 {
		t.Errorf("energy %+v, want %+v", got.Energy, want.Energy)
	}
	want.Close()
	got.Close()
	solves.Empty(t, m)
}
