package main

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// sample is a piece of a mixture to be solved with all its inclusions: a rectangle with circles of material 1 in
// material 0.
type sample struct {
	width, height float64 // m
	circles       []geometry.Circle
	rects         []stack.Rect
	ki, km        float64 // W/(m K)
}

// array is a quarter of the unit cell of an array of cylinders, between planes of symmetry, for a pitch of 1 m.
func array(rule stack.Rule, f, ki, km float64) sample {
	s := sample{width: 0.5, height: 0.5, ki: ki, km: km}
	area := 1.0
	if rule == stack.Hexagonal {
		s.height = math.Sqrt(3) / 2
		area = math.Sqrt(3) / 2
	}
	d := math.Sqrt(4 / math.Pi * f * area)
	s.circles = []geometry.Circle{{Diameter: d}}
	if rule == stack.Hexagonal {
		s.circles = append(s.circles, geometry.Circle{X: s.width, Y: s.height, Diameter: d})
	}
	return s
}

// stack puts the sample on a grid of n cells along x, between two temperatures on opposite faces.
func (s sample) stack(n int, low, high stack.Face) *stack.Stack {
	rows := max(1, int(math.Round(float64(n)*s.height/s.width)))
	st := &stack.Stack{
		Ambient: 300, Size: [2]float64{s.width, s.height},
		Grid: stack.Grid{X: stack.Axis{Cells: n}, Y: stack.Axis{Cells: rows}},
		Materials: []stack.Material{
			{Name: "matrix", K: [3]float64{s.km, s.km, s.km}, C: 1},
			{Name: "inclusion", K: [3]float64{s.ki, s.ki, s.ki}, C: 1},
		},
		Layers: []stack.Layer{{Name: "sample", Thickness: s.width, Cells: 1}},
	}
	for _, c := range s.circles {
		st.Layers[0].Regions = append(st.Layers[0].Regions, stack.Region{Material: 1, Rect: stack.Around(c), Shape: c})
	}
	for _, r := range s.rects {
		st.Layers[0].Regions = append(st.Layers[0].Regions, stack.Region{Material: 1, Rect: r})
	}
	st.Boundary[low] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 300}
	st.Boundary[high] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 301}
	return st
}

// conductivity of the sample along x, y or z on one grid, in W/(m K).
func (s sample) conductivity(ctx context.Context, axis, n int) (float64, error) {
	faces := [3][2]stack.Face{{stack.West, stack.East}, {stack.South, stack.North}, {stack.Bottom, stack.Top}}[axis]
	extent := [3]float64{s.width, s.height, s.width}
	watts, err := heat(ctx, s.stack(n, faces[0], faces[1]), faces[0])
	return watts * extent[axis] / (extent[(axis+1)%3] * extent[(axis+2)%3]), err
}

// heat that leaves through a face of a steady state, in W.
func heat(ctx context.Context, st *stack.Stack, face stack.Face) (float64, error) {
	m, err := mesh.Build(st)
	if err != nil {
		return 0, err
	}
	sol, err := gpusolve.Steady(ctx, m, gpusolve.Options{Device: "cpu", Tol: 1e-9})
	if err != nil {
		return 0, err
	}
	defer sol.Close()
	if !sol.Status.Converged {
		return 0, fmt.Errorf("the solve did not converge: %s", sol.Status.Reason)
	}
	return math.Abs(sol.Energy.ByFace[face]), nil
}

// resolved extrapolates the conductivity along x from grids of n/2 and n cells along x: cut cells make an error of the
// first order in the size of a cell. doubt is what the extrapolation added, in parts of k.
func (s sample) resolved(ctx context.Context, n int) (k, doubt float64, err error) {
	coarse, err := s.conductivity(ctx, 0, n/2)
	if err != nil {
		return 0, 0, err
	}
	fine, err := s.conductivity(ctx, 0, n)
	return 2*fine - coarse, math.Abs(fine-coarse) / fine, err
}

// formula is the conductivity across the inclusions by a rule.
func (s sample) formula(rule stack.Rule, f float64) float64 {
	solid := func(k float64) *stack.Material { return &stack.Material{K: [3]float64{k, k, k}} }
	k, _ := rule.Mix(solid(s.ki), solid(s.km), f)
	return k[0]
}
