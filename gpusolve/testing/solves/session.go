package solves

import (
	"testing"

	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// SessionCases are a stack that is solved directly, one that multigrid solves, and both with laws that follow the
// temperature.
func SessionCases(t *testing.T) map[string]*mesh.Mesh {
	t.Helper()
	direct := cases.PowerSteps(cases.Stack10(cases.Options{NX: 16}))
	regions := cases.Interposer(cases.PowerSteps(cases.Stack10(cases.Options{NX: 16})))
	leaky := cases.Interposer(Cool10(16))
	for l := range leaky.Layers {
		for p := range leaky.Layers[l].Powers {
			for b := range leaky.Layers[l].Powers[p].Blocks {
				leaky.Layers[l].Powers[p].Blocks[b].Leakage = Exponential(0.005, 0.01)
			}
		}
	}
	return map[string]*mesh.Mesh{"direct": Build(t, direct), "multigrid": Build(t, regions),
		"k(T)": Build(t, Hot10(16)), "leakage": Build(t, leaky), "coolant": Build(t, Channels())}
}

// Channels is a die below a cavity and a die above it.
func Channels() *stack.Stack {
	const side = 4e-3
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{side, side},
		Grid: stack.Grid{X: stack.Axis{Cells: 9}, Y: stack.Axis{Cells: 8}},
		Materials: []stack.Material{{Name: "silicon", K: [3]float64{130, 130, 130}, C: 1.63e6},
			{Name: "wall", K: [3]float64{100, 90, 80}, C: 1.7e6}}}
	heated := func(watts float64) []stack.Power { return []stack.Power{{Uniform: watts, Area: s.Domain()}} }
	width := side / 9
	s.Layers = []stack.Layer{
		{Name: "lower", Thickness: 50e-6, Cells: 1, Powers: heated(10)},
		{Name: "cavity", Thickness: 100e-6, Cells: 1, Material: 1,
			Coolant: &stack.Coolant{Model: stack.ResolvedChannels, Fluid: stack.Fluid{K: 0.6, C: 4.17e6}, Inlet: 310,
				Direction: stack.TowardsNorth,
				Flow:      2e-7, HSide: 2e4, HBottom: 3e4, HTop: 4e4,
				Channels: &stack.Channels{Width: width, Wall: width, FirstWall: width, Count: 4}}},
		{Name: "upper", Thickness: 30e-6, Cells: 1, Powers: heated(3)},
	}
	return s
}
