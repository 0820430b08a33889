package netlist

import "slices"

// Transient integrates the voltages of a power grid over time by backward Euler with a fixed step h. C are the
// capacitances, L the inductances and j their currents:
//
//	(G + C/h + h/L) v(t+h) = i(t+h) + C/h v(t) - j(t)          j(t+h) = j(t) + h/L v(t+h)
//
// The matrix is the same in all steps, symmetric and positive definite. The initial state is the operating point at
// t = 0, in which capacitors are open and inductors shorts.
type Transient struct {
	*System
	DC *System // of the operating point

	done     int       // steps
	v        []float64 // of all nodes that are a root, at the end of the last step
	currents []float64 // of inductors
}

// NewTransient makes the systems of a netlist with a command .tran.
func NewTransient(g *Grid) (*Transient, error) {
	dc := newSystem(g, slices.Concat(g.shorts, g.inductors), g.resistors)
	if err := dc.build(); err != nil {
		return nil, err
	}
	branches := slices.Clone(g.resistors)
	for _, e := range g.capacitors {
		e.value /= g.Tran.Step
		branches = append(branches, e)
	}
	for _, e := range g.inductors {
		e.value = g.Tran.Step / e.value
		branches = append(branches, e)
	}
	t := &Transient{System: newSystem(g, g.shorts, branches), DC: dc}
	if err := t.build(); err != nil {
		return nil, err
	}
	if len(t.B) == 0 {
		return nil, t.nothing()
	}
	t.v, t.currents = make([]float64, len(t.root)), make([]float64, len(g.inductors))
	return t, nil
}

// Start sets the operating point, from the solution of DC, and returns the unknowns of the first step then. The error
// is that the currents of inductors are not determined.
func (t *Transient) Start(x []float64) ([]float64, error) {
	for n, v := range t.DC.Voltages(x) {
		t.v[t.root[n+1]] = v
	}
	start := make([]float64, len(t.B))
	for n, i := range t.row {
		if i >= 0 {
			start[i] = t.v[n]
		}
	}
	return start, t.startInductors()
}

// startInductors finds the currents of inductors at the operating point: those of the nodes whose other elements carry
// another current in than out. Inductors must form no loop, with or without sources.
func (t *Transient) startInductors() error {
	inward := make([]float64, len(t.root))
	flow := func(from, to int32, amperes float64) {
		inward[from] -= amperes
		inward[to] += amperes
	}
	for _, e := range t.g.currents {
		flow(t.root[e.a], t.root[e.b], e.value)
	}
	for _, e := range t.g.resistors {
		a, b := t.root[e.a], t.root[e.b]
		flow(a, b, e.value*(t.v[a]-t.v[b]))
	}
	fixed := func(n int32) int32 { // all nodes of a fixed voltage are one
		if t.row[n] < 0 {
			return ground
		}
		return n
	}
	tree, at := slices.Clone(t.root), map[int32][]int32{} // inductors of a node that have no current yet
	for k, e := range t.g.inductors {
		a, b := fixed(t.root[e.a]), fixed(t.root[e.b])
		if find(tree, a) == find(tree, b) {
			return t.fail(e.line, "add a resistor in series", "the inductor closes a loop of inductors, shorts and "+
				"voltage sources, so that the currents at t = 0 are not determined")
		}
		join(tree, a, b)
		at[a], at[b] = append(at[a], int32(k)), append(at[b], int32(k))
	}
	var ends []int32
	for _, e := range t.g.inductors {
		for _, n := range []int32{fixed(t.root[e.a]), fixed(t.root[e.b])} {
			if n != ground && len(at[n]) == 1 {
				ends = append(ends, n)
			}
		}
	}
	for ; len(ends) > 0; ends = ends[1:] {
		n := ends[0]
		if len(at[n]) == 0 {
			continue
		}
		k := at[n][0]
		a, b := fixed(t.root[t.g.inductors[k].a]), fixed(t.root[t.g.inductors[k].b])
		far := a + b - n
		if t.currents[k] = inward[n]; n == b {
			t.currents[k] = -inward[n]
		}
		flow(n, far, inward[n])
		at[n] = nil
		at[far] = slices.DeleteFunc(at[far], func(other int32) bool { return other == k })
		if far != ground && len(at[far]) == 1 {
			ends = append(ends, far)
		}
	}
	return nil
}

// Source sets B of the next step and returns its time in s.
func (t *Transient) Source() float64 {
	h := t.g.Tran.Step
	end := float64(t.done+1) * h
	t.load(func(e *element) float64 { return e.at(end) })
	add := func(n int32, amperes float64) {
		if i := t.row[n]; i >= 0 {
			t.B[i] += amperes
		}
	}
	for _, e := range t.g.capacitors {
		a, b := t.root[e.a], t.root[e.b]
		amperes := e.value / h * (t.v[a] - t.v[b])
		add(a, amperes)
		add(b, -amperes)
	}
	for k, e := range t.g.inductors {
		add(t.root[e.a], -t.currents[k])
		add(t.root[e.b], t.currents[k])
	}
	return end
}

// Advance ends a step with the solution.
func (t *Transient) Advance(x []float64) {
	for n, i := range t.row {
		switch {
		case i >= 0:
			t.v[n] = x[i]
		case int(t.root[n]) == n:
			t.v[n] = t.held[n]
		}
	}
	for k, e := range t.g.inductors {
		t.currents[k] += t.g.Tran.Step / e.value * (t.v[t.root[e.a]] - t.v[t.root[e.b]])
	}
	t.done++
}

// Nominal voltages of all nodes in the order of Voltages: those of the sources of their nets at t = 0.
func (t *Transient) Nominal() []float64 { return t.DC.Nominal() }
