package powermap

import (
	"math"
	"testing"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// Blocks and uniform powers of any shape: watts by area in every cell, and all of them arrive.
func TestShapes(t *testing.T) {
	circle := geometry.Circle{X: 0.5, Y: 0.5, Diameter: 0.8}
	// A U around two cells that get nothing.
	u := geometry.Polygon{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0.75, Y: 1}, {X: 0.75, Y: 0.25},
		{X: 0.25, Y: 0.25}, {X: 0.25, Y: 1}, {X: 0, Y: 1}}
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
			want := 3 * geometry.Within(shape, geometry.Box{X0: g.X[i], Y0: g.Y[j], X1: g.X[i+1], Y1: g.Y[j+1]}) /
				shape.Area()
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

// A disc of which a half lies beyond the die has half of its watts outside, and a uniform disc leaves the corners of
// its square without power.
func TestCoverageOfShapes(t *testing.T) {
	g := Grid{uniformFaces(8, 4), uniformFaces(8, 4)}
	half := geometry.Circle{X: 1, Y: 2, Diameter: 1}
	p := stack.Power{Area: stack.Rect{X: 1, Y: 1, Width: 2, Height: 2},
		Blocks: []stack.Block{{Name: "a", Shapes: []geometry.Shape{half}, Watts: 6}}}
	if got := mustMap(t, oneLayer(4, p), g).Coverage()[0].Outside; math.Abs(got-3) > 1e-9 {
		t.Errorf("%g W lie outside, want 3", got)
	}
	disc := geometry.Circle{X: 2, Y: 2, Diameter: 2}
	c := mustMap(t, oneLayer(4, stack.Power{Uniform: 1, Shape: disc, Area: stack.Around(disc)}), g).Coverage()[0]
	if math.Abs(c.Area-math.Pi) > 1e-3*math.Pi || math.Abs(c.Unpowered) > 1e-12 {
		t.Errorf("a disc of %g m2, %g without power; want pi and 0", c.Area, c.Unpowered)
	}
}

// Nothing of a shape is lost to the rounding of areas: neither a speck in a large cell nor the part of a large shape in
// a tiny cell.
func TestRowsKeepSmallAreas(t *testing.T) {
	for name, c := range map[string]struct {
		g Grid
		s geometry.Shape
	}{
		"speck": {Grid{uniformFaces(2, 2), uniformFaces(2, 2)}, geometry.Circle{X: 0.5, Y: 0.5, Diameter: 1e-6}},
		"tiny cell": {Grid{[]float64{0, 1e-6, 1}, []float64{0, 1e-6, 1}},
			geometry.Polygon{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}}},
	} {
		cells, sum := 0, 0.0
		for _, r := range Rows(c.g, c.s) {
			for _, a := range r.Areas {
				cells, sum = cells+1, sum+a
			}
		}
		want := map[string]int{"speck": 1, "tiny cell": 4}[name]
		if cells != want || math.Abs(sum-c.s.Area()) > 1e-9*c.s.Area() {
			t.Errorf("%s: %d cells hold %g m2, want %d and %g", name, cells, sum, want, c.s.Area())
		}
	}
}
