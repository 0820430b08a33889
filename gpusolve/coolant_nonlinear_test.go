package gpusolve_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// followingCooled is a random stack of uniform layers with cavities, whose materials follow the temperature where
// curves says so, whose powers where leaks does. Dies and coolant get up to a hundred kelvins warmer than the inlet.
func followingCooled(rng *rand.Rand, curves, leaks bool) *stack.Stack {
	s := cases.Cooled(rng, 3+rng.IntN(2), 3+rng.IntN(2))
	for i := range s.Materials {
		if !curves {
			break
		}
		m := &s.Materials[i]
		for axis := range m.K {
			m.KCurve[axis] = someCurve(rng, m.K[axis])
			m.K[axis] = m.KCurve[axis].Of(300)
		}
		if rng.IntN(3) > 0 {
			m.CCurve = someCurve(rng, m.C)
			m.C = m.CCurve.Of(300)
		}
	}
	ways, area := 0.0, s.Size[0]*s.Size[1]
	for l := range s.Layers {
		if w := s.Layers[l].Coolant; w != nil {
			w.Flow = math.Pow(10, -8+3*rng.Float64())
			w.Central = w.Central && !leaks
			ways += 1 / (1/(w.Fluid.C*w.Flow) + 1/(w.HBottom*area))
		}
	}
	for l := range s.Layers {
		y := &s.Layers[l]
		y.Regions = nil
		if y.Coolant != nil {
			continue
		}
		y.Powers = []stack.Power{{Uniform: ways * (10 + 20*rng.Float64()), Area: s.Domain()}}
		if leaks {
			y.Powers[0].Leakage = stack.Leakage{Watts: y.Powers[0].Uniform * (0.05 + 0.2*rng.Float64()),
				Factor: someLaw(rng)}
		}
	}
	if top := &s.Boundary[stack.Top]; top.Kind == stack.Convective && curves {
		top.Film = someFilm(rng, &top.H)
	}
	s.Boundary[stack.South], s.Boundary[stack.West] = stack.Boundary{}, someSide(rng)
	return s
}

// TestCoolantAgainstNewton compares stacks whose materials, films and powers follow the temperature beside coolant with
// the independent code.
func TestCoolantAgainstNewton(t *testing.T) {
	random := func(_ *testing.T, seed uint64) *stack.Stack {
		return followingCooled(rand.New(rand.NewPCG(seed, 151)), seed%3 != 1, seed%3 != 0)
	}
	gain := func(sol *gpusolve.Solution) float64 {
		if l := sol.Status.Nonlinear.Leakage; l != nil {
			return 1 / (1 - l.Gain)
		}
		return 1
	}
	againstNewton(t, random, 310, gain, func(t *testing.T, d *dense, want []float64, sol *gpusolve.Solution) {
		if sol.Energy.ImbalanceRel > 1e-8 {
			t.Errorf("imbalance %.3g", sol.Energy.ImbalanceRel)
		}
		leaking := 0.0
		for c, kelvin := range want {
			leaking += d.leaking(c, kelvin)
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
			s := followingCooled(rng, seed%3 != 1, seed%3 != 0)
			m := build(t, s)
			dt := 3e-5 * math.Pow(1000, rng.Float64())
			d := newDense(m, dt)
			want := make([]float64, m.Cells())
			for c := range want {
				want[c] = 300
			}
			const steps = 8
			worst := 0.0
			sol, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{Device: "cpu", Tol: 1e-8 * steps},
				gpusolve.TransientOptions{Steps: steps, Dt: dt,
					OnStep: func(_ gpusolve.Step, f gpusolve.Field) error {
						d.old = slices.Clone(want)
						d.solve(want)
						worst = math.Max(worst, largestDifference(field(t, s, f), want))
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
	resistance := (steady(t, cooledLump(1, stack.Leakage{}), gpusolve.Options{Device: "cpu", Tol: 1e-9}).PeakK - 300)
	for name, open := range map[string]func() ops.Device{"": func() ops.Device {
		return nil
	}, "interpreter": func() ops.Device {
		return devices.Interpreter(t, interpreter.Options{NoRaces: true})
	}} {
		for _, leaking := range []float64{0.3, 3, 8} {
			s := cooledLump(1, exponential(leaking, beta))
			sol := steady(t, s, gpusolve.Options{Device: "cpu", Executor: open(), Tol: 1e-7})
			n := sol.Status.Nonlinear.Leakage
			a := resistance * leaking * math.Exp(beta*(300+resistance-358.15))
			if a*beta < 1/math.E {
				u := -lambertW0(-a*beta) / beta
				if got := sol.PeakK - 300 - resistance; !sol.Status.Converged || math.Abs(got-u) > 1e-6*u ||
					math.Abs(n.Gain-beta*u) > 1e-4*beta*u {
					t.Errorf("%s %g W: %.9g K by leakage, want %.9g; gain %.6f, want %.6f; %+v", name, leaking, got, u,
						n.Gain, beta*u, sol.Status)
				}
				continue
			}
			want := lumpedLimit(resistance, 1, leaking, beta)
			if sol.Status.Reason != solution.ReasonRunaway || math.Abs(n.Factor/want-1) > 1e-3 {
				t.Errorf("%s %g W: %+v, %+v; want factor %g", name, leaking, sol.Status, n, want)
			}
		}
	}
}
