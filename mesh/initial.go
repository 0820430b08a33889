package mesh

import (
	"fmt"

	"thermsim/stack"
)

// InitialField is a temperature field on a mesh, drawn from layers and areas: a cell that edges cut has the mean over
// its area.
type InitialField struct {
	mesh   *Mesh
	layers []stack.InitialLayer
}

// Initial lays temperatures of layers and areas over the mesh; there is one of them for each layer of the stack.
func (m *Mesh) Initial(layers []stack.InitialLayer) (*InitialField, error) {
	if len(layers) != len(m.Stack.Layers) {
		return nil, fmt.Errorf("initial temperatures of %d layers for a stack of %d", len(layers), len(m.Stack.Layers))
	}
	return &InitialField{m, layers}, nil
}

// Plane copies the temperatures in K of z plane k into dst (length nx*ny, x fastest).
func (f *InitialField) Plane(k int, dst []float64) error {
	m := f.mesh
	if k < 0 || k >= m.NZ() || len(dst) != m.NX()*m.NY() {
		return fmt.Errorf("plane %d into %d values; the mesh has %d planes of %d x %d", k, len(dst), m.NZ(), m.NX(),
			m.NY())
	}
	l := &f.layers[m.Planes[k].Layer]
	for c := range dst {
		dst[c] = l.Kelvin
	}
	for i := range l.Areas {
		a := &l.Areas[i]
		i0, xs := coverage(m.X, a.X, a.X+a.Width)
		j0, ys := coverage(m.Y, a.Y, a.Y+a.Height)
		for j, y := range ys {
			row := dst[(j0+j)*m.NX()+i0:]
			for i, x := range xs {
				row[i] += x.length() * y.length() * (a.Kelvin - l.Kelvin)
			}
		}
	}
	return nil
}
