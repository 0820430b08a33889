package methods_test

import (
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
)

// Rows that the 96 KiB of shared memory of a block of the interpreter do not hold are solved directly all the same, and
// as the processor does.
func TestRowsBeyondSharedMemoryAreSolved(t *testing.T) {
	t.Parallel()
	s := cases.Stack10(cases.Options{NX: 6000, NY: 1})
	s.Layers = s.Layers[:3]
	m := solves.Build(t, s)
	want := solves.Solve(t, m, gpusolve.Options{Device: "cpu"})
	defer want.Close()
	machine := devices.Machine(interpreter.Options{NoRaces: true})
	got := solves.Solve(t, m, gpusolve.Options{Executor: solves.OnInterpreter(t, machine)})
	d, rise := solves.FieldDifference(t, m, got, want)
	if st := got.Status; st.Method != "direct" || !st.Converged || d > 1e-11*rise || got.Energy.ImbalanceRel > 1e-10 {
		t.Errorf("fields differ by %.2g K of %.3g K: %+v, %+v", d, rise, st, got.Energy)
	}
	got.Close()
	solves.Empty(t, machine)
}
