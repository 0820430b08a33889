package statistics

import (
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
)

// Probes make the temperatures of the stack's probes of what a reduction tells: the sum of a sample each, or where
// conductivities follow the temperature, and with them the weights, the temperatures of the cells around.
type Probes struct {
	mesh   *mesh.Mesh
	around [][]mesh.Term // the cells of each probe; nil where nothing follows the temperature
}

// NewProbes also gives the points to ask a reduction for.
func NewProbes(m *mesh.Mesh) (*Probes, []mesh.Sample) {
	p := &Probes{mesh: m}
	var points []mesh.Sample
	for _, at := range m.Stack.Probes {
		s := reduction.InOrder(m.SampleAt(at.X, at.Y, at.Z, at.Side))
		if !m.TemperatureDependent() {
			points = append(points, s)
			continue
		}
		p.around = append(p.around, s.Terms)
		for _, t := range s.Terms {
			t.Weight = 1
			points = append(points, mesh.Sample{Terms: []mesh.Term{t}})
		}
	}
	return p, points
}

// Kelvin are the temperatures of the probes, values those of the points.
func (p *Probes) Kelvin(values []float64) []float64 {
	if p.around == nil {
		return values
	}
	all := make([]float64, len(p.around))
	for n, cells := range p.around {
		known := make(map[[2]int]float64, len(cells))
		for i, t := range cells {
			known[[2]int{t.Plane, t.Cell}] = values[i]
		}
		values = values[len(cells):]
		all[n] = p.mesh.AtProbe(&p.mesh.Stack.Probes[n], known)
	}
	return all
}
