package report

import (
	"thermsim/mesh"
	"thermsim/stack"
)

// probeStats is the temperature at a point: see mesh.SampleAt.
type probeStats struct {
	name   string
	mesh   *mesh.Mesh
	probe  *stack.Probe
	at     mesh.Sample
	kelvin map[[2]int]float64 // of the cells around, by plane and number; nil where no property follows the temperature
	sum    float64
}

func newProbes(m *mesh.Mesh) []*probeStats {
	probes := make([]*probeStats, len(m.Stack.Probes))
	for i := range m.Stack.Probes {
		p := &m.Stack.Probes[i]
		probes[i] = &probeStats{name: p.Name, mesh: m, probe: p, at: m.SampleAt(p.X, p.Y, p.Z, p.Side)}
		if m.TemperatureDependent() {
			probes[i].kelvin = map[[2]int]float64{}
		}
		probes[i].reset()
	}
	return probes
}

func (p *probeStats) reset() { p.sum = p.at.Constant }

// add takes in plane k.
func (p *probeStats) add(plane []float64, k int) {
	for _, t := range p.at.Terms {
		if t.Plane != k {
			continue
		}
		p.sum += t.Weight * plane[t.Cell]
		if p.kelvin != nil {
			p.kelvin[[2]int{k, t.Cell}] = plane[t.Cell]
		}
	}
}

// value is the temperature when all planes were taken in. Where conductivities follow the temperature, so do the weights of the cells around.
func (p *probeStats) value() float64 {
	if p.kelvin == nil {
		return p.sum
	}
	of := func(plane, cell int) (float64, bool) {
		kelvin, ok := p.kelvin[[2]int{plane, cell}]
		return kelvin, ok
	}
	at := p.mesh.SampleWarm(p.probe.X, p.probe.Y, p.probe.Z, p.probe.Side, of)
	sum := at.Constant
	for _, t := range at.Terms {
		kelvin, _ := of(t.Plane, t.Cell)
		sum += t.Weight * kelvin
	}
	return sum
}
