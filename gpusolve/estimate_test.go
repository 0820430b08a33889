package gpusolve_test

import (
	"context"
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/methods"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// slowStack is a stack of few cells whose modes differ by orders of magnitude in what a weak preconditioner makes of
// them: a thin copper plate at the bottom of 2 mm of mould.
func slowStack() *stack.Stack {
	s := &stack.Stack{
		Schema: 1, Ambient: 298.15, Size: [2]float64{10e-3, 10e-3},
		Grid: stack.Grid{X: stack.Axis{Cells: 32}, Y: stack.Axis{Cells: 32}},
		Materials: []stack.Material{{Name: "cu", K: [3]float64{400, 400, 400}, C: 3.4e6},
			{Name: "mould", K: [3]float64{0.2, 0.2, 0.2}, C: 1.7e6}},
		Layers: []stack.Layer{{Name: "plate", Thickness: 10e-6, Cells: 1},
			{Name: "mould", Material: 1, Thickness: 2e-3, Cells: 4, Powers: []stack.Power{{
				Area: stack.Rect{Width: 10e-3, Height: 10e-3},
				Blocks: []stack.Block{{Name: "q", Rects: []stack.Rect{{X: 2e-3, Y: 3e-3, Width: 3e-3, Height: 2e-3}},
					Watts: 0.5}},
			}}}},
	}
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 358.15}
	return s
}

// longStack is cooled at two ends and hardly on top, and its layers conduct in one direction: multigrid contracts
// slowly.
func longStack() *stack.Stack {
	s := &stack.Stack{
		Schema: 1, Ambient: 300, Size: [2]float64{5.5e-4, 2.6e-4},
		Grid: stack.Grid{X: stack.Axis{Cells: 55}, Y: stack.Axis{Cells: 26}},
		Materials: []stack.Material{{Name: "a", K: [3]float64{8, 8, 8}, C: 1e6},
			{Name: "b", K: [3]float64{1750, 55, 21}, C: 1e6}},
		Layers: []stack.Layer{{Name: "a", Thickness: 1.8e-3, Cells: 3},
			{Name: "b", Material: 1, Thickness: 1.2e-3, Cells: 2}},
	}
	s.Boundary[stack.West] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 260}
	s.Boundary[stack.East] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 340}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 15, Temperature: 300}
	return s
}

// Every method is held to the tolerance in K, and its estimate bounds the error: also where contraction is slow.
func TestEveryMethodKeepsTheTolerance(t *testing.T) {
	for name, s := range map[string]*stack.Stack{"slow modes": slowStack(), "slow contraction": longStack()} {
		exact := solves.Field(t, s, solves.Steady(t, s, gpusolve.Options{RTol: 1e-12}).Field)
		for turn, method := range methods.Names() {
			if slow := name == "slow modes"; turn > 0 && testtier.Pick(turn%2 == 0 == slow, false) {
				continue // the other stack has it; both have multigrid
			}
			for _, tol := range testtier.Pick([]float64{1e-6}, []float64{gpusolve.DefaultTol, 1e-6}) {
				sol := solves.Steady(t, s, gpusolve.Options{Preconditioner: method, Tol: tol})
				e, est := solves.LargestDifference(exact, solves.Field(t, s, sol.Field)), sol.Status.EstimatedErrorK
				t.Logf("%s by %s to %g K: error %.2g, estimate %.2g, %d iterations", name, method, tol, e, est,
					sol.Status.Iterations)
				if !sol.Status.Converged || !(est <= tol) || !(e <= est) {
					t.Errorf("%s by %s to %g K: error %.2g, estimate %.2g: %+v", name, method, tol, e, est, sol.Status)
				}
			}
		}
	}
}

// What is known of the operator serves all steps: the sum of the estimates bounds the error of a run, and steps do not
// pay again.
func TestEveryMethodKeepsTheToleranceInTime(t *testing.T) {
	s := slowStack()
	m := solves.Build(t, s)
	plan := gpusolve.TransientOptions{Steps: 8, Dt: 1e-2}
	run := func(o gpusolve.Options) *gpusolve.Solution {
		sol, err := gpusolve.Transient(context.Background(), m, o, plan)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(sol.Close)
		return sol
	}
	// to attainable accuracy: the heat content dwarfs the power
	exact := solves.Field(t, s, run(gpusolve.Options{RTol: 1e-15}).Field)
	for _, method := range methods.Names() {
		sol := run(gpusolve.Options{Preconditioner: method})
		if e, est := solves.LargestDifference(exact, solves.Field(t, s, sol.Field)),
			sol.Status.EstimatedErrorK; !sol.Status.Converged || !(e <= est) || !(est <= gpusolve.DefaultTol) {
			t.Errorf("%s: error %.2g K, estimate %.2g: %+v", method, e, est, sol.Status)
		}
	}
}

// Other rules give an estimate too.
func TestResidualRulesTellTheError(t *testing.T) {
	s := slowStack()
	exact := solves.Field(t, s, solves.Steady(t, s, gpusolve.Options{RTol: 1e-12}).Field)
	for _, method := range methods.Names() {
		sol := solves.Steady(t, s, gpusolve.Options{Preconditioner: method, RTol: 1e-8})
		if e, est := solves.LargestDifference(exact, solves.Field(t, s, sol.Field)),
			sol.Status.EstimatedErrorK; math.IsNaN(est) ||
			!(e <= est) {
			t.Errorf("%s: error %.2g K, estimate %.2g: %+v", method, e, est, sol.Status)
		}
	}
}
