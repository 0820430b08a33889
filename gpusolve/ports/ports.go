// Package ports names what goes into a stack and what is read from it: heat inputs, one for every block, uniform power
// and power map, and outputs, temperatures that depend linearly on the heat. Resistance matrices, step responses,
// reduced models and servers share these lists and their order.
package ports

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// Input is a source of heat whose watts can be chosen.
type Input struct {
	// Name is unambiguous: layer/block, layer/name of a uniform power or a map, with #2, #3 and so on where that is
	// there more than once.
	Name  string
	Kind  Kind
	Layer int // index into Stack.Layers
	Power int // index into the layer's Powers
	Block int // index into the power's Blocks, -1 of a uniform power or a map
	// Watts in a steady state, as the stack file has them, without what leaks.
	Watts float64
}

type Kind string

// The kinds.
const (
	Block   Kind = "block"
	Uniform Kind = "uniform"
	Map     Kind = "map"
)

// InputsOf lists those of a stack, layer by layer from the bottom, power by power, block by block: the order in which
// gpusolve.SolveMany takes watts.
func InputsOf(s *stack.Stack) []Input {
	var all []Input
	count := map[string]int{}
	add := func(in Input, name string) {
		in.Name = s.Layers[in.Layer].Name + "/" + name
		count[in.Name]++
		all = append(all, in)
	}
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			power := &s.Layers[l].Powers[p]
			for b := range power.Blocks {
				add(Input{Kind: Block, Layer: l, Power: p, Block: b, Watts: power.Blocks[b].Watts},
					power.Blocks[b].Name)
			}
			if len(power.Blocks) > 0 {
				continue
			}
			in := Input{Kind: Uniform, Layer: l, Power: p, Block: -1, Watts: power.Watts()}
			if power.Map != nil {
				in.Kind = Map
			}
			name := power.Name
			if name == "" {
				name = string(in.Kind)
			}
			add(in, name)
		}
	}
	number(all, count)
	return all
}

// number makes names unambiguous by numbers. It skips numbers that would give the name of another input.
func number(all []Input, count map[string]int) {
	seen := map[string]int{}
	for n := range all {
		name := all[n].Name
		if count[name] < 2 {
			continue
		}
		if seen[name]++; seen[name] == 1 {
			continue
		}
		for {
			other := fmt.Sprintf("%s#%d", name, seen[name])
			if count[other] == 0 {
				count[other], all[n].Name = 1, other
				break
			}
			seen[name]++
		}
	}
}

// Find is the index of a name. The layer may be omitted where the rest is unambiguous: in a stack with one block called
// alu, alu is die/alu. The error lists the names.
func Find(names []string, name string) (int, error) {
	found := -1
	for n, full := range names {
		if full == name {
			return n, nil
		}
		if _, short, _ := strings.Cut(full, "/"); short != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%q is ambiguous; use %q or %q", name, names[found], full)
		}
		found = n
	}
	if found < 0 {
		return 0, fmt.Errorf("there is no %q; there are %s", name, few(names))
	}
	return found, nil
}

func few(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// OutputKind says what an output is a temperature of.
type OutputKind string

// The outputs: the mean over the volume that an input heats; the cell of it that is hottest when the input alone is at
// work; and a probe.
const (
	Mean  OutputKind = "mean"
	Peak  OutputKind = "peak"
	Probe OutputKind = "probe"
	// Layer is the mean under an input over the whole thickness of its layer.
	Layer OutputKind = "layer"
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

// Layers lists one output for each input that heats only a slice of its layer.
func Layers(s *stack.Stack, inputs []Input) (all []Output) {
	for n, in := range inputs {
		if s.Layers[in.Layer].Sliced() {
			all = append(all, Output{in.Name, Layer, n})
		}
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
func (in *Input) Heated(m *mesh.Mesh) []reduction.Rect { return in.Under(m, m.PowerPlanes(in.Layer)) }

// Under are the cells of a half-open range of planes under or over what an input heats, weighed by volume.
func (in *Input) Under(m *mesh.Mesh, planes [2]int) []reduction.Rect {
	power := &m.Stack.Layers[in.Layer].Powers[in.Power]
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

// ErrNonlinear marks stacks whose temperatures are not a linear function of their powers.
var ErrNonlinear = errors.New("the temperatures of this stack do not depend linearly on its powers")

// CheckLinear refuses a stack with temperature-dependent properties, and names one: responses to 1 W would not scale
// with the power.
func CheckLinear(s *stack.Stack) error {
	for i := range s.Materials {
		if s.Materials[i].TemperatureDependent() {
			return fmt.Errorf("%w: material %s depends on temperature; give it constant k and c, for example "+
				"at the operating temperature", ErrNonlinear, s.Materials[i].Name)
		}
	}
	for f := range s.Boundary {
		if s.Boundary[f].TemperatureDependent() {
			return fmt.Errorf("%w: the heat-transfer coefficient of the %s face depends on temperature; give a "+
				"constant h, for example from a solve at the operating power", ErrNonlinear, stack.Face(f))
		}
	}
	if s.Leaks() {
		return fmt.Errorf("%w: it has leakage, which depends on temperature; omit the leakage, and add it to the "+
			"powers", ErrNonlinear)
	}
	return nil
}

// Responding is a copy of a linear stack whose temperatures are rises: ambient, faces, coolant and start are at 0 K and
// no face brings in heat, so that without power all of it is at 0 K. Mesh and solve it; its fields are responses to
// powers alone.
func Responding(s *stack.Stack) *stack.Stack {
	r := *s
	r.Ambient, r.Transient.Initial = 0, 0
	for f := range r.Boundary {
		r.Boundary[f].ClonePatches()
		for _, b := range r.Boundary[f].Conditions() {
			b.Temperature, b.Flux = 0, 0
		}
	}
	r.Layers = slices.Clone(s.Layers)
	for l := range r.Layers {
		if c := r.Layers[l].Coolant; c != nil {
			cold := *c
			cold.Inlet = 0
			r.Layers[l].Coolant = &cold
		}
	}
	return &r
}
