package stackfile

import (
	"fmt"
	"math"
	"strings"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/tree"
	"thermsim/stack/packaging"
)

// packageParts reads the tables of the parts over the defaults of the kind.
func (l *loader) packageParts(p *loadedPackage) {
	p.unused(l)
	p.into(&p.Package)
	for name, j := range p.allJoints() {
		if !p.has(name) || j.Diameter < j.Pitch {
			continue
		}
		pos := p.pos(name)
		for _, key := range []string{"pitch", "diameter"} {
			if e := p.node.Find(name).Value.Find(key); e != nil {
				pos = e.Value.Pos
			}
		}
		l.fail(pos, "", "%s of %s diameter touch at a pitch of %s", name, faults.Metres(j.Diameter),
			faults.Metres(j.Pitch))
	}
	if t := p.sub("mould"); t != nil && t.has("thickness") && p.Kind == packaging.Interposer {
		l.fail(t.pos("thickness"), "remove it", "mold compound between dies on an interposer always has their height")
	}
	if t := p.sub("substrate"); t != nil {
		t.wiring(&p.Substrate)
	}
	l.board(p)
	l.wiringFits(p.sub("substrate"), p.pos("substrate"), &p.Substrate, "the substrate")
}

// allJoints are those of a package by their keys.
func (p *loadedPackage) allJoints() map[string]*packaging.Joints {
	return map[string]*packaging.Joints{"balls": &p.Balls, "bumps": &p.Bumps, "microbumps": &p.Microbumps,
		"bond": &p.Bond}
}

func (t *table) wiring(w *packaging.Wiring) {
	t.into(w)
	if t.has("vias") {
		w.Vias = t.scalar("vias")
	}
	if t.has("copper") {
		w.Copper = nil
		for _, c := range t.tables("copper") {
			w.Copper = append(w.Copper,
				packaging.Copper{Thickness: c.scalar("thickness"), Coverage: c.scalar("coverage")})
		}
	}
}

// wiringFits checks that the copper layers are thinner than the whole.
func (l *loader) wiringFits(t *table, pos stack.Pos, w *packaging.Wiring, what string) {
	copper := 0.0
	for _, c := range w.Copper {
		copper += c.Thickness
	}
	if copper < w.Thickness*(1-1e-6) {
		return
	}
	if t != nil && t.has("thickness") {
		pos = t.pos("thickness")
	} else if t != nil && t.has("copper") {
		pos = t.pos("copper")
	}
	l.fail(pos, "increase the thickness of "+what+" or use thinner copper", "the copper layers of %s have a total "+
		"thickness of %s, but it is only %s thick",
		what, faults.Metres(copper), faults.Metres(w.Thickness))
}

// board reads the board, or its absence.
func (l *loader) board(p *loadedPackage) {
	n, k := p.get("board")
	if n == nil || p.Kind == packaging.HBM {
		return
	}
	if n.Kind == tree.String {
		if n.Text != k.Enum[0] {
			l.fail(n.Pos, `write "none", or a table such as { kind = "1s0p" }`, "board cannot be %q",
				faults.Shorten(n.Text))
		}
		p.Board = nil
		if p.environment.OnBoard() {
			l.fail(n.Pos, "remove it", "the environment %s needs a board", p.environment)
		}
		return
	}
	t := p.sub("board")
	if t == nil {
		return
	}
	if t.text("kind") == "1s0p" {
		p.Board = packaging.TestBoard1s0p()
	}
	t.wiring(&p.Board.Wiring)
	size, _ := t.pair("size")
	p.Board.Width, p.Board.Height = size[0], size[1]
	l.wiringFits(t, t.node.Pos, &p.Board.Wiring, "the board")
}

// testBoard sets the extent of a board to that of the standard; without a test, it covers the domain uniformly.
func (l *loader) testBoard(p *loadedPackage) {
	b := p.Board
	if b == nil {
		return
	}
	if n, _ := p.get("board"); n == nil || n.Find("copper") == nil {
		b.Traces((p.Width + p.Height) / 2)
	}
	switch {
	case p.environment == packaging.NoEnvironment:
		b.FanOut, b.Planes = 0, false
	case b.Width == 0:
		body := math.Max(p.Width, p.Height)
		var ok bool
		if b.Width, b.Height, ok = packaging.Extent(body); !ok {
			l.fail(p.pos("size"), `give board = { size = ["200 mm", "200 mm"] }`, "JESD51-9 defines no board for a "+
				"package of %s", faults.Metres(body))
		}
	}
}

