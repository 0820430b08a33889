package meshed_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// TestCoolantAgainstNewton compares stacks whose materials, films and powers follow the temperature beside coolant with
// the independent code.
func TestCoolantAgainstNewton(t *testing.T) {
	random := func(_ *testing.T, seed uint64) *stack.Stack {
		return solves.FollowingCooled(rand.New(rand.NewPCG(seed, 151)), seed%3 != 1, seed%3 != 0)
	}
	gain := func(sol *gpusolve.Solution) float64 {
		if l := sol.Status.Nonlinear.Leakage; l != nil {
			return 1 / (1 - l.Gain)
		}
		return 1
	}
	solves.AgainstNewton(t, random, 310, gain,
		func(t *testing.T, d *solves.Dense, want []float64, sol *gpusolve.Solution) {
			if sol.Energy.ImbalanceRel > 1e-8 {
				t.Errorf("imbalance %.3g", sol.Energy.ImbalanceRel)
			}
			leaking := 0.0
			for c, kelvin := range want {
				leaking += d.Leaking(c, kelvin)
			}
			n := sol.Status.Nonlinear
			if l := n.Leakage; l != nil && math.Abs(l.Watts-leaking) > 1e-7*leaking {
				t.Errorf("%.10g W leak, want %.10g W", l.Watts, leaking)
			}
			t.Logf("%d systems, %d iterations; hottest %.1f K; %s, error %.2g K", n.OuterTotal, sol.Status.Iterations,
				slices.Max(want), sol.Status.Reason, sol.Status.EstimatedErrorK)
		})
}

// TestCoolantStepsAgainstNewton compares steps of backward Euler with the independent code.
func TestCoolantStepsAgainstNewton(t *testing.T) {
	for seed := range testtier.Pick[uint64](6, 20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 152))
			s := solves.FollowingCooled(rng, seed%3 != 1, seed%3 != 0)
			m := solves.Build(t, s)
			dt := 3e-5 * math.Pow(1000, rng.Float64())
			d := solves.NewDense(m, dt)
			want := make([]float64, m.Cells())
			for c := range want {
				want[c] = 300
			}
			const steps = 8
			worst := 0.0
			sol, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{Device: "cpu", Tol: 1e-8 * steps},
				gpusolve.TransientOptions{Steps: steps, Dt: dt,
					OnStep: func(_ gpusolve.Step, f gpusolve.Field) error {
						d.Old = slices.Clone(want)
						d.Solve(want)
						worst = math.Max(worst, solves.LargestDifference(solves.Field(t, s, f), want))
						return nil
					}})
			if err != nil {
				t.Fatal(err)
			}
			defer sol.Close()
			rise := slices.Max(want) - 300
			t.Logf("off by %.3g K of a rise of %.4g K; %d systems, %d iterations", worst, rise,
				sol.Status.Nonlinear.OuterTotal, sol.Status.Iterations)
			if !sol.Status.Converged || !(worst <= 1e-7+6e-8*rise) || sol.Energy.ImbalanceRel > 1e-7 {
				t.Errorf("off by %.3g K of a rise of %.3g K; %+v, %+v; imbalance %.3g", worst, rise, sol.Status,
					sol.Status.Nonlinear, sol.Energy.ImbalanceRel)
			}
		})
	}
}

// cooledLump is a die of a single cell below a porous cavity, 60 K/W or so above its inlet of 300 K.
func cooledLump(watts float64, l stack.Leakage) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{1e-3, 1e-3},
		Grid: stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}}}
	s.Materials = []stack.Material{{Name: "m", K: [3]float64{100, 100, 100}, C: 1.6e6}}
	s.Layers =
		[]stack.Layer{{Name: "die", Thickness: 1e-4, Cells: 1,
			Powers: []stack.Power{{Uniform: watts, Area: s.Domain(), Leakage: l}}},
			{Name: "cavity", Thickness: 1e-4, Cells: 1}, {Name: "lid", Thickness: 1e-4, Cells: 1}}
	s.Layers[1].Coolant = &stack.Coolant{Model: stack.PorousCavity, Fluid: stack.Fluid{K: 0.6, C: 4e6}, Inlet: 300,
		Direction: stack.TowardsEast, Flow: 1e-8,
		HBottom: 2e4, HTop: 1e4, Channels: &stack.Channels{Width: 5e-5, Wall: 5e-5, FirstWall: 5e-5, Count: 9}}
	return s
}

// TestCooledRunaway compares the largest power of a die behind one resistance, that of its coolant, with theory: what
// it is in a system without leakage.
func TestCooledRunaway(t *testing.T) {
	t.Parallel()
	const beta = 0.015
	resistance := (solves.Steady(t, cooledLump(1, stack.Leakage{}), gpusolve.Options{Device: "cpu", Tol: 1e-9}).PeakK -
		300)
	for name, open := range map[string]func() ops.Device{"": func() ops.Device {
		return nil
	}, "interpreter": func() ops.Device {
		return devices.Interpreter(t, interpreter.Options{NoRaces: true})
	}} {
		for _, leaking := range []float64{0.3, 3, 8} {
			s := cooledLump(1, solves.Exponential(leaking, beta))
			sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu", Executor: open(), Tol: 1e-7})
			n := sol.Status.Nonlinear.Leakage
			a := resistance * leaking * math.Exp(beta*(300+resistance-358.15))
			if a*beta < 1/math.E {
				u := -solves.LambertW0(-a*beta) / beta
				if got := sol.PeakK - 300 - resistance; !sol.Status.Converged || math.Abs(got-u) > 1e-6*u ||
					math.Abs(n.Gain-beta*u) > 1e-4*beta*u {
					t.Errorf("%s %g W: %.9g K by leakage, want %.9g; gain %.6f, want %.6f; %+v", name, leaking, got, u,
						n.Gain, beta*u, sol.Status)
				}
				continue
			}
			want := solves.LumpedLimit(resistance, 1, leaking, beta)
			if sol.Status.Reason != solution.ReasonRunaway || math.Abs(n.Factor/want-1) > 1e-3 {
				t.Errorf("%s %g W: %+v, %+v; want factor %g", name, leaking, sol.Status, n, want)
			}
		}
	}
}
