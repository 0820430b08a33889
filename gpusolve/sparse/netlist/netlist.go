// Package netlist reads the power grid of a chip as a SPICE netlist of resistors, voltage sources and current sources,
// and makes the linear system of its node voltages. The form is that of the IBM power grid benchmarks: S. R. Nassif,
// ASP-DAC 2008, 376; vias are resistors of 0 ohm or voltage sources of 0 V between two nodes.
//
// With the conductances G, the voltages v of nodes whose voltage no source holds, and those of the others V,
//
//	sum over resistors of a node  g (v - v')  =  current into it          G v = i + G' V
//
// G is symmetric and positive definite where every node has a way to a source.
package netlist

import "thermsim/internal/inputfile"

// Error is a fault in a netlist.
type Error = inputfile.Error

// ground is the node of 0 V: 0, gnd or gnd! in files.
const ground = 0

// element connects two nodes.
type element struct {
	a, b  int32
	value float64 // siemens, V from b to a, or A from a through the element to b
	line  int32
}

// Grid is a netlist as read.
type Grid struct {
	File  string
	Names []string // of the nodes, ground first

	resistors, sources, currents []element
	shorts                       []element
}

// Counts of what a netlist holds.
type Counts struct {
	Nodes, Resistors, Shorts, VoltageSources, CurrentSources int
}

// Counts of the netlist.
func (g *Grid) Counts() Counts {
	return Counts{len(g.Names) - 1, len(g.resistors), len(g.shorts), len(g.sources), len(g.currents)}
}
