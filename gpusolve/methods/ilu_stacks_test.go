package methods_test

import (
	"context"
	"errors"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
)

// Stacks solved with incomplete factors, on the processor and by the kernels that ship, against multigrid.
func TestIncompleteSolvesStacks(t *testing.T) {
	t.Parallel()
	s := cases.Interposer(cases.Stack10(cases.Options{NX: 12, NY: 11}))
	plan := gpusolve.TransientOptions{Steps: 2, Dt: 1e-3}
	transient := func(o gpusolve.Options) *gpusolve.Solution {
		sol, err := gpusolve.Transient(context.Background(), solves.Build(t, s), o, plan)
		if err != nil {
			t.Fatal(err)
		}
		return sol
	}
	want := solves.Field(t, s, solves.Steady(t, s, gpusolve.Options{Device: "cpu", Tol: 1e-7}).Field)
	wantLater := solves.Field(t, s, transient(gpusolve.Options{Device: "cpu", Tol: 1e-7}).Field)
	iterations := map[string]int{}
	for _, method := range []string{"ic:order=0", "ic:order=1"} {
		for _, device := range []string{"cpu", "interpreter"} {
			o := gpusolve.Options{Preconditioner: method, RTol: 1e-7}
			if device == "cpu" {
				o.Device = "cpu"
			} else {
				o.Executor = solves.OnInterpreter(t, devices.Machine(interpreter.Options{NoRaces: true}))
			}
			sol := solves.Steady(t, s, o)
			if d := solves.LargestDifference(want, solves.Field(t, s, sol.Field)); d > 1e-3 || !sol.Status.Converged {
				t.Errorf("%s on %s: %g K off, %+v", method, device, d, sol.Status)
			}
			if n := iterations[method]; n > 0 && (sol.Status.Iterations < n-2 || sol.Status.Iterations > n+2) {
				t.Errorf("%s on %s: %d iterations, %d on the processor", method, device, sol.Status.Iterations, n)
			}
			iterations[method] = sol.Status.Iterations
			sol.Close()
			if device == "interpreter" {
				continue // a step is the same operations
			}
			sol = transient(o)
			if d := solves.LargestDifference(wantLater, solves.Field(t, s, sol.Field)); d > 1e-3 {
				t.Errorf("%s on %s: %g K off after %d steps", method, device, d, plan.Steps)
			}
			sol.Close()
		}
	}
	if iterations["ic:order=1"] >= iterations["ic:order=0"] {
		t.Errorf("iterations %v: fill does not help", iterations)
	}
	_, err := gpusolve.Steady(context.Background(), solves.Build(t, s),
		gpusolve.Options{Device: "cpu", Preconditioner: "ic:order=2"})
	if !errors.Is(err, gpusolve.ErrOption) {
		t.Errorf("order 2: %v", err)
	}
}
