package gpusolve_test

import (
	"errors"
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

// A transient that starts from the steady field under the same powers stays there, on the processor and by the kernels.
func TestTransientFromSteadyField(t *testing.T) {
	s := cases.Interposer(cases.Stack10(cases.Options{NX: testtier.Pick(11, 21), NY: testtier.Pick(9, 18)}))
	start := solves.Steady(t, s, gpusolve.Options{Tol: 1e-7})
	want := solves.Field(t, s, start.Field)
	for name, o := range map[string]gpusolve.Options{
		"processor": {Tol: 1e-6, Device: "cpu"},
		"kernels":   {Tol: 1e-6, Executor: solves.OnInterpreter(t, devices.Machine(interpreter.Options{}))},
	} {
		sol, err := gpusolve.Transient(t.Context(), solves.Build(t, s), o,
			gpusolve.TransientOptions{Steps: 4, Dt: 1e-3, Initial: start.Field})
		if err != nil {
			t.Fatal(err)
		}
		defer sol.Close()
		if d := solves.LargestDifference(want, solves.Field(t, s, sol.Field)); d > 3e-6 {
			t.Errorf("%s: the field moves by %g K", name, d)
		}
	}
}

// One cell at 350 K over an ambient of 310 K: theta_n = final + (40 K - final) (1 + dt/tau)^-n.
func TestTransientFromField(t *testing.T) {
	s, tau, final := solves.Lump()
	m := solves.Build(t, s)
	start, err := m.Initial([]stack.InitialLayer{{Kelvin: 350}})
	if err != nil {
		t.Fatal(err)
	}
	dt := tau / 3
	sol, err := gpusolve.Transient(t.Context(), m, gpusolve.Options{Tol: 1e-9},
		gpusolve.TransientOptions{Steps: 8, Dt: dt, Initial: start})
	if err != nil {
		t.Fatal(err)
	}
	for n, step := range sol.Steps {
		want := 310 + final + (40-final)*math.Pow(1+dt/tau, -float64(n+1))
		if math.Abs(step.MaxK-want) > 2e-7*50 {
			t.Errorf("step %d: %.9f K, want %.9f", n+1, step.MaxK, want)
		}
	}
	bad, _ := m.Initial([]stack.InitialLayer{{Kelvin: math.NaN()}})
	if _, err := gpusolve.Transient(t.Context(), m, gpusolve.Options{},
		gpusolve.TransientOptions{Steps: 1, Dt: dt, Initial: bad}); !errors.Is(err, gpusolve.ErrOption) {
		t.Errorf("a field of NaN: %v", err)
	}
}
