package gpusolve_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/stack"
	"thermsim/stack/heatsink"
)

// randomNonlinear is a small stack of two materials whose properties follow the temperature, each in its own way.
func randomNonlinear(rng *rand.Rand) *stack.Stack {
	between := func(a, b float64) float64 { return a * math.Pow(b/a, rng.Float64()) }
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{between(1e-3, 1e-2), between(1e-3, 1e-2)}}
	s.Grid = stack.Grid{X: stack.Axis{Cells: 1 + rng.IntN(3)}, Y: stack.Axis{Cells: 1 + rng.IntN(3)}}
	for i := range 2 {
		m := stack.Material{Name: fmt.Sprint("m", i), C: between(1e6, 4e6)}
		for axis := range m.K {
			m.K[axis] = between(1, 200)
			if rng.IntN(4) > 0 {
				m.KCurve[axis] = solves.SomeCurve(rng, m.K[axis])
				m.K[axis] = m.KCurve[axis].Of(300)
			}
		}
		if rng.IntN(3) > 0 {
			m.CCurve = solves.SomeCurve(rng, m.C)
			m.C = m.CCurve.Of(300)
		}
		s.Materials = append(s.Materials, m)
	}
	if !s.TemperatureDependent() {
		s.Materials[0].KCurve[2] = solves.SomeCurve(rng, s.Materials[0].K[2])
		s.Materials[0].K[2] = s.Materials[0].KCurve[2].Of(300)
	}
	for l := range 2 + rng.IntN(2) {
		y := stack.Layer{Name: fmt.Sprint("l", l), Material: l % 2, Thickness: between(5e-5, 1e-3),
			Cells: 1 + rng.IntN(2)}
		if rng.IntN(2) == 0 {
			y.ContactResistance = 1e-6
		}
		s.Layers = append(s.Layers, y)
	}
	h := between(1e3, 1e5)
	area := s.Size[0] * s.Size[1]
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: h, Temperature: 290 + 30*rng.Float64()}
	if rng.IntN(2) == 0 {
		s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 300 + 150*rng.Float64()}
	} else {
		s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.HeatFlux, Flux: 20 * h}
	}
	s.Layers[0].Powers = []stack.Power{{Uniform: 80 * h * area, Area: s.Domain()}}
	s.Boundary[stack.Top].Film = solves.SomeFilm(rng, &s.Boundary[stack.Top].H)
	s.Boundary[stack.West] = solves.SomeSide(rng)
	return s
}

// TestSteadyAgainstNewton compares stacks of two materials with the independent code, on the processor and a GPU's
// kernels.
func TestSteadyAgainstNewton(t *testing.T) {
	random := func(_ *testing.T, seed uint64) *stack.Stack { return randomNonlinear(rand.New(rand.NewPCG(seed, 1))) }
	solves.AgainstNewton(t, random, 330, func(*gpusolve.Solution) float64 {
		return 1
	}, func(t *testing.T, _ *solves.Dense, _ []float64, sol *gpusolve.Solution) {
		if sol.Energy.ImbalanceRel > 1e-9 {
			t.Errorf("imbalance %.3g", sol.Energy.ImbalanceRel)
		}
	})
}

// TestTransientAgainstNewton compares steps of backward Euler with the independent code, and what was stored with the
// change of the enthalpy.
func TestTransientAgainstNewton(t *testing.T) {
	for seed := range testtier.Pick[uint64](8, 24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 2))
			s := randomNonlinear(rng)
			m := solves.Build(t, s)
			dt := 3e-4 * math.Pow(100, rng.Float64())
			d := solves.NewDense(m, dt)
			want := make([]float64, m.Cells())
			for c := range want {
				want[c] = 300
			}
			enthalpy := func(at []float64) float64 {
				sum := 0.0
				for c, kelvin := range at {
					i, j, k := d.At(c)
					sum += d.Heat(c, kelvin) * m.DX(i) * m.DY(j) * m.DZ(k)
				}
				return sum
			}
			const steps = 12
			stored, worst := 0.0, 0.0
			sol, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{Device: "cpu", Tol: 1e-8 * steps},
				gpusolve.TransientOptions{Steps: steps, Dt: dt,
					OnStep: func(_ gpusolve.Step, f gpusolve.Field) error {
						d.Old = slices.Clone(want)
						before := enthalpy(want)
						d.Solve(want)
						stored += enthalpy(want) - before
						worst = math.Max(worst, solves.LargestDifference(solves.Field(t, s, f), want))
						return nil
					}})
			if err != nil {
				t.Fatal(err)
			}
			defer sol.Close()
			rise := slices.Max(want) - 300
			// the roundings of A change with the last digits of x
			if !sol.Status.Converged || !(worst <= 1e-7+6e-8*rise) {
				t.Errorf("off by %.3g K of a rise of %.3g K; %+v, %+v", worst, slices.Max(want)-300, sol.Status,
					sol.Status.Nonlinear)
			}
			// The last step's balance holds with the capacities and conductances of its own end.
			last := slices.Clone(d.Old)
			slack := 2e-9 * math.Abs(stored)
			if solves.SharesCells(s) {
				slack += 0x1p-24 * rise * m.HeatCapacity()
			}
			if got, want := sol.Energy.Stored*dt,
				enthalpy(want)-enthalpy(last); math.Abs(got-want) > 1e-6*math.Abs(want)+slack {
				t.Errorf("the last step stored %.10g J, want %.10g J", got, want)
			}
			if sol.Energy.ImbalanceRel > 1e-7 {
				t.Errorf("imbalance %.3g", sol.Energy.ImbalanceRel)
			}
		})
	}
}

// TestFollowingStepsOnGPU takes steps with a GPU's kernels and on the processor: the fields agree far within the
// tolerance.
func TestFollowingStepsOnGPU(t *testing.T) {
	for seed := range uint64(2) {
		s := randomNonlinear(rand.New(rand.NewPCG(seed, 2)))
		m := solves.Build(t, s)
		run := func(device ops.Device) []float64 {
			sol, err := gpusolve.Transient(context.Background(), m,
				gpusolve.Options{Device: "cpu", Executor: device, Tol: 1e-6},
				gpusolve.TransientOptions{Steps: 4, Dt: 1e-3})
			if err != nil || !sol.Status.Converged || sol.Energy.ImbalanceRel > 1e-6 {
				t.Fatalf("%v, %+v, %+v", err, sol.Status, sol.Energy)
			}
			defer sol.Close()
			return solves.Field(t, s, sol.Field)
		}
		processor, gpu := run(nil), run(devices.Interpreter(t, interpreter.Options{NoRaces: true}))
		if d := solves.LargestDifference(processor, gpu); d > 1e-6 {
			t.Errorf("stack %d: the fields differ by %.3g K", seed, d)
		}
	}
}

// TestNonlinearBitsIndependentOfCores solves with one and with four workers.
func TestNonlinearBitsIndependentOfCores(t *testing.T) {
	s := solves.Hot10(33)
	s.Boundary[stack.Top].Film = stack.Film{Natural: heatsink.Up, Length: 3e-3, Emissivity: 0.9}
	run := func(n int) []float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu"})
		if !sol.Status.Converged {
			t.Fatalf("%+v", sol.Status)
		}
		return solves.Field(t, s, sol.Field)
	}
	if one, four := run(1), run(4); !slices.Equal(one, four) {
		t.Errorf("the bits differ, by up to %g K", solves.LargestDifference(one, four))
	}
}
