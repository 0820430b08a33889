package cases

import "thermsim/stack"

// FlipChip is a system on a chip in a flip-chip package between a board and a heat sink. Its domain of 50 mm contains
// a substrate of 35 mm, a lid with feet and a die of 12.7 x 10.3 mm; air fills the rest. Few grids of equal
// cells divide its edges; those that do not have cells with air and copper or silicon in them.
func FlipChip(o Options) *stack.Stack {
	o.Width = 50e-3
	o = o.withDefaults()
	s := Stack10(o)
	s.Title, s.Layers = "flip chip", nil
	const (
		air = mold + 1 + iota
		board
		balls
		substrate
		bumps
		aluminium
	)
	s.Materials = append(s.Materials,
		isotropic("air", 0.026, 1.2e3),
		stack.Material{Name: "board", K: [3]float64{25, 25, 0.4}, C: 2e6},
		isotropic("balls", 8, 1.5e6),
		stack.Material{Name: "substrate", K: [3]float64{30, 30, 0.6}, C: 2e6},
		isotropic("bumps", 1.5, 2e6),
		isotropic("aluminium", 167, 2.4e6))
	die := stack.Rect{X: 18.3e-3, Y: 19.2e-3, Width: 12.7e-3, Height: 10.3e-3}
	carrier := stack.Rect{X: 7.5e-3, Y: 7.5e-3, Width: 35e-3, Height: 35e-3}
	lid := stack.Rect{X: 8.6e-3, Y: 8.6e-3, Width: 32.8e-3, Height: 32.8e-3}
	cavity := stack.Rect{X: 11.1e-3, Y: 11.1e-3, Width: 27.8e-3, Height: 27.8e-3}
	in := func(material int, r stack.Rect) stack.Region { return stack.Region{Material: material, Rect: r} }
	layer := func(name string, material, cells int, thickness float64, regions ...stack.Region) {
		s.Layers = append(s.Layers, stack.Layer{Name: name, Material: material, Thickness: thickness, Cells: cells,
			Regions: regions})
	}
	// The feet of the lid stand on the substrate around the cavity that the die lies in.
	feet := []stack.Region{in(copper, lid), in(air, cavity)}
	layer("board", board, 2, 1.6e-3)
	layer("balls", air, 1, 0.4e-3, in(balls, carrier))
	layer("substrate", air, 2, 1.1e-3, in(substrate, carrier))
	layer("bumps", air, 1, 70e-6, append(feet[:2:2], in(bumps, die))...)
	layer("transistors", air, 1, 5e-6, append(feet[:2:2], in(silicon, die))...)
	layer("die", air, 3, 0.6e-3, append(feet[:2:2], in(silicon, die))...)
	layer("tim", air, 1, 60e-6, append(feet[:2:2], in(tim, die))...)
	layer("lid", air, 2, 2e-3, in(copper, lid))
	layer("paste", air, 1, 50e-6, in(tim, lid))
	layer("sink", aluminium, 3, 5e-3)
	block := func(name string, x, y, width, height, watts float64) stack.Block {
		return stack.Block{Name: name, Rects: []stack.Rect{{X: die.X + x, Y: die.Y + y, Width: width, Height: height}},
			Watts: watts}
	}
	s.Layers[4].Powers = []stack.Power{{Area: die, Blocks: []stack.Block{
		block("cpu", 1.1e-3, 5.3e-3, 3.7e-3, 3.9e-3, 25), block("gpu", 5.9e-3, 1.3e-3, 5.6e-3, 6.7e-3, 30),
		block("io", 0.4e-3, 0.5e-3, 2.2e-3, 3.1e-3, 5)}}}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1500, Temperature: 300}
	s.Boundary[stack.Bottom] = stack.Boundary{Kind: stack.Convective, H: 10, Temperature: 300}
	return s
}
