// Package field describes temperature fields for files and pages: cell faces along three axes, planes that are read one
// at a time, and boxes of cells. It never holds a whole field.
package field

import (
	"fmt"
	"sort"
	"strings"

	"thermsim/mesh"
)

// Source provides the temperatures of a field, as solution.Field does.
type Source interface {
	// Plane copies the temperatures in K of z plane k into dst (length nx*ny, x fastest).
	Plane(k int, dst []float64) error
}

// Grid holds the coordinates of the cells.
type Grid struct {
	X, Y, Z []float64 // faces of the cells in m, ascending
	Layer   []int     // of every plane, an index into Layers
	Layers  []string  // names, bottom to top
}

// NX is the number of cells along x.
func (g *Grid) NX() int { return len(g.X) - 1 }

// NY is the number of cells along y.
func (g *Grid) NY() int { return len(g.Y) - 1 }

// NZ is the number of planes.
func (g *Grid) NZ() int { return len(g.Z) - 1 }

// Whole is the box of all cells.
func (g *Grid) Whole() Box { return Box{0, g.NX(), 0, g.NY(), 0, g.NZ()} }

// Box is a block of cells, half open: I0 <= i < I1 and so on.
type Box struct{ I0, I1, J0, J1, K0, K1 int }

// NX is the number of cells of the box along x.
func (b Box) NX() int { return b.I1 - b.I0 }

// NY is the number of cells of the box along y.
func (b Box) NY() int { return b.J1 - b.J0 }

// NZ is the number of planes of the box.
func (b Box) NZ() int { return b.K1 - b.K0 }

// Cells is the number of cells of the box.
func (b Box) Cells() int64 { return int64(b.NX()) * int64(b.NY()) * int64(b.NZ()) }

// Check reports an error if the box is empty or extends beyond the grid.
func (b Box) Check(g *Grid) error {
	if b.I0 < 0 || b.J0 < 0 || b.K0 < 0 || b.I1 > g.NX() || b.J1 > g.NY() || b.K1 > g.NZ() || b.I0 >= b.I1 ||
		b.J0 >= b.J1 || b.K0 >= b.K1 {
		return fmt.Errorf("cells %d:%d x %d:%d x %d:%d of a grid of %d x %d x %d", b.I0, b.I1, b.J0, b.J1, b.K0, b.K1,
			g.NX(), g.NY(), g.NZ())
	}
	return nil
}

// Cut returns the grid of a box.
func (g *Grid) Cut(b Box) *Grid {
	return &Grid{X: g.X[b.I0 : b.I1+1], Y: g.Y[b.J0 : b.J1+1], Z: g.Z[b.K0 : b.K1+1], Layer: g.Layer[b.K0:b.K1],
		Layers: g.Layers}
}

// Between returns the half-open range of cells along an axis that overlap the interval from a to b (m). An interval of
// zero length selects the cell that contains it. ok is false if the interval is outside the grid.
func Between(faces []float64, a, b float64) (from, to int, ok bool) {
	n := len(faces) - 1
	if a > b || b < faces[0] || a > faces[n] {
		return 0, 0, false
	}
	// A face belongs to the cell after it, unless the interval starts or ends at the face.
	slack := 1e-9 * (faces[n] - faces[0])
	from = sort.Search(n, func(i int) bool { return faces[i+1] > a+slack })
	to = sort.Search(n, func(i int) bool { return faces[i+1] >= b-slack }) + 1
	from, to = min(from, n-1), min(to, n)
	return from, max(to, from+1), true
}

// OfLayers is the box of the planes of the named layers, which must be adjacent in z.
func (g *Grid) OfLayers(names []string) (Box, error) {
	wanted := make([]bool, len(g.Layers))
	for _, name := range names {
		found := false
		for l, have := range g.Layers {
			if have == name {
				wanted[l], found = true, true
			}
		}
		if !found {
			return Box{}, fmt.Errorf("unknown layer %q; expected one of %s", name, strings.Join(g.Layers, ", "))
		}
	}
	b := g.Whole()
	b.K0, b.K1 = -1, -1
	for k, l := range g.Layer {
		switch {
		case !wanted[l]:
		case b.K0 < 0:
			b.K0, b.K1 = k, k+1
		case b.K1 == k:
			b.K1 = k + 1
		default:
			return Box{}, fmt.Errorf("layers %s are not adjacent in z. Fix: select adjacent layers, or one at a time",
				strings.Join(names, ", "))
		}
	}
	return b, nil
}

// Reader reads a box plane by plane into one buffer.
type Reader struct {
	grid   *Grid
	box    Box
	source Source
	plane  []float64 // whole
	cut    []float64
}

// NewReader allocates one plane, and the part of it in the box if that is smaller.
func NewReader(g *Grid, b Box, s Source) (*Reader, error) {
	if err := b.Check(g); err != nil {
		return nil, err
	}
	r := &Reader{grid: g, box: b, source: s, plane: make([]float64, g.NX()*g.NY())}
	if b.NX() < g.NX() {
		r.cut = make([]float64, b.NX()*b.NY())
	}
	return r, nil
}

// Plane reads the part of plane k in the box, x fastest. The result is valid until the next call.
func (r *Reader) Plane(k int) ([]float64, error) {
	if err := r.source.Plane(k, r.plane); err != nil {
		return nil, fmt.Errorf("reading plane %d of the temperature field: %w", k, err)
	}
	nx := r.grid.NX()
	if r.cut == nil {
		return r.plane[r.box.J0*nx : r.box.J1*nx], nil
	}
	for j := range r.box.NY() {
		copy(r.cut[j*r.box.NX():][:r.box.NX()], r.plane[(r.box.J0+j)*nx+r.box.I0:])
	}
	return r.cut, nil
}

// Centres returns the cell centers between faces.
func Centres(faces []float64) []float64 {
	c := make([]float64, len(faces)-1)
	for i := range c {
		c[i] = (faces[i] + faces[i+1]) / 2
	}
	return c
}

// GridOf returns the grid of a mesh.
func GridOf(m *mesh.Mesh) *Grid {
	g := &Grid{X: m.X, Y: m.Y, Z: m.Z}
	for _, p := range m.Planes {
		g.Layer = append(g.Layer, p.Layer)
	}
	for i := range m.Stack.Layers {
		g.Layers = append(g.Layers, m.Stack.Layers[i].Name)
	}
	return g
}
