package report

import "thermsim/mesh"

// probeStats is the temperature at a point: see mesh.SampleAt.
type probeStats struct {
	name  string
	at    mesh.Sample
	value float64
}

func newProbes(m *mesh.Mesh) []*probeStats {
	probes := make([]*probeStats, len(m.Stack.Probes))
	for i, p := range m.Stack.Probes {
		probes[i] = &probeStats{name: p.Name, at: m.SampleAt(p.X, p.Y, p.Z, p.Side)}
		probes[i].reset()
	}
	return probes
}

func (p *probeStats) reset() { p.value = p.at.Constant }

// add takes in plane k.
func (p *probeStats) add(plane []float64, k int) {
	for _, t := range p.at.Terms {
		if t.Plane == k {
			p.value += t.Weight * plane[t.Cell]
		}
	}
}
