package powermap

import (
	"fmt"

	"thermsim/stack"
)

// Input is a power of a stack that has a value of its own: a block, a uniform power or a power map.
type Input struct {
	// Name is "layer/block", as in trace.csv. Powers without a name are called by their kind; a second one of a name is numbered.
	Name   string
	Block  string  // alone
	Kind   string  // "block", "uniform" or "map"
	Layer  int     // index into Stack.Layers
	Power  int     // index into the layer's powers
	Steady float64 // W
}

// InputsOf lists the inputs of a stack: layer by layer from the bottom, power by power, block by block.
func InputsOf(s *stack.Stack) []Input {
	var all []Input
	taken := map[string]bool{}
	add := func(l, p int, kind, name string, watts float64) {
		if name == "" {
			name = kind
		}
		full := s.Layers[l].Name + "/" + name
		for n := 2; taken[full]; n++ {
			full = fmt.Sprintf("%s/%s_%d", s.Layers[l].Name, name, n)
		}
		taken[full] = true
		all = append(all, Input{Name: full, Block: name, Kind: kind, Layer: l, Power: p, Steady: watts})
	}
	for l := range s.Layers {
		for p := range s.Layers[l].Powers {
			power := &s.Layers[l].Powers[p]
			switch {
			case power.Map != nil:
				var total sum
				for _, v := range power.Map.Values {
					total.add(v)
				}
				add(l, p, "map", power.Name, total.value())
			case len(power.Blocks) > 0:
				for b := range power.Blocks {
					add(l, p, "block", power.Blocks[b].Name, power.Blocks[b].Watts)
				}
			default:
				add(l, p, "uniform", power.Name, power.Uniform)
			}
		}
	}
	return all
}
