package ports

import (
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// OutputKind says what an output is a temperature of.
type OutputKind string

// The outputs: the mean over the volume that an input heats; the cell of it that is hottest when the input alone is at
// work; and a probe.
const (
	Mean  OutputKind = "mean"
	Peak  OutputKind = "peak"
	Probe OutputKind = "probe"
)

// Output is a temperature that depends linearly on the heat of all inputs.
type Output struct {
	Name string // unambiguous: that of the input, with :peak where it is the peak; probe/name of a probe
	Kind OutputKind
	Of   int // index of the input, or of the probe in Stack.Probes
}

// Means lists one output for each input, in the same order.
func Means(inputs []Input) []Output {
	all := make([]Output, len(inputs))
	for n := range inputs {
		all[n] = Output{inputs[n].Name, Mean, n}
	}
	return all
}

// Peaks lists one output for each input, in the same order.
func Peaks(inputs []Input) []Output {
	all := make([]Output, len(inputs))
	for n := range inputs {
		all[n] = Output{inputs[n].Name + ":peak", Peak, n}
	}
	return all
}

// Probes lists those of a stack.
func Probes(s *stack.Stack) []Output {
	all := make([]Output, len(s.Probes))
	for n := range s.Probes {
		all[n] = Output{"probe/" + s.Probes[n].Name, Probe, n}
	}
	return all
}

// Heated are the cells that an input heats, weighed by volume. The mean over them is the transpose of what the input
// does, so that the matrix of means is symmetric where the operator is: the heat that one input brings to the mean of
// another is that which the other brings to its own. Maps heat unevenly; theirs are not.
func (in *Input) Heated(m *mesh.Mesh) []reduction.Rect {
	power := &m.Stack.Layers[in.Layer].Powers[in.Power]
	planes := m.PowerPlanes(in.Layer)
	switch {
	case in.Block >= 0:
		b := &power.Blocks[in.Block]
		return reduction.CoverPlanes(m, planes, b.Rects, b.Shapes)
	case power.Shape != nil:
		return reduction.CoverPlanes(m, planes, nil, []geometry.Shape{power.Shape})
	}
	area := power.Area
	if area == (stack.Rect{}) {
		area = m.Stack.Domain()
	}
	return reduction.CoverPlanes(m, planes, []stack.Rect{area}, nil)
}

// Points are samples of probes in a linear stack.
func Points(m *mesh.Mesh) []mesh.Sample {
	var all []mesh.Sample
	for _, p := range m.Stack.Probes {
		all = append(all, reduction.InOrder(m.SampleAt(p.X, p.Y, p.Z, p.Side)))
	}
	return all
}
