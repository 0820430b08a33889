package powermap

import (
	"math"
	"testing"

	"thermsim/geometry"
	"thermsim/stack"
)

// Blocks and uniform powers of any shape: watts by area in every cell, and all of them arrive.
func TestShapes(t *testing.T) {
	circle := geometry.Circle{X: 0.5, Y: 0.5, Diameter: 0.8}
	// A U around two cells that get nothing.
	u := geometry.Polygon{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0.75, Y: 1}, {X: 0.75, Y: 0.25}, {X: 0.25, Y: 0.25}, {X: 0.25, Y: 1}, {X: 0, Y: 1}}
	for name, p := range map[string]stack.Power{
		"block":   {Blocks: []stack.Block{{Name: "a", Shapes: []geometry.Shape{circle}, Watts: 3}}},
		"uniform": {Uniform: 3, Shape: circle, Area: stack.Around(circle)},
		"u":       {Blocks: []stack.Block{{Name: "a", Shapes: []geometry.Shape{u}, Watts: 3}}},
	} {
		shape := geometry.Shape(circle)
		if name == "u" {
			shape = u
		}
		g := Grid{uniformFaces(4, 1), uniformFaces(8, 1)}
		m := mustMap(t, oneLayer(1, p), g)
		for c, w := range m.Layers[0].Watts() {
			i, j := c%4, c/4
			want := 3 * geometry.Within(shape, geometry.Box{X0: g.X[i], Y0: g.Y[j], X1: g.X[i+1], Y1: g.Y[j+1]}) / shape.Area()
			if math.Abs(w-want) > 1e-15 {
				t.Errorf("%s: cell %d, %d gets %.17g W, want %.17g", name, i, j, w, want)
			}
		}
		if math.Abs(m.Mapped-3) > 1e-14 {
			t.Errorf("%s: %.17g W arrived", name, m.Mapped)
		}
		// Drawn from its footprints, as a device draws it.
		plane := make([]float64, 32)
		m.Steady()[0].Draw(4, 0, 8, plane)
		for c, w := range plane {
			if math.Abs(w-m.Layers[0].Watts()[c]) > 1e-15 {
				t.Errorf("%s: drawn %g W in cell %d, mapped %g", name, w, c, m.Layers[0].Watts()[c])
			}
		}
		cover := m.Coverage()[0]
		if want := 1 - shape.Area(); name != "uniform" && math.Abs(cover.Unpowered-want) > 1e-3 {
			t.Errorf("%s: %g m2 without power, want %g", name, cover.Unpowered, want)
		}
		if cover.Outside != 0 || cover.Overlapping != 0 {
			t.Errorf("%s: %+v", name, cover)
		}
	}
}
