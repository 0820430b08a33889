// Package network describes thermal networks: nodes with heat capacities, conductances between them and to fixed
// temperatures, and sources. A network replaces thermsim's discretization when another simulator is emulated whose
// nodes are not the cells of one grid. Package netsolve solves it.
package network

import (
	"fmt"
	"math"

	"thermsim/stack"
)

// Network is a network for a stack.
type Network struct {
	Capacity []float64 // J/K, one per node
	Links    []Link
	Grounds  []Ground
	Sources  []Source
	// At[k] is the node of every cell of plane k of the stack's mesh, x fastest: the temperature there.
	At [][]int32
	// Initial is the initial temperature of every node in K; nil for the stack's uniform initial temperature.
	Initial []float64
	// Leakage is the rule for the leakage of the blocks; nil ignores it.
	Leakage *Leakage
}

// Leakage is how a simulator finds temperature-dependent power, in steady states only: from no leakage on it solves
// with that of the temperatures before, at one temperature for each block, until no block rises by Within.
type Leakage struct {
	Kelvin      func(s *Source, node func(n int32) float64) float64 // of the block of a source
	Within      float64                                             // K
	Most        float64                                             // K: a block that rises by more runs away
	MostSystems int
}

// Link is a conductance in W/K between two nodes.
type Link struct {
	A, B        int32
	Conductance float64
}

// Ground is a conductance in W/K between a node and a temperature in K behind a face.
type Ground struct {
	Node        int32
	Conductance float64
	Temperature float64
	Face        stack.Face
}

// Source is the share of a block's power in a node: the block is
// Stack.Layers[Layer].Powers[Power].Blocks[Block].
type Source struct {
	Node                int32
	Layer, Power, Block int
	Share               float64
}

// Check checks all numbers and indices.
func (n *Network) Check() error {
	nodes := int32(len(n.Capacity))
	good := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	for i, c := range n.Capacity {
		if !(c >= 0) || math.IsInf(c, 0) {
			return fmt.Errorf("network: the heat capacity of node %d is %g J/K; it must be finite and not negative",
				i, c)
		}
	}
	if n.Initial != nil && len(n.Initial) != len(n.Capacity) {
		return fmt.Errorf("network: %d initial temperatures for %d nodes", len(n.Initial), len(n.Capacity))
	}
	for i, l := range n.Links {
		if l.A < 0 || l.B < 0 || l.A >= nodes || l.B >= nodes || l.A == l.B || !good(l.Conductance) {
			return fmt.Errorf("network: link %d joins nodes %d and %d of %d with %g W/K", i, l.A, l.B, nodes,
				l.Conductance)
		}
	}
	for i, g := range n.Grounds {
		if g.Node < 0 || g.Node >= nodes || !good(g.Conductance) || !good(g.Temperature) {
			return fmt.Errorf("network: ground %d joins node %d of %d with %g W/K to %g K", i, g.Node, nodes,
				g.Conductance, g.Temperature)
		}
	}
	for i, s := range n.Sources {
		if s.Node < 0 || s.Node >= nodes || !(s.Share >= 0) {
			return fmt.Errorf("network: source %d assigns an invalid fraction %g or node %d (of %d nodes)", i, s.Share,
				s.Node, nodes)
		}
	}
	for k := range n.At {
		for c, node := range n.At[k] {
			if node < 0 || node >= nodes {
				return fmt.Errorf("network: cell %d of plane %d belongs to node %d of %d", c, k, node, nodes)
			}
		}
	}
	return nil
}
