package solves

import "thermsim/stack"

// Lump is a single cell, which backward Euler treats exactly as theory says: theta_n = P/G (1 - (1 + dt/tau)^-n).
func Lump() (s *stack.Stack, tau, final float64) {
	const c, k, h, thickness, watts = 2e6, 100.0, 1e4, 1e-3, 5.0
	s = &stack.Stack{
		Ambient: 310, Size: [2]float64{2e-3, 3e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: 1}, Y: stack.Axis{Cells: 1}},
		Materials: []stack.Material{{Name: "m", K: [3]float64{k, k, k}, C: c}},
	}
	s.Layers =
		[]stack.Layer{{Name: "l", Thickness: thickness, Cells: 1,
			Powers: []stack.Power{{Uniform: watts, Area: s.Domain()}}}}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: h, Temperature: 310}
	area := s.Size[0] * s.Size[1]
	g := area / (1/h + thickness/(2*k))
	return s, c * area * thickness / g, watts / g
}
