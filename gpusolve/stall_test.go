package gpusolve_test

import (
	"path/filepath"
	"testing"

	"thermsim/gpusolve/testing/solves"
	"thermsim/stack/stackfile"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
)

// Two layers of micrometres whose regions differ. Planes that interpolated along conductances of their own put, through
// couplings along z 1e6 times the lateral ones, many times the error into every coarse correction that it was to take
// out: 200 iterations, and a residual above the source.
func TestColumnsStayWholeBetweenLevels(t *testing.T) {
	s, err := stackfile.Load(filepath.Join("testdata", "multigrid_stalls.toml"))
	if err != nil {
		t.Fatal(err)
	}
	m := devices.Machine(interpreter.Options{})
	for name, o := range map[string]gpusolve.Options{
		"host":    {Device: "cpu", Preconditioner: "multigrid"},
		"kernels": {Executor: solves.OnInterpreter(t, m), Preconditioner: "multigrid"},
	} {
		st := solves.Steady(t, s, o).Status
		if !st.Converged || st.Iterations > 10 {
			t.Errorf("%s: %d iterations: %+v", name, st.Iterations, st)
		}
	}
}
