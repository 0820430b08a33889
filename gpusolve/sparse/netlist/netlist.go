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

import (
	"fmt"
	"strings"
)

// Error is a fault in a netlist: where, what is wrong and what to do about it.
type Error struct {
	File   string
	Line   int // from 1; 0 where the whole file is meant
	Column int // of the word, in characters from 1; 0 where the whole line is meant
	Msg    string
	Remedy string
	Err    error // cause, may be nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	if e.Column > 0 {
		fmt.Fprintf(&b, ":%d", e.Column)
	}
	fmt.Fprintf(&b, ": %s", e.Msg)
	if e.Remedy != "" {
		fmt.Fprintf(&b, "; %s", e.Remedy)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

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
