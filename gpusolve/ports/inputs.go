// Package ports names what goes into a stack and what is read from it: heat inputs, one for every block, uniform power
// and power map, and outputs, temperatures that depend linearly on the heat. Resistance matrices, step responses,
// reduced models and servers share these lists and their order.
package ports

import (
	"fmt"
	"strings"

	"thermsim/stack"
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

// Kind of an input.
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

// number tells inputs of one name apart; a number that is part of another input's name is passed over.
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

// Find is the index of a name, or of what follows the layer in it where that is there once: in a stack with one block
// called alu, alu stands for die/alu. The error tells what there is.
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
			return 0, fmt.Errorf("%q is ambiguous: say %q or %q", name, names[found], full)
		}
		found = n
	}
	if found < 0 {
		return 0, fmt.Errorf("there is no %q; there are %s", name, few(names))
	}
	return found, nil
}

// few are the first of some names.
func few(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
