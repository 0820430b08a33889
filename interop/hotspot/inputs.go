package hotspot

import (
	"fmt"
	"iter"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// unit is a block of a floorplan.
type unit struct {
	name                string
	x, y, width, height float64 // m, the floorplan's smallest x and y being 0
	capacity            float64 // J/(m3 K), 0 if not given
	resistivity         float64 // m K/W, 0 if not given
	label               string  // of its material, in projects of PACT
	column              int     // of the power trace, if its slab has power
	pos                 stack.Pos
}

// box is the area of the block.
func (u *unit) box() stack.Rect { return stack.Rect{X: u.x, Y: u.y, Width: u.width, Height: u.height} }

// parseFlp reads a floorplan: name width height left-x bottom-y [capacity resistivity]. Lines of three words are wires,
// which are ignored.
func parseFlp(c *importer.Collector, file string, data []byte) []unit {
	var units []unit
	names := map[string]int{}
	var wires [][]word
	for w := range lines(c, file, data) {
		switch len(w) {
		case 3:
			wires = append(wires, w)
			continue
		case 5, 7:
		default:
			c.Faults.Add(w[0].Pos, "write name, width, height, left-x, bottom-y, and optionally heat capacity and "+
				"resistivity", "%d words in a line of a floorplan", len(w))
			continue
		}
		u := unit{name: w[0].Text, pos: w[0].Pos}
		ok := true
		for i, into := range []*float64{&u.width, &u.height, &u.x, &u.y, &u.capacity, &u.resistivity}[:len(w)-1] {
			what := [...]string{"width", "height", "left-x", "bottom-y", "heat capacity", "resistivity"}[i] +
				" of block " + stack.Shorten(u.name)
			read := positive
			if i == 2 || i == 3 {
				read = number
			}
			v, good := read(w[i+1], what, &c.Faults)
			*into, ok = v, ok && good
		}
		if first, twice := names[u.name]; twice {
			c.Faults.Add(u.pos, "give each block its own name", "block %q is given twice, first in line %d",
				stack.Shorten(u.name), units[first].pos.Line)
			continue
		}
		if ok {
			names[u.name] = len(units)
			units = append(units, u)
		}
	}
	if len(units) == 0 {
		if c.Faults.Len() == 0 {
			c.Faults.Add(stack.Pos{File: file, Line: 1, Col: 1}, "write lines of name, width, height, left-x and "+
				"bottom-y in m", "the floorplan has no blocks")
		}
		return nil
	}
	for _, w := range wires {
		for _, end := range w[:2] {
			if _, known := names[end.Text]; !known {
				c.Faults.Add(end.Pos, "a block has name, width, height, left-x and bottom-y",
					"a line of three words must connect two blocks: %q is not a block", stack.Shorten(end.Text))
			}
		}
		c.Note(importer.NotCarried, w[0].Pos, "connectivity between blocks, which changes no temperature")
	}
	x, y := units[0].x, units[0].y
	for _, u := range units {
		x, y = min(x, u.x), min(y, u.y)
	}
	for i := range units {
		units[i].x -= x
		units[i].y -= y
	}
	return units
}

// size of a floorplan's bounding box.
func size(units []unit) (w, h float64) {
	for _, u := range units {
		w, h = max(w, u.x+u.width), max(h, u.y+u.height)
	}
	return w, h
}

// layer is one of a layer list.
type layer struct {
	number         int
	lateral, power bool
	lateralPos     stack.Pos
	capacity       float64 // J/(m3 K)
	resistivity    float64 // m K/W
	thickness      float64 // m
	floorplan      string
	pos, flpPos    stack.Pos
}

// mostLayer is the largest number that a layer may have.
const mostLayer = 1000

// layerReader reads a layer list value by value. After a fault its values are zero.
type layerReader struct {
	*importer.Collector
	file   string
	lines  func() ([]word, bool)
	solids []solid
	layers []layer
}

// parseLcf reads a layer list: seven values for each layer, one per line, or six if the name of a material replaces
// capacity and resistivity.
func parseLcf(c *importer.Collector, file string, data []byte, solids []solid) []layer {
	pull, stop := iter.Pull(lines(c, file, data))
	defer stop()
	r := &layerReader{Collector: c, file: file, lines: pull, solids: solids}
	for {
		w := r.word("")
		switch {
		case w.Text == "":
			return inOrder(c, file, r.layers)
		case len(r.layers) > mostLayer:
			c.Faults.Add(w.Pos, "", "more than %d layers", mostLayer+1)
		default:
			r.layers = append(r.layers, r.layer(w))
		}
	}
}

func (r *layerReader) layer(first word) (l layer) {
	l.pos = first.Pos
	v, ok := number(first, "the number of a layer", &r.Faults)
	if l.number = int(v); ok && (v != float64(l.number) || v < 0 || v > mostLayer) {
		r.Faults.Add(first.Pos, "", "the number of a layer must be a whole number from 0 to %d, got %s", mostLayer,
			stack.Shorten(first.Text))
	}
	l.lateral, l.lateralPos = r.yes("lateral heat flow")
	l.power, _ = r.yes("power")
	r.substance(&l)
	l.thickness = r.positive("the thickness")
	w := r.word("the floorplan")
	l.floorplan, l.flpPos = w.Text, w.Pos
	return l
}

// word takes the next value, and after a fault none. The file may end only if due is empty.
func (r *layerReader) word(due string) word {
	if r.Faults.Len() > 0 {
		return word{}
	}
	w, more := r.lines()
	switch {
	case r.Faults.Len() > 0 || !more && due == "":
	case !more:
		r.Faults.Add(stack.Pos{File: r.file}, "a layer is its number, lateral flow (Y or N), power (Y or N), heat "+
			"capacity, resistivity, thickness and floorplan, one per line",
			"the file ends where %s of layer %d is due", due, len(r.layers))
	case len(w) > 1:
		r.Faults.Add(w[1].Pos, "write one value per line", "%q follows %q", stack.Shorten(w[1].Text),
			stack.Shorten(w[0].Text))
	default:
		return w[0]
	}
	return word{}
}

// substance reads capacity and resistivity, or the name of a material.
func (r *layerReader) substance(l *layer) {
	w := r.word("the heat capacity")
	for _, m := range r.solids {
		if m.name == w.Text {
			l.capacity, l.resistivity = m.capacity, 1/m.k
			return
		}
	}
	if _, isNumber := number(w, "", &importer.Faults{}); !isNumber && r.Faults.Len() == 0 {
		remedy := "name a file of materials with --materials_file, or write heat capacity and resistivity on two lines"
		if len(r.solids) > 0 {
			remedy = fmt.Sprintf("the file of materials has %s and others; HotSpot silently uses -1 for an unknown "+
				"name",
				r.solids[0].name)
		}
		r.Faults.Add(w.Pos, remedy, "%q is neither a heat capacity nor a known material", stack.Shorten(w.Text))
	}
	l.capacity = r.positiveOf(w, "the heat capacity")
	l.resistivity = r.positive("the resistivity")
}

func (r *layerReader) positive(what string) float64 { return r.positiveOf(r.word(what), what) }

func (r *layerReader) positiveOf(w word, what string) float64 {
	if r.Faults.Len() > 0 {
		return 0
	}
	v, _ := positive(w, what+" of a layer", &r.Faults)
	return v
}

func (r *layerReader) yes(what string) (on bool, pos stack.Pos) {
	w := r.word(what)
	if r.Faults.Len() == 0 && !strings.EqualFold(w.Text, "Y") && !strings.EqualFold(w.Text, "N") {
		r.Faults.Add(w.Pos, "", "%s must be Y or N, got %q", what, stack.Shorten(w.Text))
	}
	return strings.EqualFold(w.Text, "Y"), w.Pos
}

// inOrder sorts layers by number and checks that each is given once.
func inOrder(c *importer.Collector, file string, layers []layer) []layer {
	if c.Faults.Len() > 0 {
		return nil
	}
	if len(layers) == 0 {
		c.Faults.Add(stack.Pos{File: file, Line: 1, Col: 1}, "", "the layer list is empty")
		return nil
	}
	sorted := make([]layer, len(layers))
	seen := make([]bool, len(layers))
	for _, l := range layers {
		switch {
		case l.number >= len(layers):
			c.Faults.Add(l.pos, "number the layers from 0 without gaps", "layer %d among %d", l.number, len(layers))
		case seen[l.number]:
			c.Faults.Add(l.pos, "number the layers from 0 without gaps", "layer %d is given twice", l.number)
		default:
			seen[l.number], sorted[l.number] = true, l
		}
	}
	return sorted
}

// solid is a material of a file of materials.
type solid struct {
	name        string
	k, capacity float64
	pos         stack.Pos
}

// fluid is a coolant of a file of materials.
type fluid struct {
	solid
	viscosity float64 // Pa s
}

// parseMaterials reads solids (name, "solid", conductivity, heat capacity, one per line) and fluids, which have a
// viscosity too.
func parseMaterials(c *importer.Collector, file string, data []byte) (solids []solid, fluids []fluid) {
	var values []word
	for w := range lines(c, file, data) {
		values = append(values, w...)
	}
	first := map[string]stack.Pos{}
	for len(values) > 0 && c.Faults.Len() == 0 {
		name := stack.Shorten(values[0].Text)
		isFluid := len(values) > 1 && values[1].Text == "fluid"
		used := 4
		if isFluid {
			used = 5
		}
		if len(values) < used {
			c.Faults.Add(values[0].Pos, "a material is its name, solid or fluid, conductivity and heat capacity, and "+
				"for a fluid viscosity, one per line", "the file ends within material %q", name)
			break
		}
		kind := values[1].Text
		m := fluid{solid: solid{name: values[0].Text, pos: values[0].Pos}}
		m.k, _ = positive(values[2], "the conductivity of "+name, &c.Faults)
		m.capacity, _ = positive(values[3], "the heat capacity of "+name, &c.Faults)
		if before, twice := first[kind+" "+m.name]; twice {
			c.Faults.Add(m.pos, "give each material its own name", "material %q is given twice, first in line %d", name,
				before.Line)
		}
		first[kind+" "+m.name] = m.pos
		switch {
		case isFluid:
			m.viscosity, _ = positive(values[4], "the viscosity of "+name, &c.Faults)
			fluids = append(fluids, m)
		case kind == "solid":
			solids = append(solids, m.solid)
		default:
			c.Faults.Add(values[1].Pos, "", "a material is solid or fluid, got %q", stack.Shorten(kind))
		}
		values = values[used:]
	}
	if c.Faults.Len() > 0 {
		return nil, nil
	}
	return solids, fluids
}

// parseInitial reads temperatures in K by the name of the node, in lower case.
func parseInitial(c *importer.Collector, file string, data []byte) map[string]float64 {
	all := map[string]float64{}
	for w := range lines(c, file, data) {
		if len(w) != 2 {
			c.Faults.Add(w[0].Pos, "write name and temperature in K", "%d words in a line of initial temperatures",
				len(w))
			continue
		}
		if v, ok := positive(w[1], "the temperature of "+stack.Shorten(w[0].Text), &c.Faults); ok {
			name := strings.ToLower(w[0].Text)
			if _, twice := all[name]; twice {
				c.Faults.Add(w[0].Pos, "", "node %q is given twice", stack.Shorten(w[0].Text))
			}
			all[name] = v
		}
	}
	return all
}
