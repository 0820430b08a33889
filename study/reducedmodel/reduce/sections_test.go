package reduce_test

import (
	"testing"

	"thermsim/gpusolve/testing/cases"
	"thermsim/stack"
	"thermsim/study/reducedmodel"
	"thermsim/study/reducedmodel/reduce"
)

// Each change of what a model contains is found, with its name. Watts, names and the grid may change, and h of a film.
func TestModelsOfOtherStacks(t *testing.T) {
	of := func(change func(s *stack.Stack)) *stack.Stack {
		s := cases.Stack10(cases.Options{NX: 8})
		s.Layers[1].Powers = []stack.Power{{Name: "map", Map: &stack.PowerMap{NX: 2, NY: 1, Values: []float64{1, 3}}}}
		s.Probes = []stack.Probe{{Name: "a", X: 1e-3}}
		s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 100, Temperature: s.Ambient}
		change(s)
		return s
	}
	if cells := reduce.LayerCells(of(func(s *stack.Stack) { s.Grid.Auto = stack.DefaultAutoGrid() })); cells != nil {
		t.Errorf("layers of a grid that is to be chosen have %v cells", cells)
	}
	made := of(func(*stack.Stack) {})
	top := []reducedmodel.Film{{Name: "top", From: 1, To: 10}}
	layer := func(n int) string { return "layer." + made.Layers[n].Name }
	for _, c := range []struct {
		want   string
		films  []reducedmodel.Film
		change func(s *stack.Stack)
	}{
		{"", nil, func(s *stack.Stack) { s.Layers[1].Powers[0].Map.Values = []float64{2, 6} }},
		{"", nil, func(s *stack.Stack) { s.Title, s.Materials[0].Name, s.Layers[0].Cells = "x", "y", 7 }},
		{"", nil, func(s *stack.Stack) { s.Grid.X.Cells = 5 }},
		{"", nil, func(s *stack.Stack) { s.Probes[0].Name = "b" }},
		{"", top, func(s *stack.Stack) { s.Boundary[stack.Top].H = 200 }},
		{"boundary.top", nil, func(s *stack.Stack) { s.Boundary[stack.Top].H = 200 }},
		{"boundary.west", top, func(s *stack.Stack) { s.Boundary[stack.West] = s.Boundary[stack.Top] }},
		{"size", nil, func(s *stack.Stack) { s.Size[1] *= 1.01 }},
		{layer(2), nil, func(s *stack.Stack) { s.Layers[2].Thickness *= 1.01 }},
		{layer(2), nil, func(s *stack.Stack) { s.Layers[2].ContactResistance = 1e-6 }},
		{layer(0), nil, func(s *stack.Stack) { s.Materials[s.Layers[0].Material].K[2] *= 1.01 }},
		{layer(1), nil, func(s *stack.Stack) { s.Layers[1].Powers[0].Map.Values[0] = 2 }},
		{layer(2), nil, func(s *stack.Stack) { s.Layers = append(s.Layers[:1:1], s.Layers[2:]...) }},
		{"probe.a", nil, func(s *stack.Stack) { s.Probes[0].X = 2e-3 }},
	} {
		origin := reducedmodel.Origin{Stack: reduce.Sections(made, c.films)}
		got := origin.Differs(reduce.Sections(of(c.change), c.films))
		if got != c.want {
			t.Errorf("got %q; expected %q", got, c.want)
		}
	}
}
