package gpusolve_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
)

// crossed stalls multigrid.
var crossed = cases.Crossed(20, 4, 1000)

func TestAnotherMethodTakesOverWhereMultigridStalls(t *testing.T) {
	t.Parallel()
	want := solves.Field(t, crossed,
		solves.Steady(t, crossed, gpusolve.Options{Device: "cpu", Preconditioner: "ic", RTol: 1e-12}).Field)
	for name, o := range map[string]gpusolve.Options{
		"host": {Device: "cpu"},
		"kernels": {
			Executor: solves.OnInterpreter(t,
				devices.Machine(interpreter.Options{NoRaces: testtier.Pick(true, false)}))},
	} {
		sol := solves.Steady(t, crossed, o)
		st := sol.Status
		if !st.Converged || st.Preconditioner != "ic" || !strings.HasPrefix(st.Fallback, "multigrid gave up after ") ||
			!strings.HasSuffix(st.Fallback, "ic took over") {
			t.Errorf("%s: %+v", name, st)
		}
		if st.Iterations > 120 {
			t.Errorf("%s: %d iterations: stalling was seen late", name, st.Iterations)
		}
		// The rise is 23000 K.
		if d := solves.LargestDifference(want, solves.Field(t, crossed, sol.Field)); d > 2e-3 {
			t.Errorf("%s: off by %g K", name, d)
		}
	}
}

// What took over in one step of time stays for those that follow.
func TestFallbackOfATransient(t *testing.T) {
	t.Parallel()
	plan := gpusolve.TransientOptions{Steps: testtier.Pick(1, 2), Dt: 100}
	run := func(o gpusolve.Options) ([]float64, gpusolve.Status) {
		sol, err := gpusolve.Transient(context.Background(), solves.Build(t, crossed), o, plan)
		if err != nil {
			t.Fatal(err)
		}
		defer sol.Close()
		return solves.Field(t, crossed, sol.Field), sol.Status
	}
	want, _ := run(gpusolve.Options{Device: "cpu", Preconditioner: "ic", RTol: 1e-12})
	for name, o := range map[string]gpusolve.Options{
		"host": {Device: "cpu"},
		"kernels": {Executor: solves.OnInterpreter(t,
			devices.Machine(interpreter.Options{NoRaces: testtier.Pick(true, false)}))},
	} {
		got, st := run(o)
		if !st.Converged || st.Preconditioner != "ic" || strings.Count(st.Fallback, "multigrid gave up") != 1 {
			t.Errorf("%s: %+v", name, st)
		}
		if d := solves.LargestDifference(want, got); d > 2e-3 {
			t.Errorf("%s: off by %g K", name, d)
		}
	}
}

// A method that the user names, and a limit that the user sets, stand.
func TestNoFallbackAgainstTheUsersWill(t *testing.T) {
	for name, o := range map[string]gpusolve.Options{
		"named": {Device: "cpu", Preconditioner: "multigrid", MaxIter: 60},
		"limit": {Device: "cpu", MaxIter: 10},
	} {
		if st := solves.Steady(t, crossed, o).Status; st.Converged || st.Fallback != "" ||
			st.Preconditioner != "multigrid" ||
			st.Iterations != o.MaxIter {
			t.Errorf("%s: %+v", name, st)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sol, err := gpusolve.Steady(ctx, solves.Build(t, crossed),
		gpusolve.Options{Device: "cpu", Progress: func(p gpusolve.Progress) {
			if p.Iteration == 5 {
				cancel()
			}
		}})
	if !errors.Is(err, context.Canceled) || sol.Status.Fallback != "" ||
		sol.Status.Reason != solution.ReasonInterrupted {
		t.Errorf("interrupted: %v, %+v", err, sol.Status)
	}
	sol.Close()
}

// full is a device with little memory left.
type full struct {
	ops.Device
	free int64
}

func (f full) MemInfo() (free, total int64, err error) { return f.free, math.MaxInt64, nil }

// Room for jacobi's vectors, 24 bytes a cell on a GPU, but not for factors or graphs; and room for nothing.
func TestFallbackKeepsToTheMemory(t *testing.T) {
	cells := int64(solves.Build(t, crossed).Cells())
	if st := solves.Steady(t, crossed,
		gpusolve.Options{Executor: full{host.Open(), 40 * cells}}).Status; !st.Converged ||
		st.Preconditioner != "jacobi" {
		t.Errorf("%+v", st)
	}
	if st := solves.Steady(t, crossed, gpusolve.Options{Executor: full{host.Open(), 1000}}).Status; st.Converged ||
		st.Preconditioner != "multigrid" {
		t.Errorf("%+v", st)
	}
}
