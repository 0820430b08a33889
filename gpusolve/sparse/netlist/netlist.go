// Package netlist reads the power grid of a chip as a SPICE netlist of resistors, capacitors, inductors, voltage
// sources and current sources, and makes the linear systems of its node voltages: of the operating point, and of time
// steps. The form is that of the IBM power grid benchmarks: S. R. Nassif, ASP-DAC 2008, 376; vias are resistors of 0
// ohm or voltage sources of 0 V between two nodes.
//
// G are the conductances, v the voltages of nodes without a source of their voltage, and V those of the others:
//
//	sum over resistors of a node  g (v - v')  =  current into it          G v = i + G' V
//
// G is symmetric and positive definite where every node has a way to a source.
package netlist

import "slices"

// ground is the node of 0 V: 0, gnd or gnd! in files.
const ground = 0

// element connects two nodes.
type element struct {
	a, b  int32
	value float64 // S, F, H, V from b to a, or A from a through the element to b; of a wave that at the operating point
	line  int32
	wave  *wave // nil of what is constant
}

// at is the value of a source at a time in s.
func (e *element) at(t float64) float64 {
	if e.wave == nil {
		return e.value
	}
	return e.wave.at(t)
}

// Grid is a netlist as read.
type Grid struct {
	File  string
	Names []string // of the nodes, ground first

	Tran  *Tran   // nil without a command .tran
	Print []int32 // the nodes of .print and .probe, in Names; with .tran

	resistors, sources, currents  []element
	shorts, capacitors, inductors []element
}

// Tran is the command .tran: steps of equal length from t = 0.
type Tran struct {
	Step  float64 // s
	Steps int
}

// Counts of what a netlist holds.
type Counts struct {
	Nodes, Resistors, Shorts, VoltageSources, CurrentSources, Capacitors, Inductors int
}

// Counts of the netlist.
func (g *Grid) Counts() Counts {
	return Counts{len(g.Names) - 1, len(g.resistors), len(g.shorts), len(g.sources), len(g.currents),
		len(g.capacitors), len(g.inductors)}
}

// Resistor is a resistor that is no short.
type Resistor struct {
	A, B int32 // its nodes, in Names
	Ohms float64
	Line int
}

// Resistors are those of the netlist, in its order.
func (g *Grid) Resistors() []Resistor {
	all := make([]Resistor, len(g.resistors))
	for n, e := range g.resistors {
		all[n] = Resistor{e.a, e.b, 1 / e.value, int(e.line)}
	}
	return all
}

// Scaled is the netlist with its resistances multiplied by factors, in the order of Resistors.
func (g *Grid) Scaled(factors []float64) *Grid {
	other := *g
	other.resistors = slices.Clone(g.resistors)
	for n := range other.resistors {
		other.resistors[n].value /= factors[n]
	}
	return &other
}
