package gpusolve

import (
	"sync"
	"testing"

	"thermsim/gpusolve/cases"
	"thermsim/gpusolve/interpreter"
	"thermsim/gpusolve/ranks"
	"thermsim/mesh"
)

// GPUs that pass planes through the host's memory leave large grids to multigrid, unless the direct solver is asked for; those that copy from each other do not.
func TestLargeGridsThroughTheHost(t *testing.T) {
	m, err := mesh.Build(cases.Stack10(cases.Options{NX: 6, NY: 20}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		shared          bool
		most            int
		method, expects string
	}{{false, 100, "", "multigrid"}, {false, 100, "fourier", "fourier"}, {false, 0, "", "fourier"}, {true, 100, "", "fourier"}} {
		one := interpreter.New(interpreter.Options{NoRaces: true})
		var wait sync.WaitGroup
		for r, g := range ranks.Local(2) {
			wait.Go(func() {
				o := Options{Preconditioner: c.method, Ranks: g, throughHost: c.most, RTol: 1e-6, Device: "gpu", Driver: one}
				if !c.shared {
					o.Driver = interpreter.New(interpreter.Options{NoRaces: true})
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
}
