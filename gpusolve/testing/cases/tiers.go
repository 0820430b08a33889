package cases

import (
	"fmt"

	"thermsim/stack"
)

// Tiers is a stack of dies, three planes each, of 10 x 10 mm with a cavity of 100 um between any two, in n x n cells.
// Coolant is the only way out; every second cavity flows against the others. Flow is that of each cavity in m3/s.
// Channels are a cell wide, and so are walls: an odd n gives as many walls as fit.
func Tiers(n, cavities int, flow float64, model stack.CavityModel) *stack.Stack {
	const side = 10e-3
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{side, side}}
	s.Grid.X, s.Grid.Y = stack.Axis{Cells: n}, stack.Axis{Cells: n}
	s.Materials = []stack.Material{{Name: "silicon", K: [3]float64{130, 130, 130}, C: 1.628e6},
		{Name: "beol", K: [3]float64{2.25, 2.25, 2.25}, C: 2.175e6}}
	add := func(name string, material int, thickness, watts float64) *stack.Layer {
		y := stack.Layer{Name: name, Material: material, Thickness: thickness, Cells: 1}
		if watts > 0 {
			y.Powers = []stack.Power{{Area: s.Domain(), Blocks: []stack.Block{
				{Name: "hot", Rects: []stack.Rect{{X: side / 8, Y: side / 8, Width: side / 4, Height: side / 4}},
					Watts: watts / 2},
				{Name: "cold", Rects: []stack.Rect{{X: side / 2, Y: 0, Width: side / 2, Height: side}},
					Watts: watts / 2},
			}}}
		}
		s.Layers = append(s.Layers, y)
		return &s.Layers[len(s.Layers)-1]
	}
	die := func(d int) {
		add(fmt.Sprintf("si%d", d), 0, 50e-6, 0)
		add(fmt.Sprintf("feol%d", d), 0, 2e-6, 30)
		add(fmt.Sprintf("beol%d", d), 1, 10e-6, 0)
	}
	die(0)
	width := side / float64(n)
	for c := range cavities {
		y := add(fmt.Sprintf("cavity%d", c), 0, 100e-6, 0)
		w := &stack.Coolant{Model: model, Fluid: stack.Fluid{K: 0.6, C: 4.172e6}, Inlet: 300,
			Direction: stack.TowardsNorth, Flow: flow,
			Channels: &stack.Channels{Width: width, Wall: width, FirstWall: width, Count: (n - 1) / 2}, HSide: 27132,
			HTop: 57132, HBottom: 47132}
		if model == stack.PorousCavity {
			w.HTop, w.HBottom = 50698, 55698
		}
		if c%2 == 1 {
			w.Direction = stack.TowardsSouth
		}
		y.Coolant = w
		die(c + 1)
	}
	return s
}
