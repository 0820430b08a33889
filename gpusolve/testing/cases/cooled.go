package cases

import (
	"fmt"
	"math"
	"math/rand/v2"

	"thermsim/stack"
)

// Cooled draws a stack of nx by ny cells with one to three cavities in any directions: channels, porous ones with
// channels or pins, upwind and central, flows of 1e-9 to 1e-4 m3/s, faces that heat passes too, sides among them.
func Cooled(r *rand.Rand, nx, ny int) *stack.Stack {
	d := drawing{r, &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{4e-3, 3e-3}}}
	s := d.s
	s.Grid.X, s.Grid.Y = stack.Axis{Cells: nx}, stack.Axis{Cells: ny}
	s.Materials = []stack.Material{{Name: "silicon", K: [3]float64{130, 120, 110}, C: 1.63e6},
		{Name: "wall", K: [3]float64{100, 90, 80}, C: 1.7e6}, {Name: "oxide", K: [3]float64{1.4, 1.4, 1.4}, C: 1.6e6}}
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
	w := &stack.Coolant{Fluid: stack.Fluid{K: d.log(0.01, 1), C: d.log(1e6, 4e6)}, Inlet: 280 + 40*d.Float64(),
		Flow:  d.log(1e-9, 1e-4),
		HSide: d.log(1e3, 1e5), HBottom: d.log(1e3, 1e5), HTop: d.log(1e3, 1e5), Model: stack.PorousCavity,
		Central: d.IntN(4) == 0,
		Direction: []stack.Direction{stack.TowardsEast, stack.TowardsWest, stack.TowardsNorth,
			stack.TowardsSouth}[d.IntN(4)]}
	across := 1 - w.Direction.Axis()
	width := d.s.Size[across] / float64(cells[across])
	w.Channels = &stack.Channels{Width: width, Wall: width, FirstWall: width, Count: (cells[across] - 1) / 2}
	switch d.IntN(3) {
	case 0:
		w.Model = stack.ResolvedChannels
	case 1:
		w.Channels, w.Pins = nil, &stack.Pins{Diameter: 50e-6, Pitch: 120e-6}
	}
	return stack.Layer{Name: fmt.Sprintf("cavity%d", n), Material: 1, Thickness: d.log(50e-6, 400e-6), Cells: 1,
		Coolant: w}
}

// Developing lets the flow of some channels develop, so that coefficients differ from cell to cell.
func Developing(r *rand.Rand, s *stack.Stack) {
	d := drawing{r, s}
	for i := range s.Layers {
		if w := s.Layers[i].Coolant; w != nil && w.Channels != nil && d.IntN(3) == 0 {
			w.Developing, w.HSide, w.HBottom, w.HTop = true, 0, 0, 0
			w.Fluid.Density, w.Fluid.Viscosity = 1000, d.log(3e-4, 3e-3)
		}
	}
}
