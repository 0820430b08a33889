package solves

import (
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
)

// SolveOnce runs a solve of few iterations on a device, which it closes, and returns what the solve held at the end.
func SolveOnce(t *testing.T, m *mesh.Mesh, dev ops.Device, method string, inTime bool) (held int64) {
	t.Helper()
	o := gpusolve.Options{Executor: dev, Preconditioner: method, MaxIter: 1, RTol: 1e-3}
	var s *gpusolve.Solution
	var err error
	if inTime {
		s, err = gpusolve.Transient(t.Context(), m, o, gpusolve.TransientOptions{Steps: 1, Dt: 1e-3})
	} else {
		s, err = gpusolve.Steady(t.Context(), m, o)
	}
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	defer s.Close()
	return s.Memory.DeviceBytes
}

// Held is what the solve itself holds.
func Held(n memory.Need) int64 { return n.System + n.Method + n.Krylov }

// Compare holds a stated need to what was taken: never below, and what is in use of it at most a quarter above. The
// processor counts what methods keep, not what their setups take temporarily (onProcessor); there what is held in the
// end must not be stated a quarter too high.
func Compare(t *testing.T, what string, stated memory.Need, taken, held int64, onProcessor bool) {
	t.Helper()
	ratio, inUse := float64(stated.Peak())/float64(taken), float64(stated.Live())/float64(taken)
	t.Logf("%-34s stated %d bytes (%d held), taken %d: %.2f, in use %.2f", what, stated.Peak(), Held(stated), taken,
		ratio, inUse)
	if onProcessor {
		inUse = float64(Held(stated)) / float64(held)
	}
	if ratio < 1 || inUse > 1.25 {
		t.Errorf("%s: %d bytes are stated, %d in use, %d held; %d taken, %d held in the end", what, stated.Peak(),
			stated.Live(), Held(stated), taken, held)
	}
}

// Interpreted runs a GPU's kernels without one.
func Interpreted(t testing.TB) *cuda.Device {
	return devices.Interpreter(t, interpreter.Options{NoRaces: true})
}
