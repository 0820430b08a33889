package gpusolve_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// leakyBetween is a random stack with leakage between faces that are colder and hotter than the ambient temperature.
func leakyBetween(rng *rand.Rand) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 250 + 150*rng.Float64(), Size: [2]float64{4e-3, 3e-3}}
	s.Grid = stack.Grid{X: stack.Axis{Cells: 1 + rng.IntN(4)}, Y: stack.Axis{Cells: 1 + rng.IntN(3)}}
	for n := range 2 {
		k := math.Exp(math.Log(200) * rng.Float64())
		s.Materials = append(s.Materials, stack.Material{Name: string(rune('a' + n)), K: [3]float64{k, k, 2 * k},
			C: 1.6e6})
		s.Layers = append(s.Layers, stack.Layer{Name: string(rune('a' + n)), Material: n, Thickness: 2e-4,
			Cells: 1 + rng.IntN(2)})
	}
	h := 300 + 3000*rng.Float64()
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: h, Temperature: 280 + 60*rng.Float64()}
	if rng.IntN(2) == 0 {
		s.Boundary[stack.West] = stack.Boundary{Kind: stack.Convective, H: 500 * rng.Float64(), Temperature: 280 +
			60*rng.Float64()}
	}
	const beta = 0.04
	// The loop gain of a lump at T is about R P beta exp(beta (T - 320 K)).
	watts := math.Exp(-2.5+4*rng.Float64()) * h * 12e-6 / beta
	l := stack.Leakage{Watts: watts, Factor: &stack.Curve{Law: stack.ExponentialLaw, Value: 1, Exponent: beta, At: 320,
		Range: [2]float64{240, 700}}}
	s.Layers[0].Powers = []stack.Power{{Uniform: 10 * h * 12e-6 * rng.Float64(), Area: s.Domain(), Leakage: l}}
	return s
}

// TestRunawayVerdicts compares verdict, temperatures and largest factor with elimination, where boundaries are colder
// and hotter than the ambient temperature.
func TestRunawayVerdicts(t *testing.T) {
	runaways, stable := 0, 0
	for seed := range uint64(testtier.Pick(24, 200)) {
		s := leakyBetween(rand.New(rand.NewPCG(seed, 41)))
		m := solves.Build(t, s)
		d := solves.NewDense(m, 0)
		n := m.Cells()
		// The residual without power is linear: source - K t.
		powers, leaks := d.Power, d.Leaks
		d.Power, d.Leaks = make([]float64, n), make([][]solves.Leak, n)
		source, unit, column := make([]float64, n), make([]float64, n), make([]float64, n)
		d.Residual(source, unit, true)
		k := make([][]float64, n)
		for i := range k {
			k[i] = make([]float64, n)
		}
		for j := range n {
			unit[j] = 1
			d.Residual(column, unit, true)
			for i := range n {
				k[i][j] = source[i] - column[i]
			}
			unit[j] = 0
		}
		d.Power, d.Leaks = powers, leaks
		want := d.SteadyLeak(k, source, 1)
		sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu", Tol: 1e-6})
		leakage := sol.Status.Nonlinear.Leakage
		if want == nil {
			runaways++
			low, high := 0.0, 1.0
			for high-low > 1e-5*high && high > 1e-6 {
				if f := (low + high) / 2; d.SteadyLeak(k, source, f) != nil {
					low = f
				} else {
					high = f
				}
			}
			if !leakage.Runaway || math.Abs(leakage.Factor-low) > 0.01*low {
				t.Errorf("seed %d: %s, factor %.6g; want a runaway, factor %.6g", seed, sol.Status.Reason,
					leakage.Factor, low)
			}
			continue
		}
		stable++
		if hottest := slices.Max(want); !sol.Status.Converged || leakage.Runaway || math.Abs(sol.PeakK-hottest) > 1e-3 {
			t.Errorf("seed %d, ambient %.1f K: %s, %.6f K; want %.6f K", seed, s.Ambient, sol.Status.Reason, sol.PeakK,
				hottest)
		}
	}
	t.Logf("%d stable, %d runaways", stable, runaways)
	if min(stable, runaways) < 5 {
		t.Error("one verdict is hardly tested")
	}
}
