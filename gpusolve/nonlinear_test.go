package gpusolve_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"thermsim/gpusolve"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/heatsink"
)

// someCurve is a random law that falls or rises by a third over 100 K or so.
func someCurve(rng *rand.Rand, value float64) *stack.Curve {
	c := &stack.Curve{Law: stack.Law(rng.IntN(3)), At: 300, Range: [2]float64{200, 900}}
	switch c.Law {
	case stack.PowerLaw:
		c.Value, c.Exponent = value, 3*rng.Float64()-1
	case stack.PolynomialLaw:
		c.Coefficients = []float64{value, value * 1e-3 * (rng.Float64() - 0.3), value * 4e-6 * (rng.Float64() - 0.2)}
	default:
		v := value
		for t := 200.0; t <= 900; t += 50 + 150*rng.Float64() {
			c.Temperatures, c.Values = append(c.Temperatures, t), append(c.Values, v)
			v *= 0.6 + 0.6*rng.Float64()
		}
		c.Range = [2]float64{c.Temperatures[0], c.Temperatures[len(c.Temperatures)-1]}
	}
	return c
}

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
				m.KCurve[axis] = someCurve(rng, m.K[axis])
				m.K[axis] = m.KCurve[axis].Of(300)
			}
		}
		if rng.IntN(3) > 0 {
			m.CCurve = someCurve(rng, m.C)
			m.C = m.CCurve.Of(300)
		}
		s.Materials = append(s.Materials, m)
	}
	if !s.TemperatureDependent() {
		s.Materials[0].KCurve[2] = someCurve(rng, s.Materials[0].K[2])
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
	s.Boundary[stack.Top].Film = someFilm(rng, &s.Boundary[stack.Top].H)
	s.Boundary[stack.West] = someSide(rng)
	return s
}

// TestSteadyAgainstNewton compares stacks of two materials with the independent code, on the processor and a GPU's
// kernels.
func TestSteadyAgainstNewton(t *testing.T) {
	random := func(_ *testing.T, seed uint64) *stack.Stack { return randomNonlinear(rand.New(rand.NewPCG(seed, 1))) }
	againstNewton(t, random, 330, func(*gpusolve.Solution) float64 {
		return 1
	}, func(t *testing.T, _ *dense, _ []float64, sol *gpusolve.Solution) {
		if sol.Energy.ImbalanceRel > 1e-9 {
			t.Errorf("imbalance %.3g", sol.Energy.ImbalanceRel)
		}
	})
}

// againstNewton solves random stacks with the independent code from a temperature on, and on the processor, the first
// of them on a GPU's kernels too. Where the rounding of conductances to FP32 decides, its 2^-24 of the rise counts
// times gain. further looks at more than temperatures.
func againstNewton(t *testing.T, random func(t *testing.T, seed uint64) *stack.Stack, start float64,
	gain func(*gpusolve.Solution) float64,
	further func(t *testing.T, d *dense, want []float64, sol *gpusolve.Solution)) {
	for seed := range testtier.Pick[uint64](12, 40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := random(t, seed)
			m := build(t, s)
			d, want := byNewton(m, start)
			open := map[string]ops.Device{"": nil}
			if seed >= testtier.Pick[uint64](1, 0) && seed < testtier.Pick[uint64](3, 6) {
				open["interpreter"] = devices.Interpreter(t, interpreter.Options{NoRaces: true})
			}
			for name, device := range open {
				sol, err := gpusolve.Steady(context.Background(), m,
					gpusolve.Options{Device: "cpu", Executor: device, Tol: 1e-8})
				if err != nil {
					t.Fatal(err)
				}
				got := field(t, s, sol.Field)
				limit := newtonLimit(m, sol, want, gain(sol))
				if e := largestDifference(got, want); !sol.Status.Converged || !(e <= limit) {
					t.Errorf("%s: off by %.3g K of a rise of %.3g K; %+v, %+v", name, e, slices.Max(want)-300,
						sol.Status, sol.Status.Nonlinear)
				}
				further(t, d, want, sol)
				sol.Close()
			}
		})
	}
}

