package statistics

import (
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// leaks is the leakage of the blocks of each power, or of a power itself, in W.
type leaks map[*stack.Power][]float64

// LeaksOf reads the planes that leak.
func LeaksOf(m *mesh.Mesh, sol *solution.Solution) (leaks, error) {
	if m.Leakage == nil {
		return nil, nil
	}
	scale := 1.0
	if n := sol.Status.Nonlinear; n != nil && n.Leakage != nil && n.Leakage.Factor > 0 {
		scale = n.Leakage.Factor
	}
	all := leaks{}
	for _, layer := range m.Power.Leakage() {
		r := m.PowerPlanes(layer.Layer)
		var planes [][]float64
		for k := r[0]; k < r[1]; k++ {
			plane := make([]float64, m.NX()*m.NY())
			if err := sol.Field.Plane(k, plane); err != nil {
				return nil, err
			}
			planes = append(planes, plane)
		}
		for p := range m.Stack.Layers[layer.Layer].Powers {
			power := &m.Stack.Layers[layer.Layer].Powers[p]
			watts := m.Power.LeakageWatts(power, planes, m.Leakage.Of)
			if len(watts) == 0 { // it does not leak, beside one of the layer that does
				continue
			}
			for i := range watts {
				watts[i] *= scale
			}
			all[power] = watts
		}
	}
	return all, nil
}

// Block is the leakage of a block.
func (l leaks) Block(b *Block) float64 {
	if w := l[b.Power]; w != nil {
		return w[b.Index]
	}
	return 0
}

// Layer is the leakage of all powers of a layer.
func (l leaks) Layer(y *stack.Layer) float64 {
	sum := 0.0
	for p := range y.Powers {
		for _, w := range l[&y.Powers[p]] {
			sum += w
		}
	}
	return sum
}

// Part is that of sources over a part, by their share of area.
func (l leaks) Part(m *mesh.Mesh, p *Part) float64 {
	sum := 0.0
	y := &m.Stack.Layers[p.Layer]
	for n := range y.Powers {
		power := &y.Powers[n]
		watts := l[power]
		if watts == nil || p.power != nil && p.power != power {
			continue
		}
		if len(power.Blocks) == 0 {
			source := newSource(powerArea(m.Stack, power), watts[0], power)
			sum += source.over(m, p)
			continue
		}
		for i := range power.Blocks {
			source := newSource(blockArea(&power.Blocks[i]), watts[i], nil)
			sum += source.over(m, p)
		}
	}
	return sum
}
