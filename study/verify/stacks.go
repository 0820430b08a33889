package verify

import "thermsim/stack"

// ambient of all cases, K.
const ambient = 300

// newStack is a stack without layers, all faces adiabatic, on an equidistant grid.
func newStack(title string, width, depth float64, nx, ny int) *stack.Stack {
	s := &stack.Stack{Schema: 1, Title: title, Ambient: ambient, Size: [2]float64{width, depth}}
	s.Grid.X.Cells, s.Grid.Y.Cells = nx, ny
	s.Transient.Initial = ambient
	for f := range s.Boundary {
		s.Boundary[f].Temperature = ambient
	}
	return s
}

// addLayer adds a layer with a separate material on top. The pointer is valid until the next call.
func addLayer(s *stack.Stack, name string, thickness float64, cells int, k [3]float64, c float64) *stack.Layer {
	s.Layers = append(s.Layers, stack.Layer{Name: name, Material: addMaterial(s, name, k, c), Thickness: thickness,
		Cells: cells})
	return &s.Layers[len(s.Layers)-1]
}

// addMaterial returns the index of the new material.
func addMaterial(s *stack.Stack, name string, k [3]float64, c float64) int {
	s.Materials = append(s.Materials, stack.Material{Name: name, K: k, C: c})
	return len(s.Materials) - 1
}

func convection(h float64) stack.Boundary {
	return stack.Boundary{Kind: stack.Convective, H: h, Temperature: ambient}
}

func heatFlux(flux float64) stack.Boundary {
	return stack.Boundary{Kind: stack.HeatFlux, Flux: flux, Temperature: ambient}
}

func fixedTemperature(t float64) stack.Boundary {
	return stack.Boundary{Kind: stack.FixedTemperature, Temperature: t}
}

func lumpedResistance(r float64) stack.Boundary {
	return stack.Boundary{Kind: stack.LumpedResistance, Resistance: r, Temperature: ambient}
}

func isotropic(k float64) [3]float64 { return [3]float64{k, k, k} }

// uniformPower spreads watts over a rectangle of a layer.
func uniformPower(watts float64, area stack.Rect) stack.Power {
	return stack.Power{Uniform: watts, Area: area}
}

// mapPower gives every tile of an nx x ny map over the whole domain its own watts.
func mapPower(s *stack.Stack, nx, ny int, watts []float64) stack.Power {
	return stack.Power{Map: &stack.PowerMap{NX: nx, NY: ny, Values: watts}, Area: s.Domain()}
}
