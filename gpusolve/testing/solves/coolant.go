package solves

import (
	"context"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// CooledStack is a die below a cavity and a die above it, with the flow along y. Change it before it is meshed.
func CooledStack(nx, ny int, model stack.CavityModel) *stack.Stack {
	const side = 4e-3
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{side, side},
		Grid: stack.Grid{X: stack.Axis{Cells: nx}, Y: stack.Axis{Cells: ny}}}
	s.Materials = []stack.Material{{Name: "silicon", K: [3]float64{130, 130, 130}, C: 1.63e6},
		{Name: "wall", K: [3]float64{100, 90, 80}, C: 1.7e6}}
	layer := func(name string, thickness, watts float64) {
		y := stack.Layer{Name: name, Thickness: thickness, Cells: 1}
		if watts > 0 {
			y.Powers = []stack.Power{{Uniform: watts, Area: s.Domain()}}
		}
		s.Layers = append(s.Layers, y)
	}
	layer("lower", 50e-6, 10)
	layer("cavity", 100e-6, 0)
	layer("upper", 30e-6, 3)
	width := side / float64(nx)
	w := &stack.Coolant{Model: model, Fluid: stack.Fluid{K: 0.6, C: 4.17e6}, Inlet: 310, Direction: stack.TowardsNorth,
		Flow: 2e-7, HSide: 2e4, HBottom: 3e4, HTop: 4e4,
		Channels: &stack.Channels{Width: width, Wall: width, FirstWall: width, Count: (nx - 1) / 2}}
	if model == stack.PorousCavity {
		w.HSide = 0
	}
	s.Layers[1].Material, s.Layers[1].Coolant = 1, w
	return s
}

func SolveCooled(t *testing.T, s *stack.Stack, o gpusolve.Options) (*gpusolve.Solution, *mesh.Mesh) {
	t.Helper()
	if err := stack.Validate(s); err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Steady(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sol.Close)
	if !sol.Status.Converged {
		t.Fatalf("%+v", sol.Status)
	}
	return sol, m
}

func PlaneOf(t *testing.T, sol *gpusolve.Solution, m *mesh.Mesh, k int) []float64 {
	t.Helper()
	v := make([]float64, m.NX()*m.NY())
	if err := sol.Field.Plane(k, v); err != nil {
		t.Fatal(err)
	}
	return v
}
