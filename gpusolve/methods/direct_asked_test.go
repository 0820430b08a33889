package methods_test

import (
	"sync"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/mesh"
)

// Several GPUs solve directly by themselves, but for steady states of GPUs that only their hosts join.
func TestGPUsSolveDirectlyWhereTheyAreJoined(t *testing.T) {
	t.Parallel()
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 6, NY: 20}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		apart           bool // each on a machine of its own
		method, expects string
		steps           int
	}{{false, "", "fourier", 0}, {false, "multigrid", "multigrid", 0}, {true, "", "multigrid", 0},
		{true, "fourier", "fourier", 0}, {true, "", "fourier", 2}} {
		one := devices.Machine(interpreter.Options{NoRaces: true})
		var wait sync.WaitGroup
		for r, g := range ranks.Local(2) {
			wait.Go(func() {
				o := gpusolve.Options{Preconditioner: c.method, Ranks: g, RTol: 1e-6, Device: "gpu", Driver: one}
				if c.apart {
					o.Device, o.Executor = "", solves.Interpreted(t)
				}
				solve := func() (*gpusolve.Solution, error) { return gpusolve.Steady(t.Context(), m, o) }
				if c.steps > 0 {
					solve = func() (*gpusolve.Solution, error) {
						return gpusolve.Transient(t.Context(), m, o,
							gpusolve.TransientOptions{Steps: c.steps, Dt: 1e-3})
					}
				}
				s, err := solve()
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				if r == 0 && s.Status.Preconditioner != c.expects {
					t.Errorf("%+v: %+v", c, s.Status)
				}
			})
		}
		wait.Wait()
	}
}
