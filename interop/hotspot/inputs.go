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
	capacity            float64 // J/(m3 K), 0 where not given
	resistivity         float64 // m K/W, 0 where not given
	pos                 stack.Pos
}

// parseFlp reads a floorplan: name width height left-x bottom-y [capacity resistivity]. Lines of three words tell of
// wires and are passed over.
func parseFlp(file string, data []byte, faults *importer.Faults, notes *[]importer.Note) []unit {
	var units []unit
	names := map[string]int{}
	var wires [][]word
	for _, w := range lines(file, data, faults) {
		switch len(w) {
		case 3:
			wires = append(wires, w)
			continue
		case 5, 7:
		default:
			faults.Add(w[0].pos, "write name, width, height, left-x, bottom-y, and if need be heat capacity and "+
				"resistivity", "%d words in a line of a floorplan", len(w))
			continue
		}
		u := unit{name: w[0].text, pos: w[0].pos}
		ok := true
		for i, into := range []*float64{&u.width, &u.height, &u.x, &u.y, &u.capacity, &u.resistivity}[:len(w)-1] {
			what := [...]string{"width", "height", "left-x", "bottom-y", "heat capacity", "resistivity"}[i] +
				" of block " + importer.Shorten(u.name)
			read := positive
			if i == 2 || i == 3 {
				read = number
			}
			v, good := read(w[i+1], what, faults)
			*into, ok = v, ok && good
		}
		if first, twice := names[u.name]; twice {
			faults.Add(u.pos, "give each block its own name", "block %q is there twice, first in line %d",
				importer.Shorten(u.name), units[first].pos.Line)
			continue
		}
		if ok {
			names[u.name] = len(units)
			units = append(units, u)
		}
	}
	if len(units) == 0 {
		if faults.Len() == 0 {
			faults.Add(stack.Pos{File: file, Line: 1, Col: 1}, "write lines of name, width, height, left-x and "+
				"bottom-y in m", "the floorplan has no blocks")
		}
		return nil
	}
	for _, w := range wires {
		for _, end := range w[:2] {
			if _, known := names[end.text]; !known {
				faults.Add(end.pos, "a block has name, width, height, left-x and bottom-y",
					"a line of three words that connects no two blocks: %q is none", importer.Shorten(end.text))
			}
		}
		*notes = append(*notes,
			importer.Note{Kind: importer.NotCarried, Pos: w[0].pos, Text: "connectivity between blocks, which " +
				"changes no temperature"})
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

// parseLcf reads a layer list: seven values a layer, one a line, or six where the name of a material stands for
// capacity and resistivity.
func parseLcf(file string, data []byte, materials []solid, faults *importer.Faults) []layer {
	pull, stop := iter.Pull2(lines(file, data, faults))
	defer stop()
	var layers []layer
	// next takes a value; the file may end where nothing is said to be due.
	next := func(due string) (word, bool) {
		_, w, more := pull()
		switch {
		case faults.Len() > 0 || !more && due == "":
		case !more:
			faults.Add(stack.Pos{File: file}, "a layer is its number, lateral flow (Y or N), power (Y or N), heat "+
				"capacity, resistivity, thickness and floorplan, one a line",
				"the file ends where %s of layer %d is due", due, len(layers))
		case len(w) > 1:
			faults.Add(w[1].pos, "write one value a line", "%q follows %q", importer.Shorten(w[1].text),
				importer.Shorten(w[0].text))
		default:
			return w[0], true
		}
		return word{}, false
	}
	for {
		var l layer
		w, ok := next("")
		if !ok {
			break
		}
		if len(layers) > mostLayer {
			faults.Add(w.pos, "", "more than %d layers", mostLayer+1)
			break
		}
		l.pos = w.pos
		v, ok := number(w, "the number of a layer", faults)
		if !ok {
			break
		}
		if l.number = int(v); v != float64(l.number) || v < 0 || v > mostLayer {
			faults.Add(w.pos, "", "the number of a layer must be a whole one from 0 to %d, got %s", mostLayer,
				importer.Shorten(w.text))
			break
		}
		if w, ok = next("lateral heat flow"); !ok {
			break
		}
		l.lateralPos = w.pos
		if l.lateral, ok = yes(w, "lateral heat flow", faults); !ok {
			break
		}
		if w, ok = next("power"); !ok {
			break
		}
		if l.power, ok = yes(w, "power", faults); !ok {
			break
		}
		if !l.substance(next, materials, faults) {
			break
		}
		if w, ok = next("the thickness"); !ok {
			break
		}
		if l.thickness, ok = positive(w, "the thickness of a layer", faults); !ok {
			break
		}
		if w, ok = next("the floorplan"); !ok {
			break
		}
		l.floorplan, l.flpPos = w.text, w.pos
		layers = append(layers, l)
	}
	return inOrder(file, layers, faults)
}

// substance reads capacity and resistivity, or the name of a material.
func (l *layer) substance(next func(string) (word, bool), materials []solid, faults *importer.Faults) bool {
	w, ok := next("the heat capacity")
	if !ok {
		return false
	}
	for _, m := range materials {
		if m.name == w.text {
			l.capacity, l.resistivity = m.capacity, 1/m.k
			return true
		}
	}
	var trial importer.Faults
	if _, isNumber := number(w, "", &trial); !isNumber {
		remedy := "name a file of materials with --materials_file, or write heat capacity and resistivity on two lines"
		if len(materials) > 0 {
			remedy = fmt.Sprintf("the file of materials has %s and others; HotSpot would take -1 for an unknown name "+
				"without a word", materials[0].name)
		}
		faults.Add(w.pos, remedy, "%q is neither a heat capacity nor a known material", importer.Shorten(w.text))
		return false
	}
	if l.capacity, ok = positive(w, "the heat capacity of a layer", faults); !ok {
		return false
	}
	if w, ok = next("the resistivity"); !ok {
		return false
	}
	l.resistivity, ok = positive(w, "the resistivity of a layer", faults)
	return ok
}

func yes(w word, what string, faults *importer.Faults) (on, ok bool) {
	switch w.text {
	case "Y", "y":
		return true, true
	case "N", "n":
		return false, true
	}
	faults.Add(w.pos, "", "%s must be Y or N, got %q", what, importer.Shorten(w.text))
	return false, false
}

// inOrder sorts layers by number and checks that each is there once.
func inOrder(file string, layers []layer, faults *importer.Faults) []layer {
	if faults.Len() > 0 {
		return nil
	}
	if len(layers) == 0 {
		faults.Add(stack.Pos{File: file, Line: 1, Col: 1}, "", "the layer list is empty")
		return nil
	}
	sorted := make([]layer, len(layers))
	seen := make([]bool, len(layers))
	for _, l := range layers {
		switch {
		case l.number >= len(layers):
			faults.Add(l.pos, "number the layers from 0 without gaps", "layer %d among %d", l.number, len(layers))
		case seen[l.number]:
			faults.Add(l.pos, "number the layers from 0 without gaps", "layer %d is there twice", l.number)
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

// parseMaterials reads solids (name, "solid", conductivity, heat capacity, one a line) and fluids, which have a
// viscosity too.
func parseMaterials(file string, data []byte, faults *importer.Faults) (solids []solid, fluids []fluid) {
	var values []word
	for _, w := range lines(file, data, faults) {
		values = append(values, w...)
	}
	first := map[string]stack.Pos{}
	for len(values) > 0 && faults.Len() == 0 {
		if len(values) < 4 {
			faults.Add(values[0].pos, "a material is its name, solid or fluid, conductivity and heat capacity, and "+
				"for a fluid viscosity, one a line", "the file ends within material %q",
				importer.Shorten(values[0].text))
			break
		}
		m := solid{name: values[0].text, pos: values[0].pos}
		var okK, okC bool
		m.k, okK = positive(values[2], "the conductivity of "+importer.Shorten(m.name), faults)
		m.capacity, okC = positive(values[3], "the heat capacity of "+importer.Shorten(m.name), faults)
		if before, twice := first[values[1].text+" "+m.name]; twice {
			faults.Add(m.pos, "give each material its own name", "material %q is there twice, first in line %d",
				importer.Shorten(m.name), before.Line)
		}
		first[values[1].text+" "+m.name] = m.pos
		used := 4
		switch values[1].text {
		case "solid":
			if okK && okC {
				solids = append(solids, m)
			}
		case "fluid":
			if used = 5; len(values) < used {
				faults.Add(m.pos, "", "fluid %q has no viscosity", importer.Shorten(m.name))
				return solids, fluids
			}
			viscosity, ok := positive(values[4], "the viscosity of "+importer.Shorten(m.name), faults)
			if okK && okC && ok {
				fluids = append(fluids, fluid{m, viscosity})
			}
		default:
			faults.Add(values[1].pos, "", "a material is solid or fluid, got %q", importer.Shorten(values[1].text))
		}
		values = values[used:]
	}
	return solids, fluids
}

// parseInitial reads temperatures by node: name, in small letters, and K.
func parseInitial(file string, data []byte, faults *importer.Faults) map[string]float64 {
	all := map[string]float64{}
	for _, w := range lines(file, data, faults) {
		if len(w) != 2 {
			faults.Add(w[0].pos, "write name and temperature in K", "%d words in a line of initial temperatures",
				len(w))
			continue
		}
		if v, ok := positive(w[1], "the temperature of "+importer.Shorten(w[0].text), faults); ok {
			name := strings.ToLower(w[0].text)
			if _, twice := all[name]; twice {
				faults.Add(w[0].pos, "", "node %q is there twice", importer.Shorten(w[0].text))
			}
			all[name] = v
		}
	}
	return all
}
