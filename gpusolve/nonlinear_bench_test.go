package gpusolve_test

import (
	"context"
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/stack"
)

// leaking10 is cool10 with leakage in its logic, about a fifth of its power.
func leaking10(n int) *stack.Stack {
	s := solves.Cool10(n)
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			power := &s.Layers[l].Powers[p]
			if power.Uniform > 0 {
				power.Leakage = solves.Exponential(power.Uniform/3, 0.015)
			}
			for b := range power.Blocks {
				power.Blocks[b].Leakage = solves.Exponential(power.Blocks[b].Watts/3, 0.015)
			}
		}
	}
	return s
}

// BenchmarkLeaking compares leakage with none, as BenchmarkFollowing does silicon.
func BenchmarkLeaking(b *testing.B) { compareTen(b, solves.Cool10, leaking10) }

// BenchmarkFollowing compares silicon that follows the temperature with constant silicon, in turns, on 512 x 512 x 10
// cells in a steady state and on 256 x 256 x 10 in 20 steps of 1 ms: the least time of set-up and solve of each, and
// their ratio.
func BenchmarkFollowing(b *testing.B) { compareTen(b, solves.Cool10, solves.Hot10) }

func compareTen(b *testing.B, constant, following func(n int) *stack.Stack) {
	compare := func(b *testing.B, n int, solve func(s *stack.Stack) *gpusolve.Solution) {
		least := [2]float64{math.Inf(1), math.Inf(1)}
		var iterations [2]float64
		for b.Loop() {
			for i, s := range []*stack.Stack{constant(n), following(n)} {
				sol := solve(s)
				if !sol.Status.Converged {
					b.Fatalf("%+v", sol.Status)
				}
				least[i] = math.Min(least[i], (sol.Timing.Setup + sol.Timing.Solve).Seconds())
				iterations[i] = float64(sol.Status.IterationsTotal)
				sol.Close()
			}
		}
		b.ReportMetric(least[0], "s-constant")
		b.ReportMetric(least[1], "s-following")
		b.ReportMetric(least[1]/least[0], "ratio")
		b.ReportMetric(iterations[0], "iterations-constant")
		b.ReportMetric(iterations[1], "iterations-following")
	}
	b.Run("steady", func(b *testing.B) {
		compare(b, 512, func(s *stack.Stack) *gpusolve.Solution {
			sol, err := gpusolve.Steady(context.Background(), solves.Build(b, s),
				gpusolve.Options{Device: "cpu", Preconditioner: "multigrid"})
			if err != nil {
				b.Fatal(err)
			}
			return sol
		})
	})
	b.Run("transient", func(b *testing.B) {
		compare(b, 256, func(s *stack.Stack) *gpusolve.Solution {
			sol, err := gpusolve.Transient(context.Background(), solves.Build(b, s),
				gpusolve.Options{Device: "cpu", Preconditioner: "multigrid"},
				gpusolve.TransientOptions{Steps: 20, Dt: 1e-3})
			if err != nil {
				b.Fatal(err)
			}
			return sol
		})
	})
}
