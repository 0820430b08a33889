package gpusolve_test

import (
	"math"
	"testing"

	"thermsim/gpusolve/testing/solves"

	"thermsim/gpusolve"
	"thermsim/stack"
)

// bumps are 8 x 8 squares of 0.2 mm on a pitch of 0.5 mm in a layer of 4 x 4 mm.
func bumps(n int, layer stack.Layer, k ...float64) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{4e-3, 4e-3},
		Grid: stack.Grid{X: stack.Axis{Cells: n}, Y: stack.Axis{Cells: n}}}
	for _, v := range k {
		s.Materials = append(s.Materials, stack.Material{Name: "m", K: [3]float64{v, v, v}, C: 2e6})
	}
	for i := range 8 {
		for j := range 8 {
			r := stack.Rect{X: 0.1e-3 + 0.5e-3*float64(i), Y: 0.2e-3 + 0.5e-3*float64(j), Width: 0.2e-3, Height: 0.2e-3}
			layer.Regions = append(layer.Regions, stack.Region{Material: 1, Rect: r})
		}
	}
	s.Layers = []stack.Layer{layer}
	return s
}

// meanOf is the mean rise of a plane.
func meanOf(t *testing.T, s *stack.Stack, plane int) float64 {
	t.Helper()
	v := make([]float64, s.Grid.X.Cells*s.Grid.Y.Cells)
	if err := solves.Steady(t, s, gpusolve.Options{Tol: 1e-8}).Field.Plane(plane, v); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, kelvin := range v {
		sum += (kelvin - 300) / float64(len(v))
	}
	return sum
}

// Bumps between plates that conduct well, many in a cell or cut by it: whatever the grid, the heat finds their area, as
// on one that resolves them.
func TestBumpsBetweenPlatesOnAnyGrid(t *testing.T) {
	rise := func(n int) float64 {
		s := bumps(n, stack.Layer{Name: "bumps", Thickness: 50e-6, Cells: 1}, 0.02, 5, 4000)
		plate := stack.Layer{Name: "lower", Material: 2, Thickness: 0.5e-3, Cells: 2}
		upper := plate
		upper.Name = "upper"
		s.Layers = []stack.Layer{plate, s.Layers[0], upper}
		s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.HeatFlux, Flux: 1e5}
		s.Boundary[stack.Top] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 300}
		return meanOf(t, s, 0)
	}
	fine := rise(80)
	theory := 1e5 * (0.375e-3/4000 + 0.5e-3/4000 + 50e-6/(0.16*5+0.84*0.02))
	if math.Abs(fine-theory) > 0.01*theory {
		t.Errorf("resolved: %g K, in theory %g K and some constriction", fine, theory)
	}
	for _, n := range []int{1, 2, 3, 5, 7, 11, 13, 20} {
		if got := rise(n); math.Abs(got-fine) > 0.01*fine {
			t.Errorf("%d x %d cells: %g K, resolved %g K", n, n, got, fine)
		}
	}
}

// Heat along a layer of bumps: in cells whose halves hold whole rows of bumps it meets stripes with bumps and without
// side by side, by theory whatever the number of rows. Finer grids approach the one that resolves the bumps well.
func TestBumpsAlongALayerConverge(t *testing.T) {
	rise := func(n int) float64 {
		s := bumps(n, stack.Layer{Name: "bumps", Thickness: 50e-6, Cells: 1}, 1, 40)
		s.Boundary[stack.East] = stack.Boundary{Kind: stack.HeatFlux, Flux: 1e5}
		s.Boundary[stack.West] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 300}
		return meanOf(t, s, 0)
	}
	theory := 1e5 * 2e-3 / (0.4/(0.4/40+0.6/1) + 0.6*1)
	for _, n := range []int{1, 2, 4} {
		if got := rise(n); math.Abs(got-theory) > 1e-6*theory {
			t.Errorf("%d x %d cells: %g K, want %g K", n, n, got, theory)
		}
	}
	fine, before := rise(320), 0.12
	for _, n := range []int{5, 33, 40, 80, 160} {
		off := math.Abs(rise(n)/fine - 1)
		if off > before || n > 40 && off > 0.5*before {
			t.Errorf("%d x %d cells: off by %g of what resolves the bumps, before by %g", n, n, off, before)
		}
		if n != 33 {
			before = off
		}
	}
}
