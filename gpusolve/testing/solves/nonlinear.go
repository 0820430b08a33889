package solves

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
	"thermsim/gpusolve/testing/interpreter"
	"thermsim/gpusolve/testing/opstest/devices"
	"thermsim/internal/testtier"
	"thermsim/mesh"
	"thermsim/stack"
)

// SomeCurve is a random law that falls or rises by a third over 100 K or so.
func SomeCurve(rng *rand.Rand, value float64) *stack.Curve {
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

// AgainstNewton solves random stacks with the independent code from a temperature on, and on the processor, the first
// of them on a GPU's kernels too. Where the rounding of conductances to FP32 decides, its 2^-24 of the rise counts
// times gain. further looks at more than temperatures.
func AgainstNewton(t *testing.T, random func(t *testing.T, seed uint64) *stack.Stack, start float64,
	gain func(*gpusolve.Solution) float64,
	further func(t *testing.T, d *Dense, want []float64, sol *gpusolve.Solution)) {
	for seed := range testtier.Pick[uint64](12, 40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := random(t, seed)
			m := Build(t, s)
			d, want := ByNewton(m, start)
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
				got := Field(t, s, sol.Field)
				limit := NewtonLimit(m, sol, want, gain(sol))
				if e := LargestDifference(got, want); !sol.Status.Converged || !(e <= limit) {
					t.Errorf("%s: off by %.3g K of a rise of %.3g K; %+v, %+v", name, e, slices.Max(want)-300,
						sol.Status, sol.Status.Nonlinear)
				}
				further(t, d, want, sol)
				sol.Close()
			}
		})
	}
}

// ByNewton solves with the independent code from a temperature on.
func ByNewton(m *mesh.Mesh, start float64) (*Dense, []float64) {
	d := NewDense(m, 0)
	want := make([]float64, m.Cells())
	for c := range want {
		want[c] = start
	}
	d.Solve(want)
	return d, want
}

// NewtonLimit is how far a solve to 1e-8 K may be from the independent code. A conductance lies between two numbers of
// FP32, and turns with the last digits of x; where coolant carries heat, by which more flows than any power, the run's
// own estimate comes on top.
func NewtonLimit(m *mesh.Mesh, sol *gpusolve.Solution, want []float64, gain float64) float64 {
	rounding := 0x1p-24 * math.Max(slices.Max(want)-300, 300-slices.Min(want)) * gain
	switch {
	case sol.Status.Reason == solution.ReasonAttainable && m.Cooled():
		return math.Max(1e-7, sol.Status.EstimatedErrorK+rounding)
	case sol.Status.Reason == solution.ReasonAttainable || SharesCells(m.Stack):
		return rounding
	}
	return 1e-7
}
