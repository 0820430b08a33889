package gpusolve_test

import (
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// What a block without power takes up from hot faces on all sides is the largest of its flows, and what the imbalance
// refers to.
func TestStoredHeatIsAFlow(t *testing.T) {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{1e-3, 1e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: 4}, Y: stack.Axis{Cells: 4}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{100, 100, 100}, C: 2e6}},
		Layers:    []stack.Layer{{Name: "l", Thickness: 1e-3, Cells: 4}}}
	for f := range s.Boundary {
		s.Boundary[f] = stack.Boundary{Kind: stack.Convective, H: 100, Temperature: 350}
	}
	s.Transient.Initial = 300
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Transient(t.Context(), m, gpusolve.Options{Device: "cpu"},
		gpusolve.TransientOptions{Dt: 1e-3, Steps: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	e := &sol.Energy
	// Six faces of 1 mm2 behind 100 W/(m2 K) and 50 K, nearly: the block warms up by 15 mK.
	if want := 6 * 1e-6 * 100 * 50.; math.Abs(e.Stored-want) > 1e-2*want || math.Abs(e.Scale-e.Stored) > 1e-6*want {
		t.Errorf("%g W are stored and the scale is %g W, want %g", e.Stored, e.Scale, want)
	}
}

// A stack that begins at its steady state stays there: no step has anything to do, the first one neither.
func TestStepsFromTheSteadyStateAreFree(t *testing.T) {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{1e-3, 1e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: 8}, Y: stack.Axis{Cells: 8}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{100, 100, 100}, C: 2e6}},
		Layers: []stack.Layer{{Name: "l", Thickness: 1e-3, Cells: 4,
			Powers: []stack.Power{{Uniform: 1, Area: stack.Rect{Width: 1e-3, Height: 1e-3}}}}}}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: 300}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	o := gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", RTol: 1e-12}
	start, err := gpusolve.Steady(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	defer start.Close()
	o.RTol = 1e-6
	sol, err := gpusolve.Transient(t.Context(), m, o,
		gpusolve.TransientOptions{Dt: 1e-3, Steps: 4, Initial: start.Field})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	for n, step := range sol.Steps {
		if step.Iterations != 0 {
			t.Errorf("step %d took %d iterations", n+1, step.Iterations)
		}
	}
}

// Steps that follow the temperatures and do not converge within their iterations say so: of the run, and of each
// moment.
func TestAdaptiveStepsThatDoNotConverge(t *testing.T) {
	s := cases.Stack10(cases.Options{NX: 16})
	sol, err := gpusolve.Adaptive(t.Context(), solves.Build(t, s),
		gpusolve.Options{Device: "cpu", Preconditioner: "jacobi", Tol: 1e-9, MaxIter: 2},
		gpusolve.AdaptiveOptions{Tol: 50, Until: 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	if sol.Status.Converged || sol.Steps[len(sol.Steps)-1].Converged {
		t.Errorf("%d steps of two iterations converged", len(sol.Steps))
	}
}
