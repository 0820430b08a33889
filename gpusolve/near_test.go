package gpusolve_test

import (
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ports"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/solves"
	"thermsim/stack"
)

// Stacks between others start from the states of these. They need one iteration at most in place of five or more, and
// are within the tolerance of a solve to 1e-12. States under two powers depend on each other.
func TestSolvesStartFromSimilarStates(t *testing.T) {
	for _, c := range []struct {
		what string
		vary func(s *stack.Stack, share float64)
	}{
		{"coefficient", func(s *stack.Stack, share float64) {
			s.Boundary[stack.Top].H = 1000 + 8000*share
		}},
		{"powers", func(s *stack.Stack, share float64) {
			watts := make([]float64, len(ports.InputsOf(s)))
			watts[0], watts[len(watts)-1] = 1+share, 2+share*share
			setWatts(s, watts)
		}},
	} {
		of := func(share float64) *stack.Stack {
			s := cases.Stack10(cases.Options{NX: 29, NY: 31})
			c.vary(s, share)
			return s
		}
		near := gpusolve.Near{Gathering: true}
		o := gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", Near: &near}
		fromZero := 0
		for n := range 5 {
			fromZero = solves.Solve(t, solves.Build(t, of(float64(n)/4)), o).Status.Iterations
		}
		near.Gathering = false
		for _, share := range []float64{0.1, 0.37, 0.9} {
			m := solves.Build(t, of(share))
			got := solves.Solve(t, m, o)
			want := solves.Solve(t, m, gpusolve.Options{Device: "cpu", Preconditioner: "multigrid", RTol: 1e-12})
			d, _ := solves.FieldDifference(t, m, got, want)
			if d > 1e-4 || got.Status.Iterations > 1 || fromZero < 5 {
				t.Errorf("%s, %g: %d iterations, from zero %d; %g K off", c.what, share, got.Status.Iterations,
					fromZero, d)
			}
		}
	}
}