// OpenSpace is the material of the space above a board. It is fictitious, so plausibility checks skip it.
const OpenSpace = packaging.OpenSpace

// OpenSpaceMaterial has the properties of open space.
func OpenSpaceMaterial() stack.Material {
	return stack.Material{Name: OpenSpace, K: [3]float64{1e-5, 1e-5, 1e3}, C: 1200,
		Source: "passes the film at the top of the domain on to what lies below, and nothing sideways: no real " +
			"material"}
}

// packageMaterial finds a material of a package's layout: one of the file or the library, or a composite of the
// package. A material of the file replaces the package's of the same name.
func (l *loader) packageMaterial(p *loadedPackage, name string, pos stack.Pos) int {
	if _, known := l.materials.known[name]; !known {
		if def := l.packageComposite(p, name, pos); def != nil {
			l.materials.known[name] = def
		}
	}
	i, _ := l.materials.use(name, pos)
	return i
}

// packageComposite makes a composite of the package; nil if it has none of that name.
func (l *loader) packageComposite(p *loadedPackage, name string, pos stack.Pos) *definition {
	def := &definition{Material: stack.Material{Name: name, Pos: pos}}
	ok := true
	switch name {
	case "balls", "bumps", "microbumps", "bond":
		j := p.allJoints()[name]
		ok = l.mixed(def, stack.Square, j.Solder, j.Around, disc(j.Diameter)/(j.Pitch*j.Pitch))
	case "substrate":
		ok = l.wired(def, &p.Substrate)
	case "board_vias":
		ok = l.mixed(def, stack.Cylinders, "copper", p.Board.Dielectric, p.Board.Vias)
	case packaging.OpenSpace:
		def.Material = OpenSpaceMaterial()
		def.Pos = pos
	case packaging.Insulation:
		def.K, def.C = [3]float64{5e-3, 5e-3, 5e-3}, 1200
		def.Source = "the insulation of a test on a cold plate: no real material"
	default:
		copper, found := p.copperLayer(name)
		if !found {
			return nil
		}
		ok = l.mixed(def, stack.Upper, "copper", p.Board.Dielectric, copper.Coverage)
	}
	def.faulty = !ok
	return def
}

// copperLayer finds the copper layer of the board by the name of its material.
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

// mixed computes a mixture of two materials.
func (l *loader) mixed(def *definition, rule stack.Rule, inclusion, matrix string, fraction float64) bool {
	in, out := l.materials.resolve(inclusion, def.Pos), l.materials.resolve(matrix, def.Pos)
	if in == nil || out == nil {
		return false
	}
	def.Source = fmt.Sprintf("%.4g of %s in %s, %s", fraction, in.Name, out.Name, rule)
	mix := func(parts []*stack.Material) ([3]float64, float64) { return rule.Mix(parts[0], parts[1], fraction) }
	return l.materials.evaluate(def, def.Pos, []*stack.Material{&in.Material, &out.Material}, mix)
}

// wired computes copper layers in a dielectric: in each, copper and dielectric conduct in parallel by the coverage; the
// sheets form a laminate, with vias through all.
func (l *loader) wired(def *definition, w *packaging.Wiring) bool {
	copper, dielectric := l.materials.resolve("copper", def.Pos), l.materials.resolve(w.Dielectric, def.Pos)
	if copper == nil || dielectric == nil {
		return false
	}
	words := each(w.Copper, func(c packaging.Copper) string {
		return fmt.Sprintf("%s at %.4g", faults.Metres(c.Thickness), c.Coverage)
	})
	def.Source = fmt.Sprintf("copper layers in %s, %s: %s; vias on %.4g of the area", dielectric.Name,
		faults.Metres(w.Thickness), strings.Join(words, ", "), w.Vias)
	rule := func(parts []*stack.Material) ([3]float64, float64) {
		rest := w.Thickness
		plies := make([]stack.Ply, len(w.Copper))
		for i, c := range w.Copper {
			var m stack.Material
			m.K, m.C = stack.Upper.Mix(parts[0], parts[1], c.Coverage)
			plies[i] = stack.Ply{Material: &m, Thickness: c.Thickness}
			rest -= c.Thickness
		}
		var pile stack.Material
		pile.K, pile.C = stack.Laminate(append(plies, stack.Ply{Material: parts[1], Thickness: rest}))
		return stack.Cylinders.Mix(parts[0], &pile, w.Vias)
	}
	return l.materials.evaluate(def, def.Pos, []*stack.Material{&copper.Material, &dielectric.Material}, rule)
}
