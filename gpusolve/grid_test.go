package gpusolve_test

import (
	"context"
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
)

// Every method steps grids with more rows and planes than a launch has room for along y and z, as it does on the
// processor.
func TestMethodsBeyondTheRowsOfALaunch(t *testing.T) {
	t.Parallel()
	const rows = 2
	s := cases.Slab(cases.Options{NX: 5, NY: 4}, 3)
	plan := gpusolve.TransientOptions{Steps: 1, Dt: 1e-4}
	for _, method := range methods.Names() {
		o := gpusolve.Options{Preconditioner: method, RTol: 1e-9, Device: "cpu"}
		onHost, err := gpusolve.Transient(context.Background(), solves.Build(t, s), o, plan)
		if err != nil {
			t.Fatal(err)
		}
		m := devices.Machine(interpreter.Options{NoRaces: true, GridRows: rows})
		o.Executor = solves.OnInterpreter(t, m)
		sol, err := gpusolve.Transient(context.Background(), solves.Build(t, s), o, plan)
		if err != nil {
			t.Errorf("%s: %v", method, err)
			continue
		}
		if d := solves.LargestDifference(solves.Field(t, s, onHost.Field), solves.Field(t, s, sol.Field)); d > 1e-4 ||
			!sol.Status.Converged || math.Abs(sol.PeakK-onHost.PeakK) > 1e-4 {
			t.Errorf("%s: %g K from the processor's field: %+v", method, d, sol.Status)
		}
		sol.Close()
		solves.Empty(t, m)
	}
}
