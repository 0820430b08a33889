package field

import (
	"thermsim/mesh"
)

// GridOf is the mesh's grid as files and pages need it.
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
