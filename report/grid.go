package report

import (
	"thermsim/mesh"
	"thermsim/report/field"
)

// GridOf is the mesh's grid as files and pages need it.
func GridOf(m *mesh.Mesh) *field.Grid {
	g := &field.Grid{X: m.X, Y: m.Y, Z: m.Z}
	for _, p := range m.Planes {
		g.Layer = append(g.Layer, p.Layer)
	}
	for i := range m.Stack.Layers {
		g.Layers = append(g.Layers, m.Stack.Layers[i].Name)
	}
	return g
}
