package gpusolve_test

import (
	"context"
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/stack"
)

// slab is a block of one material between two temperatures, with power spread evenly.
func slab(nz int, curve *stack.Curve, watts float64) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{1e-3, 1e-3}}
	s.Grid = stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}}
	k := curve.Of(300)
	s.Materials =
		[]stack.Material{{Name: "m", K: [3]float64{k, k, k}, C: 1.6e6, KCurve: [3]*stack.Curve{curve, curve, curve}}}
	s.Layers = []stack.Layer{{Name: "l", Thickness: 1e-3, Cells: nz}}
	if watts > 0 {
		s.Layers[0].Powers = []stack.Power{{Uniform: watts, Area: s.Domain()}}
	}
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 310}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 420}
	return s
}

// curves are a power law and a table for tests with Kirchhoff's transform.
func curves() map[string]*stack.Curve {
	return map[string]*stack.Curve{
		"power law": {Law: stack.PowerLaw, Value: 148, At: 300, Exponent: 1.3, Range: [2]float64{200, 700}},
		"table": {Law: stack.TableLaw, Temperatures: []float64{200, 300, 400, 600, 800},
			Values: []float64{264, 148, 98.9, 61.9, 42.2},
			Range:  [2]float64{200, 800}},
	}
}

// fromKirchhoff is the temperature at which the integral of a curve from 310 K has a value.
func fromKirchhoff(c *stack.Curve, value float64) float64 {
	low, high := c.Range[0], c.Range[1]
	for {
		mid := (low + high) / 2
		if mid == low || mid == high {
			return mid
		}
		if solves.Integral(c, 310, mid) < value {
			low = mid
		} else {
			high = mid
		}
	}
}

// TestSlabsByKirchhoff compares slabs between two temperatures with theory: the integral of k over the temperature is a
// parabola along z. Grids of n, 3n and 9n cells have centres in common, from which the error of the grid is
// extrapolated away.
func TestSlabsByKirchhoff(t *testing.T) {
	const length, area = 1e-3, 1e-6
	for name, c := range curves() {
		for _, watts := range []float64{0, 60} {
			total := solves.Integral(c, 310, 420)
			const n = 8
			var at [3][]float64
			for g, cells := range []int{n, 3 * n, 9 * n} {
				s := slab(cells, c, watts)
				sol := solves.Steady(t, s, gpusolve.Options{Device: "cpu", Tol: 1e-8})
				if !sol.Status.Converged {
					t.Fatalf("%+v", sol.Status)
				}
				x := solves.Field(t, s, sol.Field)
				step := cells / n
				for i := range n {
					at[g] = append(at[g], x[i*step+step/2])
				}
			}
			for i := range n {
				z := (float64(i) + 0.5) / n
				q := watts / (area * length)
				exact := fromKirchhoff(c, total*z+q/2*length*length*z*(1-z))
				// Errors of the second order, and of the fourth.
				a, b := at[1][i]+(at[1][i]-at[0][i])/8, at[2][i]+(at[2][i]-at[1][i])/8
				got := b + (b-a)/80
				if e := math.Abs(got - exact); e > 1e-6*110 {
					t.Errorf("%s, %g W, z = %.3g: %.9f K, want %.9f K; off by %.2g of the rise; grids %v %v %v", name,
						watts, z, got, exact, e/110, at[0][i], at[1][i], at[2][i])
				}
			}
		}
	}
}

// cube is a block of one material with power in part of its middle layer, between two temperatures.
func cube(n int, curve *stack.Curve, bottom, top float64) *stack.Stack {
	s := slab(n/3, curve, 0)
	s.Grid = stack.Grid{X: stack.Axis{Cells: n}, Y: stack.Axis{Cells: n}}
	layer := s.Layers[0]
	s.Layers = nil
	for _, name := range []string{"below", "middle", "above"} {
		y := layer
		y.Name, y.Thickness = name, 1e-3/3
		s.Layers = append(s.Layers, y)
	}
	area := stack.Rect{X: 0, Y: 0, Width: 1e-3 / 3, Height: 2e-3 / 3}
	s.Layers[1].Powers = []stack.Power{{Uniform: 12, Area: area}}
	s.Boundary[stack.Bottom].Temperature, s.Boundary[stack.Top].Temperature = bottom, top
	return s
}

// TestBodiesByKirchhoff compares a block of one material, heated inside, with a linear block: the integral of k over
// the temperature solves Poisson's equation with a constant k. Both are extrapolated.
func TestBodiesByKirchhoff(t *testing.T) {
	solveAt := func(s *stack.Stack, n, coarse int) []float64 {
		sol, err := gpusolve.Steady(context.Background(), solves.Build(t, s),
			gpusolve.Options{Device: "cpu", Tol: 1e-8})
		if err != nil || !sol.Status.Converged {
			t.Fatal(err, sol.Status)
		}
		defer sol.Close()
		x := solves.Field(t, s, sol.Field)
		step := n / coarse
		var all []float64
		for k := range coarse {
			for j := range coarse {
				for i := range coarse {
					all = append(all, x[((k*step+step/2)*n+j*step+step/2)*n+i*step+step/2])
				}
			}
		}
		return all
	}
	laws := curves()
	if testtier.Pick(true, false) {
		delete(laws, "power law") // slabs have both
	}
	for name, c := range laws {
		const coarse, k0 = 6, 100.0
		constant := &stack.Curve{Law: stack.PolynomialLaw, Coefficients: []float64{k0}, At: 300,
			Range: [2]float64{100, 1000}}
		var warm, linear [3][]float64
		for g, n := range []int{coarse, 3 * coarse, 9 * coarse} {
			warm[g] = solveAt(cube(n, c, 310, 420), n, coarse)
			linear[g] = solveAt(cube(n, constant, 310, 310+solves.Integral(c, 310, 420)/k0), n, coarse)
		}
		extrapolated := func(v [3][]float64, i int) float64 {
			a, b := v[1][i]+(v[1][i]-v[0][i])/8, v[2][i]+(v[2][i]-v[1][i])/8
			return b + (b-a)/80
		}
		worst, top := 0.0, 0.0
		for i := range warm[0] {
			want := fromKirchhoff(c, k0*(extrapolated(linear, i)-310))
			worst, top = math.Max(worst, math.Abs(extrapolated(warm, i)-want)), math.Max(top, want)
		}
		if worst > 1e-6*(top-310) {
			t.Errorf("%s: off by %.2g of the rise of %.4g K", name, worst/(top-310), top-310)
		}
		t.Logf("%s: %.2g of the rise of %.4g K", name, worst/(top-310), top-310)
	}
}
