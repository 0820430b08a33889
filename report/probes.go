package report

import (
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
)

// points are the stack's probes on the grid: see mesh.SampleAt.
func points(m *mesh.Mesh) []mesh.Sample {
	var all []mesh.Sample
	for _, p := range m.Stack.Probes {
		all = append(all, reduction.InOrder(m.SampleAt(p.X, p.Y, p.Z, p.Side)))
	}
	return all
}
