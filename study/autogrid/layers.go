package autogrid

import (
	"math"
	"slices"

	"thermsim/stack"
)

// maxPlanes is the largest number of cells over a layer that is chosen; the stack file can specify more.
const maxPlanes = 64

// firstPlanes are the cells of each layer in the first grid of a family: near sources about as high as these are wide,
// growing with the distance, and at least as many as in the stack file.
func firstPlanes(s *stack.Stack) []int {
	const most = 12
	size := sourceSize(s)
	n := make([]int, len(s.Layers))
	for l := range s.Layers {
		layer := &s.Layers[l]
		m := &s.Materials[layer.Material]
		// Thickness of an equivalent layer with isotropic conductivity.
		height := layer.Thickness * math.Sqrt(math.Sqrt(m.K[0]*m.K[1])/m.K[2])
		cells := math.Ceil(height/(size+slope*distance(s, l)) - spare)
		n[l] = max(layer.Cells, int(min(most, max(1, cells))))
	}
	return n
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
		for _, p := range spansOf(s, axis) {
			if p.rank == poweredEdge {
				sizes = append(sizes, p.size)
			}
		}
	}
	if len(sizes) == 0 {
		return min(s.Size[0], s.Size[1]) / acrossDomain
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}

// planesFor finds the smallest numbers of cells over each layer for which the error along z, in K, is at most wanted.
// error[l] is the error of layer l with first[l] cells; it decreases with the square of their number. The sum is
// smallest, for a given number of planes, if cells are proportional to the cube root of error[l] first[l]^2.
func planesFor(s *stack.Stack, first []int, errors []float64, wanted float64) []int {
	with := func(scale float64) []int {
		n := make([]int, len(first))
		for l := range n {
			cells := math.Cbrt(errors[l]*float64(first[l]*first[l])) * scale
			n[l] = min(maxPlanes, max(1, int(math.Ceil(cells))))
			n[l] = max(n[l], s.Layers[l].Cells)
		}
		return n
	}
	low, high := 1e-6, 1e6
	for range 60 {
		if middle := math.Sqrt(low * high); errorOf(first, errors, with(middle)) <= wanted {
			high = middle
		} else {
			low = middle
		}
	}
	return with(high)
}

// errorOf is the error along z in K with n[l] cells over layer l.
func errorOf(first []int, errors []float64, n []int) float64 {
	sum := 0.0
	for l := range n {
		q := float64(first[l]) / float64(n[l])
		sum += errors[l] * q * q
	}
	return sum
}
