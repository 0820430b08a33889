package netlist

import (
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve/sparse"
	"thermsim/stack"
)

// System is G v = i of the nodes whose voltage no source holds.
type System struct {
	*sparse.CSR
	B []float64 // A

	g        *Grid
	shorts   []element // which merge nodes
	branches []element // conductances in S
	boundary []branch  // those to nodes of held voltage

	root  []int32 // of every node: that which represents all that are shorted with it
	row   []int32 // of every root in the system, -1 of those whose voltage is held
	held  []float64
	net   []int32 // of every root: which connected part of the netlist it lies in
	parts []Net
}

// branch connects a row of the system to a node of held voltage.
type branch struct {
	row, node   int32
	conductance float64
}

// Net is a connected part of a netlist that sources hold: the supply, or the ground of a chip.
type Net struct {
	Nodes   int
	Sources int     // nodes held by one
	Nominal float64 // V, the voltage of its sources that is largest in magnitude
	// Worst is how far a node is off the nominal voltage, V, and Node which.
	Worst float64
	Node  string
}

// NewSystem makes the system of a netlist.
func NewSystem(g *Grid) (*System, error) {
	s := newSystem(g, slices.Concat(g.shorts, g.inductors), g.resistors)
	if err := s.build(); err != nil {
		return nil, err
	}
	if len(s.B) == 0 {
		return nil, s.nothing()
	}
	return s, nil
}

func newSystem(g *Grid, shorts, branches []element) *System {
	return &System{g: g, shorts: shorts, branches: branches}
}

func (s *System) build() error {
	s.merge()
	if err := s.hold(); err != nil {
		return err
	}
	if err := s.connect(); err != nil {
		return err
	}
	if err := s.assemble(); err != nil {
		return err
	}
	s.load(func(e *element) float64 { return e.value })
	return nil
}

// nothing is the error of a system without unknowns.
func (s *System) nothing() error {
	return s.fail(0, "", "sources hold all nodes: there is nothing to solve")
}

// merge finds which node represents those that are shorted.
func (s *System) merge() {
	s.root = make([]int32, len(s.g.Names))
	for n := range s.root {
		s.root[n] = int32(n)
	}
	for _, e := range s.shorts {
		join(s.root, e.a, e.b)
	}
	for n := range s.root {
		s.root[n] = find(s.root, int32(n))
	}
}

// join puts two nodes into one set, of which the smaller number is the root, so that ground is its own.
func join(root []int32, a, b int32) {
	a, b = find(root, a), find(root, b)
	root[max(a, b)] = min(a, b)
}

// find is the root of a node; the way there is halved.
func find(root []int32, n int32) int32 {
	for root[n] != n {
		root[n] = root[root[n]]
		n = root[n]
	}
	return n
}

func (s *System) fail(line int32, remedy, format string, args ...any) error {
	return &stack.Error{Pos: stack.Pos{File: s.g.File, Line: int(line)}, Msg: fmt.Sprintf(format, args...),
		Remedy: remedy}
}

// hold notes the voltages that sources give.
func (s *System) hold() error {
	s.held = make([]float64, len(s.root))
	for n := range s.held {
		s.held[n] = math.NaN()
	}
	s.held[ground] = 0
	pulsed := map[int32]bool{}
	for _, e := range s.g.sources {
		r := s.root[e.a]
		was := s.held[r]
		if !math.IsNaN(was) && (pulsed[r] || e.wave != nil) {
			return s.fail(e.line, "remove one of them", "node %s has two voltage sources, one of which varies in "+
				"time", quote(s.g.Names[e.a]))
		}
		if !math.IsNaN(was) && was != e.value {
			return s.fail(e.line, "shorts or inductors join them, or two sources hold them", "node %s is held at %g "+
				"V, and at %g V already", quote(s.g.Names[e.a]), e.value, was)
		}
		s.held[r], pulsed[r] = e.value, pulsed[r] || e.wave != nil
	}
	return nil
}