// byNewton solves with the independent code from a temperature on.
func byNewton(m *mesh.Mesh, start float64) (*dense, []float64) {
	d := newDense(m, 0)
	want := make([]float64, m.Cells())
	for c := range want {
		want[c] = start
	}
	d.solve(want)
	return d, want
}

// newtonLimit is how far a solve to 1e-8 K may be from the independent code. A conductance lies between two numbers of
// FP32, and turns with the last digits of x; where coolant carries heat, by which more flows than any power, the run's
// own estimate comes on top.
func newtonLimit(m *mesh.Mesh, sol *gpusolve.Solution, want []float64, gain float64) float64 {
	rounding := 0x1p-24 * math.Max(slices.Max(want)-300, 300-slices.Min(want)) * gain
	switch {
	case sol.Status.Reason == solution.ReasonAttainable && m.Cooled():
		return math.Max(1e-7, sol.Status.EstimatedErrorK+rounding)
	case sol.Status.Reason == solution.ReasonAttainable || sharesCells(m.Stack):
		return rounding
	}
	return 1e-7
}

// TestTransientAgainstNewton compares steps of backward Euler with the independent code, and what was stored with the
// change of the enthalpy.
func TestTransientAgainstNewton(t *testing.T) {
	for seed := range testtier.Pick[uint64](8, 24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(seed, 2))
			s := randomNonlinear(rng)
			m := build(t, s)
			dt := 3e-4 * math.Pow(100, rng.Float64())
			d := newDense(m, dt)
			want := make([]float64, m.Cells())
			for c := range want {
				want[c] = 300
			}
			enthalpy := func(at []float64) float64 {
				sum := 0.0
				for c, kelvin := range at {
					i, j, k := d.at(c)
					sum += d.heat(c, kelvin) * m.DX(i) * m.DY(j) * m.DZ(k)
				}
				return sum
			}
			const steps = 12
			stored, worst := 0.0, 0.0
			sol, err := gpusolve.Transient(context.Background(), m, gpusolve.Options{Device: "cpu", Tol: 1e-8 * steps},
				gpusolve.TransientOptions{Steps: steps, Dt: dt,
					OnStep: func(_ gpusolve.Step, f gpusolve.Field) error {
						d.old = slices.Clone(want)
						before := enthalpy(want)
						d.solve(want)
						stored += enthalpy(want) - before
						worst = math.Max(worst, largestDifference(field(t, s, f), want))
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
			last := slices.Clone(d.old)
			slack := 2e-9 * math.Abs(stored)
			if sharesCells(s) {
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
		m := build(t, s)
		run := func(device ops.Device) []float64 {
			sol, err := gpusolve.Transient(context.Background(), m,
				gpusolve.Options{Device: "cpu", Executor: device, Tol: 1e-6},
				gpusolve.TransientOptions{Steps: 4, Dt: 1e-3})
			if err != nil || !sol.Status.Converged || sol.Energy.ImbalanceRel > 1e-6 {
				t.Fatalf("%v, %+v, %+v", err, sol.Status, sol.Energy)
			}
			defer sol.Close()
			return field(t, s, sol.Field)
		}
		processor, gpu := run(nil), run(devices.Interpreter(t, interpreter.Options{NoRaces: true}))
		if d := largestDifference(processor, gpu); d > 1e-6 {
			t.Errorf("stack %d: the fields differ by %.3g K", seed, d)
		}
	}
}

// TestNonlinearBitsIndependentOfCores solves with one and with four workers.
func TestNonlinearBitsIndependentOfCores(t *testing.T) {
	s := hot10(33)
	s.Boundary[stack.Top].Film = stack.Film{Natural: heatsink.Up, Length: 3e-3, Emissivity: 0.9}
	run := func(n int) []float64 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		sol := steady(t, s, gpusolve.Options{Device: "cpu"})
		if !sol.Status.Converged {
			t.Fatalf("%+v", sol.Status)
		}
		return field(t, s, sol.Field)
	}
	if one, four := run(1), run(4); !slices.Equal(one, four) {
		t.Errorf("the bits differ, by up to %g K", largestDifference(one, four))
	}
}
