package gpusolve

import (
	"sync"
	"testing"

	"thermsim/gpusolve/cases"
	"thermsim/gpusolve/interpreter"
	"thermsim/gpusolve/ranks"
	"thermsim/mesh"
)

// Several GPUs solve directly only where that is asked for, named or found by themselves.
func TestGPUsAreAskedToSolveDirectly(t *testing.T) {
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 6, NY: 20}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		shared          bool // an executor
		method, expects string
	}{{false, "", "multigrid"}, {false, "fourier", "fourier"}, {true, "", "multigrid"}, {true, "fourier", "fourier"}} {
		one := interpreter.New(interpreter.Options{NoRaces: true})
		var wait sync.WaitGroup
		for r, g := range ranks.Local(2) {
			wait.Go(func() {
				o := Options{Preconditioner: c.method, Ranks: g, RTol: 1e-6, Device: "gpu", Driver: one}
				if c.shared {
					o = Options{Preconditioner: c.method, Ranks: g, RTol: 1e-6, Executor: interpreted(t)}
				}
				s, err := Steady(t.Context(), m, o)
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
	d := &driver{dev: interpreted(t)}
	defer d.dev.Close()
	if err := (&Options{team: &team{}}).checkAsked(d); err != errUnasked {
		t.Error(err)
	}
}
