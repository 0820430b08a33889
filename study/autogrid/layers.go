package autogrid

import (
	"math"

	"thermsim/stack"
)

// maxPlanes is the largest number of cells over a layer that is chosen; the stack file can specify more.
const maxPlanes = 64

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
