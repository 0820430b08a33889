package gridding

import (
	"math"
	"slices"

	"thermsim/stack"
)

// FirstPlanes are the cells of each layer in the first grid of a family: near sources about as high as these are wide,
// growing with the distance, and at least as many as in the stack file.
func FirstPlanes(s *stack.Stack) []int {
	const most = 12
	size := sourceSize(s)
	n := make([]int, len(s.Layers))
	for l := range s.Layers {
		layer := &s.Layers[l]
		height := equivalent(s, layer, layer.Material)
		cells := math.Ceil(height/(size+slope*distance(s, l)) - spare)
		n[l] = max(layer.Cells, int(min(most, max(1, cells))))
	}
	return n
}

// equivalent is the thickness of an equivalent layer with isotropic conductivity.
func equivalent(s *stack.Stack, l *stack.Layer, material int) float64 {
	k := s.Materials[material].K
	return l.Thickness * math.Sqrt(math.Sqrt(k[0]*k[1])/k[2])
}

// distance in m, along z, from a layer to the next one with power.
func distance(s *stack.Stack, layer int) float64 {
	nearest := math.Inf(1)
	for other := range s.Layers {
		if len(s.Layers[other].Powers) == 0 {
			continue
		}
		between := 0.0
		for l := min(layer, other) + 1; l < max(layer, other); l++ {
			between += s.Layers[l].Thickness
		}
		nearest = min(nearest, between)
	}
	if math.IsInf(nearest, 1) {
		return 0
	}
	return nearest
}

// sourceSize is the cell size across a source of median width.
func sourceSize(s *stack.Stack) float64 {
	var sizes []float64
	for axis := range 2 {
		for _, p := range Sources(s, axis) {
			sizes = append(sizes, p.Size)
		}
	}
	if len(sizes) == 0 {
		return min(s.Size[0], s.Size[1]) / AcrossDomain
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}
