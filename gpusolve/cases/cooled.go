package cases

import (
	"fmt"
	"math"
	"math/rand/v2"

	"thermsim/stack"
)

// Cooled draws a stack of nx by ny cells with one to three cavities in any directions: channels, porous ones with channels or pins, upwind and central,
// flows of 1e-9 to 1e-4 m3/s, faces that heat passes too, sides among them.
func Cooled(r *rand.Rand, nx, ny int) *stack.Stack {
	d := drawing{r, &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{4e-3, 3e-3}}}
	s := d.s
	s.Grid.X, s.Grid.Y = stack.Axis{Cells: nx}, stack.Axis{Cells: ny}
	s.Materials = []stack.Material{{Name: "silicon", K: [3]float64{130, 120, 110}, C: 1.63e6}, {Name: "wall", K: [3]float64{100, 90, 80}, C: 1.7e6}, {Name: "oxide", K: [3]float64{1.4, 1.4, 1.4}, C: 1.6e6}}
	if d.IntN(2) == 0 {
		s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: math.Exp(10 * d.Float64()), Temperature: 300}
	}
	if d.IntN(3) == 0 {
		s.Boundary[stack.West] = stack.Boundary{Kind: stack.Convective, H: d.log(10, 1e4), Temperature: 305}
		s.Boundary[stack.South] = stack.Boundary{Kind: stack.HeatFlux, Flux: 1e3}
	}
	cavities := 1 + d.IntN(3)
	for c := range cavities + 1 {
		s.Layers = append(s.Layers, d.die(c))
		if c < cavities {
			s.Layers = append(s.Layers, d.cavity(c, [2]int{nx, ny}))
		}
	}
	return s
}

func (d *drawing) die(n int) stack.Layer {
	y := stack.Layer{Name: fmt.Sprintf("die%d", n), Thickness: d.log(5e-6, 500e-6), Cells: 1 + d.IntN(2)}
	y.Powers = []stack.Power{{Uniform: d.log(0.1, 30), Area: d.s.Domain()}}
	if d.IntN(3) == 0 {
		y.ContactResistance = d.log(1e-7, 1e-5)
	}
	if d.IntN(3) == 0 {
		y.Regions = []stack.Region{{Material: 2, Rect: stack.Rect{X: 0.7e-3, Y: 0.4e-3, Width: 1.3e-3, Height: 1.1e-3}}}
	}
	return y
}

func (d *drawing) cavity(n int, cells [2]int) stack.Layer {
	w := &stack.Coolant{Fluid: stack.Fluid{K: d.log(0.01, 1), C: d.log(1e6, 4e6)}, Inlet: 280 + 40*d.Float64(), Flow: d.log(1e-9, 1e-4),
		HSide: d.log(1e3, 1e5), HBottom: d.log(1e3, 1e5), HTop: d.log(1e3, 1e5), Model: stack.PorousCavity, Central: d.IntN(4) == 0,
		Direction: []stack.Direction{stack.TowardsEast, stack.TowardsWest, stack.TowardsNorth, stack.TowardsSouth}[d.IntN(4)]}
	across := 1 - w.Direction.Axis()
	width := d.s.Size[across] / float64(cells[across])
	w.Channels = &stack.Channels{Width: width, Wall: width, FirstWall: width, Count: (cells[across] - 1) / 2}
	switch d.IntN(3) {
	case 0:
		w.Model = stack.ResolvedChannels
	case 1:
		w.Channels, w.Pins = nil, &stack.Pins{Diameter: 50e-6, Pitch: 120e-6}
	}
	return stack.Layer{Name: fmt.Sprintf("cavity%d", n), Material: 1, Thickness: d.log(50e-6, 400e-6), Cells: 1, Coolant: w}
}

// Tiers are three dies of 10 x 10 mm with 30 W each, and water of 0.4 ml/s in a cavity below the second, against it in one below the third: n by n cells and 12
// planes.
func Tiers(n int, model stack.CavityModel) *stack.Stack {
	const side = 10e-3
	s := &stack.Stack{Schema: 1, Title: "coolant between three dies", Ambient: 300, Size: [2]float64{side, side}}
	s.Grid.X, s.Grid.Y = stack.Axis{Cells: n}, stack.Axis{Cells: n}
	s.Materials = []stack.Material{{Name: "silicon", K: [3]float64{130, 130, 130}, C: 1.628e6}, {Name: "beol", K: [3]float64{2.25, 2.25, 2.25}, C: 2.175e6}}
	add := func(name string, material int, thickness float64) *stack.Layer {
		s.Layers = append(s.Layers, stack.Layer{Name: name, Material: material, Thickness: thickness, Cells: 1})
		return &s.Layers[len(s.Layers)-1]
	}
	width := side / float64(n)
	for d := range 3 {
		if d > 0 {
			w := &stack.Coolant{Model: model, Fluid: stack.Fluid{K: 0.6, C: 4.172e6}, Inlet: 300, Direction: stack.TowardsNorth, Flow: 4e-7,
				Channels: &stack.Channels{Width: width, Wall: width, FirstWall: width, Count: (n - 1) / 2}, HSide: 27132, HTop: 57132, HBottom: 47132}
			if d == 2 {
				w.Direction = stack.TowardsSouth
			}
			add(fmt.Sprintf("cavity%d", d), 0, 100e-6).Coolant = w
		}
		add(fmt.Sprintf("silicon%d", d), 0, 50e-6)
		add(fmt.Sprintf("feol%d", d), 0, 2e-6).Powers = []stack.Power{{Area: s.Domain(), Blocks: []stack.Block{
			{Name: "hot", Rects: []stack.Rect{{X: side / 8, Y: side / 8, Width: side / 4, Height: side / 4}}, Watts: 15},
			{Name: "cold", Rects: []stack.Rect{{X: side / 2, Y: 0, Width: side / 2, Height: side}}, Watts: 15},
		}}}
		if model == stack.ResolvedChannels || d != 1 {
			add(fmt.Sprintf("beol%d", d), 1, 10e-6)
		}
	}
	if model == stack.ResolvedChannels {
		add("lid", 0, 200e-6)
	}
	return s
}
