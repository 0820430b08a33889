package stackfile

import (
	"cmp"
	"slices"
	"strings"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
)

// powerGrid reads the power grid, whose netlist others parse.
func (l *loader) powerGrid(t *table) {
	g := t.sub("power_grid")
	if g == nil {
		return
	}
	p := &stack.PowerGrid{Pos: g.node.Pos}
	g.into(p)
	g.text("netlist")
	if n, _ := g.get("netlist"); n != nil {
		p.File, p.Data, _ = l.input(n, "netlist")
	}
	known := map[string]stack.Pos{}
	for _, mt := range g.tables("metal") {
		p.Metals = append(p.Metals, l.metal(mt, known))
	}
	l.stack.PowerGrid = p
}

// electronVolt in J, and the largest activation energy, several times that of any metal.
const (
	electronVolt   = 1.602176634e-19
	mostActivation = 10 * electronVolt
)

// metal reads a metal; known are the positions of the names of nodes before it.
func (l *loader) metal(t *table, known map[string]stack.Pos) stack.Metal {
	m := stack.Metal{Pos: t.node.Pos}
	t.into(&m)
	m.Thickness = cmp.Or(m.Thickness, m.Width)
	_, nodes := t.texts("nodes")
	for i, name := range m.Nodes {
		pair := strings.Fields(name)
		slices.Sort(pair)
		key := strings.Join(pair, " ")
		if len(pair) < 1 || len(pair) > 2 || len(pair) == 2 && pair[0] == pair[1] {
			l.fail(nodes[i].Pos, `write "n1" for wires, "n1 n2" for vias`, "nodes cannot be %q", faults.Shorten(name))
		} else if was, twice := known[key]; twice {
			l.fail(nodes[i].Pos, "remove one of them", "nodes %q are also on line %d", faults.Shorten(name), was.Line)
		}
		known[key], m.Nodes[i] = nodes[i].Pos, key
	}
	layer := t.text("layer")
	m.Layer = slices.IndexFunc(l.stack.Layers, func(y stack.Layer) bool { return y.Name == layer })
	switch {
	case m.Layer < 0:
		l.noName(t.pos("layer"), l.suggest(layer, l.layerNames), "layer", layer)
	case l.stack.Layers[m.Layer].Coolant != nil:
		l.fail(t.pos("layer"), "name a layer of solids", "layer %q has coolant", faults.Shorten(layer))
	}
	if em := t.sub("em"); em != nil {
		m.EM = &stack.Electromigration{}
		em.into(m.EM)
		if m.EM.Energy > mostActivation {
			l.fail(em.pos("energy"), `write it in eV, as "0.9 eV"; a bare number is in J`,
				"energy must be at most 10 eV, got %.3g eV", m.EM.Energy/electronVolt)
		}
	}
	return m
}
