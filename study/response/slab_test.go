package response_test

import (
	"math"
	"testing"

	"thermsim/gpusolve"
	"thermsim/stack"
	"thermsim/study/response"
)

const (
	slabK = 100.0 // W/(m K)
	slabC = 1.6e6 // J/(m3 K)
	side  = 1e-3  // m
)

// heatedSlab is a column heated at its top through a layer of no account, in layers that grow downwards to a depth in
// m. Its bottom is held.
func heatedSlab(depth, first float64) *stack.Stack {
	s := &stack.Stack{
		Schema: 1, Ambient: 300, Size: [2]float64{side, side},
		Grid:      stack.Grid{X: stack.Axis{Cells: 2}, Y: stack.Axis{Cells: 2}},
		Materials: []stack.Material{{Name: "solid", K: [3]float64{slabK, slabK, slabK}, C: slabC}},
	}
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 350}
	const growth = 1.02
	var heights []float64
	for h, sum := first, 0.0; sum < depth; h *= growth {
		heights = append(heights, h)
		sum += h
	}
	whole := 0.0
	for _, h := range heights {
		whole += h
	}
	for n := len(heights) - 1; n >= 0; n-- {
		s.Layers = append(s.Layers, stack.Layer{Name: "solid", Thickness: heights[n] * depth / whole, Cells: 1})
	}
	top := &s.Layers[len(s.Layers)-1]
	top.Powers = []stack.Power{{Uniform: 7, Area: s.Domain()}}
	return s
}

func steps(t *testing.T, s *stack.Stack, w response.Request) *response.Steps {
	t.Helper()
	x, err := response.StepResponses(t.Context(), s, response.Options{Solver: gpusolve.Options{Device: "cpu"}}, w)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// worst is the largest relative deviation of a curve.
func worst(x *response.Steps, c *response.Curve, exact func(t float64) float64) float64 {
	largest := 0.0
	for n, at := range x.Times {
		largest = max(largest, math.Abs(c.Z[n]/exact(at)-1))
	}
	return largest
}

// Half-space heated over its whole surface: Z = 2 sqrt(t / (pi k c)) / A (Carslaw and Jaeger, Conduction of Heat in
// Solids, 2nd ed., 2.9 (7)), over 9 decades. The slab that stands for it is 30 times as deep as heat gets.
func TestHalfSpaceOverNineDecades(t *testing.T) {
	const end = 1.0
	depth := 30 * math.Sqrt(slabK/slabC*end)
	s := heatedSlab(depth, 1e-9)
	x := steps(t, s, response.Request{Start: end / 1e9, End: end})
	d := worst(x, &x.Curves[0], func(t float64) float64 {
		return 2 * math.Sqrt(t/(math.Pi*slabK*slabC)) / (side * side)
	})
	t.Logf("%d layers, %d times, %d shifts: within %.2g", len(s.Layers), len(x.Times), x.Shifts, d)
	if len(x.Times) != 181 || d > 0.005 {
		t.Errorf("%d times, largest relative deviation %g", len(x.Times), d)
	}
}

// Slab with a held far side: Z = L/(kA) (1 - sum 2/a^2 exp(-a^2 k t/(c L^2))), a = pi (n + 1/2) (ibid., 3.8), over the
// 9 decades that are chosen by its time constant, 4 L^2 c / (pi^2 k).
func TestSlabOverNineDecades(t *testing.T) {
	const depth = 1e-3
	x := steps(t, heatedSlab(depth, 3e-10), response.Request{})
	unit := depth * depth * slabC / slabK
	exact := func(t float64) float64 {
		if t < 1e-3*unit { // the far side is not felt
			return 2 * math.Sqrt(t/(math.Pi*slabK*slabC)) / (side * side)
		}
		z := 1.0
		for n := range 200 {
			a := math.Pi * (float64(n) + 0.5)
			z -= 2 / (a * a) * math.Exp(-a*a*t/unit)
		}
		return z * depth / (slabK * side * side)
	}
	d := worst(x, &x.Curves[0], exact)
	t.Logf("%d times from %g to %g s: within %.2g", len(x.Times), x.Times[0], x.Times[len(x.Times)-1], d)
	if got, want := x.Slowest, 4*unit/(math.Pi*math.Pi); math.Abs(got/want-1) > 0.01 {
		t.Errorf("slowest time constant %g s, want %g", got, want)
	}
	if last := x.Times[len(x.Times)-1]; last/x.Times[0] < 0.999e9 || last < 5*x.Slowest || d > 0.005 {
		t.Errorf("%g to %g s, largest relative deviation %g", x.Times[0], last, d)
	}
}
