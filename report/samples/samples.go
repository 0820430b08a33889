// Package samples has the stack and the fields that tests of reports look at.
package samples

import (
	"math"
	"testing"

	"thermsim/mesh"
	"thermsim/stack"
)

// Field is a temperature given by a formula of the cell centre.
type Field struct {
	Mesh *mesh.Mesh
	Of   func(x, y, z float64) float64
}

// Plane implements solution.Field.
func (f Field) Plane(k int, dst []float64) error {
	m := f.Mesh
	z := (m.Z[k] + m.Z[k+1]) / 2
	nx := m.NX()
	for j := range m.NY() {
		y := (m.Y[j] + m.Y[j+1]) / 2
		for i := range nx {
			dst[j*nx+i] = f.Of((m.X[i]+m.X[i+1])/2, y, z)
		}
	}
	return nil
}

// Rect is a list of one rectangle.
func Rect(x, y, w, h float64) []stack.Rect { return []stack.Rect{{X: x, Y: y, Width: w, Height: h}} }

// Stack is 10 x 8 mm of silicon, a floorplan of three blocks in its second layer, and a lid.
func Stack(nx, ny int) *stack.Stack {
	s := &stack.Stack{
		Schema: 1, Title: "three blocks under a lid", Ambient: 300, Size: [2]float64{10e-3, 8e-3},
		Materials: []stack.Material{
			{Name: "silicon", K: [3]float64{130, 130, 130}, C: 1.63e6},
			{Name: "copper", K: [3]float64{400, 400, 400}, C: 3.44e6},
			{Name: "mould", K: [3]float64{0.8, 0.8, 0.8}, C: 2e6},
		},
		Layers: []stack.Layer{
			{Name: "bulk", Thickness: 200e-6, Cells: 2},
			{Name: "feol", Thickness: 2e-6, Cells: 2, Powers: []stack.Power{{
				Area: stack.Rect{Width: 10e-3, Height: 8e-3},
				Blocks: []stack.Block{
					{Name: "core", Rects: Rect(1.13e-3, 0.97e-3, 3.3e-3, 2.7e-3), Watts: 12},
					{Name: "cache", Rects: append(Rect(5e-3, 1e-3, 4e-3, 2e-3), Rect(5e-3, 3e-3, 1e-3, 4e-3)...),
						Watts: 3},
					{Name: "io", Rects: Rect(1e-3, 5e-3, 3e-3, 1.5e-3), Watts: 1},
				},
			}}},
			{Name: "tim", Material: 2, Thickness: 50e-6, Cells: 1},
			{Name: "lid", Material: 1, Thickness: 1e-3, Cells: 3},
		},
		Probes: []stack.Probe{{Name: "sensor", X: 3.3e-3, Y: 2.2e-3, Z: 101e-6}},
		Grid:   stack.Grid{X: stack.Axis{Cells: nx}, Y: stack.Axis{Cells: ny}},
		Inputs: []stack.Input{{Path: "stack.toml", SHA256: "00"}, {Path: "a.flp", SHA256: "11"}},
		File:   "stack.toml",
	}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: 300}
	return s
}

// Build makes the mesh of a stack.
func Build(t testing.TB, s *stack.Stack) *mesh.Mesh {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Bumps is a smooth field with a peak of 60 K at (2.8, 2.3) mm, one of 25 K at (6.5, 3) mm, and a slope along z.
func Bumps(x, y, z float64) float64 {
	gauss := func(x0, y0, w float64) float64 {
		return math.Exp(-((x-x0)*(x-x0) + (y-y0)*(y-y0)) / (w * w))
	}
	return 310 + 60*gauss(2.8e-3, 2.3e-3, 1.5e-3) + 25*gauss(6.5e-3, 3e-3, 1.2e-3) - 4e3*math.Abs(z-201e-6)
}

// Inside says whether a point lies in a rectangle.
func Inside(r stack.Rect, x, y float64) bool {
	return x > r.X && x < r.X+r.Width && y > r.Y && y < r.Y+r.Height
}

// Linear is a temperature whose integrals are known: the mean over a box is the value at its centre.
func Linear(x, y, z float64) float64 { return 300 + 2e3*x - 1.5e3*y + 4e4*z }
