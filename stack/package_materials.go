package stack

import (
	"fmt"
	"strings"

	"thermsim/stack/packaging"
)

// OpenSpace is the material of the room above a board: no real one, and not to be judged as such.
const OpenSpace = packaging.OpenSpace

// packageMaterial finds a material of a package's layout: one of the file or the library, or one that the package makes
// of its own. A material of the file takes the place of the package's of the same name.
func (l *loader) packageMaterial(p *loadedPackage, name string, pos Pos) int {
	if _, known := l.materials.known[name]; !known {
		if def := l.packageComposite(p, name, pos); def != nil {
			l.materials.known[name] = def
		}
	}
	i, _ := l.materials.use(name, pos)
	return i
}

// packageComposite makes a material of a package's own; nil for a name that is none of them.
func (l *loader) packageComposite(p *loadedPackage, name string, pos Pos) *definition {
	def := &definition{Material: Material{Name: name, Pos: pos}}
	ok := true
	switch name {
	case "balls":
		ok = l.mixed(def, Square, p.Balls.Solder, p.Balls.Around, columns(&p.Balls))
	case "bumps":
		ok = l.mixed(def, Square, p.Bumps.Solder, p.Bumps.Around, columns(&p.Bumps))
	case "microbumps":
		ok = l.mixed(def, Square, p.Microbumps.Solder, p.Microbumps.Around, columns(&p.Microbumps))
	case "bond":
		ok = l.mixed(def, Square, p.Bond.Solder, p.Bond.Around, columns(&p.Bond))
	case "substrate":
		ok = l.wired(def, &p.Substrate)
	case "board_vias":
		ok = l.mixed(def, Cylinders, "copper", p.Board.Dielectric, p.Board.Vias)
	case packaging.OpenSpace:
		def.K, def.C = [3]float64{1e-5, 1e-5, 1e3}, 1200
		def.Source = "passes the film at the top of the domain on to what lies below, and nothing sideways: no " +
			"real material"
	case packaging.Insulation:
		def.K, def.C = [3]float64{5e-3, 5e-3, 5e-3}, 1200
		def.Source = "the insulation of a test on a cold plate: no real material"
	default:
		copper, found := p.copperLayer(name)
		if !found {
			return nil
		}
		ok = l.mixed(def, Upper, "copper", p.Board.Dielectric, copper.Coverage)
	}
	def.faulty = !ok
	return def
}

// copperLayer finds the copper layer of the board that a material stands for.
func (p *loadedPackage) copperLayer(name string) (c packaging.Copper, ok bool) {
	if p.Board == nil {
		return c, false
	}
	for i := range p.Board.Copper {
		if packaging.CopperMaterial(i+1) == name {
			return p.Board.Copper[i], true
		}
	}
	return c, false
}

// columns is the part of the area that a square array of columns covers.
func columns(j *packaging.Joints) float64 { return disc(j.Diameter) / (j.Pitch * j.Pitch) }

// mixed works out a mixture of two materials.
func (l *loader) mixed(def *definition, rule Rule, inclusion, matrix string, fraction float64) bool {
	in, out := l.materials.resolve(inclusion, def.Pos), l.materials.resolve(matrix, def.Pos)
	if in == nil || out == nil {
		return false
	}
	def.Source = fmt.Sprintf("%.4g of %s in %s, %s", fraction, in.Name, out.Name, rule)
	mix := func(parts []*Material) ([3]float64, float64) { return rule.Mix(parts[0], parts[1], fraction) }
	return l.materials.evaluate(def, def.Pos, []*Material{&in.Material, &out.Material}, mix)
}

// wired works out copper layers in a dielectric: sheets on each other, copper beside dielectric in each by its
// coverage, then vias through all.
func (l *loader) wired(def *definition, w *packaging.Wiring) bool {
	copper, dielectric := l.materials.resolve("copper", def.Pos), l.materials.resolve(w.Dielectric, def.Pos)
	if copper == nil || dielectric == nil {
		return false
	}
	words := make([]string, len(w.Copper))
	for i, c := range w.Copper {
		words[i] = fmt.Sprintf("%s at %.4g", metres(c.Thickness), c.Coverage)
	}
	def.Source = fmt.Sprintf("copper layers in %s, %s: %s; vias on %.4g of the area", dielectric.Name,
		metres(w.Thickness), strings.Join(words, ", "), w.Vias)
	rule := func(parts []*Material) ([3]float64, float64) {
		rest := w.Thickness
		plies := make([]Ply, len(w.Copper))
		for i, c := range w.Copper {
			var m Material
			m.K, m.C = Upper.Mix(parts[0], parts[1], c.Coverage)
			plies[i] = Ply{&m, c.Thickness}
			rest -= c.Thickness
		}
		var pile Material
		pile.K, pile.C = Laminate(append(plies, Ply{parts[1], rest}))
		return Cylinders.Mix(parts[0], &pile, w.Vias)
	}
	return l.materials.evaluate(def, def.Pos, []*Material{&copper.Material, &dielectric.Material}, rule)
}