// connect finds the nets, and refuses nodes that no source holds: their voltage could be anything.
func (s *System) connect() error {
	net := slices.Clone(s.root)
	// Ground is a voltage and no wire: what hangs on it is not connected by it.
	for _, e := range s.branches {
		if a, b := s.root[e.a], s.root[e.b]; a != ground && b != ground {
			join(net, a, b)
		}
	}
	grounded, number := make([]bool, len(net)), make([]int32, len(net)) // by the root of a net; numbers from 1
	for _, e := range s.branches {
		if a, b := s.root[e.a], s.root[e.b]; a == ground || b == ground {
			grounded[find(net, max(a, b))] = true
		}
	}
	s.net = make([]int32, len(net))
	for n, root := range s.root {
		s.net[n] = -1
		if root == ground {
			continue
		}
		top := find(net, root)
		if number[top] == 0 {
			s.parts = append(s.parts, Net{})
			number[top] = int32(len(s.parts))
		}
		s.net[n] = number[top] - 1
		part := &s.parts[s.net[n]]
		part.Nodes++
		if v := s.held[n]; root == int32(n) && !math.IsNaN(v) {
			part.Sources++
			if math.Abs(v) > math.Abs(part.Nominal) {
				part.Nominal = v
			}
		}
	}
	for n, k := range s.net {
		if k >= 0 && s.parts[k].Sources == 0 && !grounded[find(net, s.root[n])] {
			return s.fail(0, "connect it to a source", "no source holds node %s and the %d others that are "+
				"connected with it", quote(s.g.Names[n]), s.parts[k].Nodes-1)
		}
	}
	return nil
}

// assemble makes the rows.
func (s *System) assemble() error {
	s.row = make([]int32, len(s.root))
	rows := int32(0)
	for n := range s.root {
		s.row[n] = -1
		if s.root[n] == int32(n) && math.IsNaN(s.held[n]) {
			s.row[n] = rows
			rows++
		}
	}
	s.B = make([]float64, rows)
	t := &sparse.Triplets{}
	one := func(n, other int32, g float64) {
		i := s.row[n]
		if i < 0 {
			return
		}
		t.Add(i, i, g)
		if j := s.row[other]; j >= 0 {
			t.Add(i, j, -g)
		} else {
			s.boundary = append(s.boundary, branch{i, other, g})
		}
	}
	for _, e := range s.branches {
		if a, b := s.root[e.a], s.root[e.b]; a != b {
			one(a, b, e.value)
			one(b, a, e.value)
		}
	}
	var err error
	s.CSR, _, err = sparse.FromTriplets(int(rows), t)
	return err
}

// load sets the held voltages and B from the values of sources.
func (s *System) load(value func(e *element) float64) {
	clear(s.B)
	for n := range s.g.sources {
		e := &s.g.sources[n]
		s.held[s.root[e.a]] = value(e)
	}
	for _, b := range s.boundary {
		s.B[b.row] += b.conductance * s.held[b.node]
	}
	for n := range s.g.currents {
		e := &s.g.currents[n]
		amperes := value(e)
		if i := s.row[s.root[e.a]]; i >= 0 {
			s.B[i] -= amperes
		}
		if i := s.row[s.root[e.b]]; i >= 0 {
			s.B[i] += amperes
		}
	}
}

// Voltages of all nodes but ground in V, in the order of Names, from the solution.
func (s *System) Voltages(x []float64) []float64 {
	v := make([]float64, len(s.root)-1)
	for n := range v {
		r := s.root[n+1]
		if i := s.row[r]; i >= 0 {
			v[n] = x[i]
		} else {
			v[n] = s.held[r]
		}
	}
	return v
}

// Nominal voltages of all nodes in the order of Voltages: those of the sources of their nets.
func (s *System) Nominal() []float64 {
	v := make([]float64, len(s.root)-1)
	for n := range v {
		if k := s.net[n+1]; k >= 0 {
			v[n] = s.parts[k].Nominal
		}
	}
	return v
}

// Power is that of the voltage sources, and of the current sources as loads, in W. Their difference heats the
// resistors.
func (s *System) Power(voltages []float64) (sources, loads float64) {
	volts := func(n int32) float64 {
		if n == ground {
			return 0
		}
		return voltages[n-1]
	}
	flow := func(e *element, amperes float64) {
		if v := s.held[s.root[e.a]]; !math.IsNaN(v) {
			sources += v * amperes
		}
		if v := s.held[s.root[e.b]]; !math.IsNaN(v) {
			sources -= v * amperes
		}
	}
	for k := range s.branches {
		e := &s.branches[k]
		flow(e, e.value*(volts(e.a)-volts(e.b)))
	}
	for k := range s.g.currents {
		e := &s.g.currents[k]
		flow(e, e.value)
		loads += e.value * (volts(e.a) - volts(e.b))
	}
	return sources, loads
}

// Node is the name of the n-th of Voltages.
func (s *System) Node(n int) string { return s.g.Names[n+1] }

// Nets returns the largest deviation of each net from its nominal voltage.
func (s *System) Nets(voltages []float64) []Net {
	nets := append([]Net(nil), s.parts...)
	for n, v := range voltages {
		k := s.net[n+1]
		if k < 0 {
			continue
		}
		if off := math.Abs(v - nets[k].Nominal); off > nets[k].Worst || nets[k].Node == "" {
			nets[k].Worst, nets[k].Node = off, s.g.Names[n+1]
		}
	}
	return nets
}
