package main

import (
	"slices"
	"testing"

	"thermsim/mesh"
)

// A state belongs to a grid: one face elsewhere, along any axis, or one cell more refuses it.
func TestStatesOfOtherGrids(t *testing.T) {
	faces := func(m *mesh.Mesh) []*[]float64 { return []*[]float64{&m.X, &m.Y, &m.Z} }
	grid := func() *mesh.Mesh {
		return &mesh.Mesh{X: []float64{0, 1e-3, 3e-3}, Y: []float64{0, 1e-3, 3e-3}, Z: []float64{0, 1e-3, 3e-3}}
	}
	if err := sameGrid(grid(), grid()); err != nil {
		t.Error(err)
	}
	for axis := range 3 {
		moved, longer := grid(), grid()
		(*faces(moved)[axis])[1] = 2e-3
		*faces(longer)[axis] = slices.Concat([]float64{-1e-3}, *faces(longer)[axis])
		for _, other := range []*mesh.Mesh{moved, longer} {
			if sameGrid(other, grid()) == nil || sameGrid(grid(), other) == nil {
				t.Errorf("axis %d: the state of another grid is taken", axis)
			}
		}
	}
}
