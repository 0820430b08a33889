package methods_test

import (
	"context"
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
)

// Combinatorial multigrid on stacks, steady and in time, by the kernels that ship and on the processor: the same field
// as multigrid's.
func TestCMGOnStacks(t *testing.T) {
	t.Parallel()
	s := cases.Interposer(cases.Stack10(cases.Options{NX: testtier.Pick(7, 11)}))
	m := solves.Build(t, s)
	want := solves.Field(t, s, solves.Steady(t, s, gpusolve.Options{RTol: 1e-10}).Field)
	var first []float64
	for seed := range int64(2) {
		machine := devices.Machine(interpreter.Options{Seed: seed, NoRaces: seed > 0})
		sol, err := gpusolve.Steady(context.Background(), m, gpusolve.Options{
			Preconditioner: "cmg:direct=12", RTol: 1e-9, Executor: solves.OnInterpreter(t, machine),
		})
		if err != nil {
			t.Fatal(err)
		}
		got := solves.Field(t, s, sol.Field)
		if d := solves.LargestDifference(want, got); d > 1e-5 || !sol.Status.Converged || sol.Status.Iterations > 40 {
			t.Errorf("fields differ by %g K: %+v", d, sol.Status)
		}
		if first == nil {
			first = got
		} else if solves.LargestDifference(first, got) != 0 {
			t.Error("another order of blocks and warps changes the result")
		}
		sol.Close()
		solves.Empty(t, machine)
	}
	steps := gpusolve.TransientOptions{Steps: 3, Dt: 1e-3}
	reference, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{RTol: 1e-10}, steps)
	if err != nil {
		t.Fatal(err)
	}
	onBoth := []gpusolve.Options{{Device: "cpu"},
		{Executor: solves.OnInterpreter(t, devices.Machine(interpreter.Options{NoRaces: true}))}}
	for _, o := range testtier.Pick(onBoth[:1], onBoth) {
		o.Preconditioner, o.RTol = "cmg:direct=12", 1e-9
		sol, err := gpusolve.Transient(context.Background(), m, o, steps)
		if err != nil {
			t.Fatal(err)
		}
		for i, step := range sol.Steps {
			if math.Abs(step.MaxK-reference.Steps[i].MaxK) > 1e-5 || !step.Converged {
				t.Errorf("step %d on %s: %+v, want %g K", i, sol.Device.Kind, step, reference.Steps[i].MaxK)
			}
		}
		sol.Close()
	}
}

// Calls of the driver may fail while a hierarchy is set up and used; the error tells, and nothing is left behind.
func TestCMGSurvivesDriverFaults(t *testing.T) {
	t.Parallel()
	m := solves.Build(t, cases.Stack10(cases.Options{NX: 5}))
	solve := func(drv cudriver.Driver, solved func()) error {
		d, err := cuda.Open(drv, 0)
		if err != nil {
			return err
		}
		sol, err := gpusolve.Steady(context.Background(), m,
			gpusolve.Options{Preconditioner: "cmg:direct=12", RTol: 1e-6, Executor: d})
		solved()
		sol.Close()
		return err
	}
	machine := devices.Machine(interpreter.Options{NoRaces: true})
	all := cudriver.Faulty(machine, func(string, int) error { return nil })
	end := 0 // of what a failure of must show
	if err := solve(all, func() { end = len(all.Calls()) }); err != nil {
		t.Fatal(err)
	}
	calls := all.Calls()
	for n := 7; n < len(calls)-20; n += len(calls)/testtier.Pick(12, 40) + 1 {
		machine := devices.Machine(interpreter.Options{NoRaces: true})
		err := solve(cudriver.Faulty(machine, cudriver.FailAt(n, cudriver.OutOfMemory)), func() {})
		if freeing := n >= end || calls[n] == "cuMemFree" || calls[n] == "cuCtxSetCurrent"; err == nil && !freeing {
			t.Errorf("a failure of call %d of %d (%s) went unnoticed", n, len(calls), calls[n])
		}
		if calls[n] != "cuMemFree" && calls[n] != "cuGraphExecDestroy" {
			solves.Empty(t, machine)
		}
	}
}
