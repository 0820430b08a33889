package mesh_test

import (
	"math"
	"testing"

	"thermsim/mesh"
	"thermsim/stack"
)

// Regions of one material that lie side by side are the region that they make together, wherever in a cell they meet.
func TestRegionsSideBySideAreOne(t *testing.T) {
	base := func(rects ...stack.Rect) *mesh.Mesh {
		s := &stack.Stack{Ambient: 300, Size: [2]float64{7e-3, 5e-3},
			Grid: stack.Grid{X: stack.Axis{Cells: 7}, Y: stack.Axis{Cells: 5}},
			Materials: []stack.Material{{Name: "mould", K: [3]float64{0.8, 0.8, 0.8}, C: 2e6},
				{Name: "silicon", K: [3]float64{130, 130, 130}, C: 1.6e6}},
			Layers: []stack.Layer{{Name: "dies", Thickness: 1e-4, Cells: 1}}}
		for _, r := range rects {
			s.Layers[0].Regions = append(s.Layers[0].Regions, stack.Region{Material: 1, Rect: r})
		}
		m, err := mesh.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	one := base(stack.Rect{X: 1.3e-3, Y: 0.6e-3, Width: 4.1e-3, Height: 3.3e-3})
	for name, m := range map[string]*mesh.Mesh{
		"along x": base(stack.Rect{X: 1.3e-3, Y: 0.6e-3, Width: 2.1e-3, Height: 3.3e-3},
			stack.Rect{X: 3.4e-3, Y: 0.6e-3, Width: 2e-3, Height: 3.3e-3}),
		"along y": base(stack.Rect{X: 1.3e-3, Y: 2.25e-3, Width: 4.1e-3, Height: 1.65e-3},
			stack.Rect{X: 1.3e-3, Y: 0.6e-3, Width: 4.1e-3, Height: 1.65e-3}),
		"one twice": base(stack.Rect{X: 1.3e-3, Y: 0.6e-3, Width: 4.1e-3, Height: 3.3e-3},
			stack.Rect{X: 1.3e-3, Y: 0.6e-3, Width: 4.1e-3, Height: 3.3e-3}),
	} {
		for j := range 5 {
			for i := range 7 {
				got, want := m.At(i, j, 0), one.At(i, j, 0)
				for n, pair := range [][2]float64{{got.K[0], want.K[0]}, {got.K[1], want.K[1]}, {got.K[2], want.K[2]},
					{got.C, want.C}} {
					if math.Abs(pair[0]-pair[1]) > 1e-6*pair[1] { // covered parts are FP32
						t.Errorf("%s, cell %d, %d: property %d is %g, want %g", name, i, j, n, pair[0], pair[1])
					}
				}
			}
		}
	}
}
