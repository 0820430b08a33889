package memory_test

import (
	"testing"

	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// The processor refers to maps where they are; what is drawn takes a plane.
func TestPlanesOfPower(t *testing.T) {
	bytes := func(powers ...stack.Power) int64 {
		s := cases.Stack10(cases.Options{NX: 4})
		for l := range s.Layers {
			s.Layers[l].Powers = nil
		}
		s.Layers[0].Powers = powers
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		return memory.SystemBytes(memory.ShapeOf(m, false, false)) / (8 * int64(m.NX()*m.NY()))
	}
	domain := cases.Stack10(cases.Options{NX: 4}).Domain()
	none, drawn := bytes(), bytes(stack.Power{Uniform: 1, Area: domain})
	mapped := bytes(stack.Power{Area: domain, Map: &stack.PowerMap{NX: 1, NY: 1, Values: []float64{1}}})
	if drawn-none != 1 || mapped != none {
		t.Errorf("planes of power: %d drawn, %d of a map; want 1 and 0", drawn-none, mapped-none)
	}
}

// Planes that faces heat are counted once each: bottom and top of a single plane are one, sides touch all.
func TestPlanesThatFacesHeat(t *testing.T) {
	const all = 10
	for _, c := range []struct {
		layers int
		faces  []stack.Face
		want   int64
	}{
		{all, nil, 0}, {all, []stack.Face{stack.Top}, 1}, {all, []stack.Face{stack.Bottom}, 1},
		{all, []stack.Face{stack.Bottom, stack.Top}, 2}, {all, []stack.Face{stack.West}, all},
		{1, []stack.Face{stack.Bottom, stack.Top}, 1},
	} {
		bytes := func(flux float64) int64 {
			s := cases.Stack10(cases.Options{NX: 4})
			s.Layers = s.Layers[:c.layers]
			for _, f := range c.faces {
				s.Boundary[f] = stack.Boundary{Kind: stack.HeatFlux, Flux: flux}
			}
			m, err := mesh.Build(s)
			if err != nil {
				t.Fatal(err)
			}
			if m.NZ() != c.layers {
				t.Fatalf("%d planes of %d layers", m.NZ(), c.layers)
			}
			return memory.SystemBytes(memory.ShapeOf(m, false, false)) / (8 * int64(m.NX()*m.NY()))
		}
		if got := bytes(1e4) - bytes(0); got != c.want {
			t.Errorf("%v heat %d planes of %d, want %d", c.faces, got, c.layers, c.want)
		}
	}
}
