package stack

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// composite reads a material made of others, which compose works out once all are known.
func (m *materialTable) composite(def *definition, t *table) {
	kind := "mix"
	if t.has("laminate") {
		kind = "laminate"
	}
	for _, name := range []string{"mix", "k", "c", "rho", "cp"} {
		if name != kind && t.has(name) {
			m.fail(t.pos(name), "remove it, or "+kind, "material %q has both %s and %s", shorten(def.Name), kind, name)
		}
	}
	if kind == "mix" {
		def.mix = t.sub("mix")
		return
	}
	if def.laminate = t.tables("laminate"); len(def.laminate) == 0 && len(m.faults.list) == 0 {
		m.fail(t.pos("laminate"), `add { material = "copper", thickness = "2 um" }`, "the laminate of material %q "+
			"has no plies", shorten(def.Name))
	}
}

// compose works out a composite from its constituents; ok is false, and the fault noted, if that fails.
func (m *materialTable) compose(def *definition) bool {
	if def.mix == nil {
		return m.laminate(def)
	}
	t := def.mix
	inclusion := m.resolve(t.text("inclusion"), t.pos("inclusion"))
	matrix := m.resolve(t.text("matrix"), t.pos("matrix"))
	rule, fraction, ok := t.fraction(Rect{})
	if inclusion == nil || matrix == nil || !ok {
		return false
	}
	mix := func(parts []*Material) ([3]float64, float64) { return rule.Mix(parts[0], parts[1], fraction) }
	if !m.evaluate(def, t.node.pos, []*Material{&inclusion.Material, &matrix.Material}, mix) {
		return false
	}
	if def.Source == "" {
		def.Source = fmt.Sprintf("%v of %s in %s, %s", fraction, inclusion.Name, matrix.Name, rule)
	}
	return true
}

// evaluate sets the properties of a composite by its rule, at every temperature where parts follow it.
func (m *materialTable) evaluate(def *definition, pos Pos, parts []*Material,
	rule func([]*Material) ([3]float64, float64)) bool {
	def.K, def.C = rule(parts)
	if !def.follow(parts, rule) {
		m.fail(pos, "give all parts ranges that overlap", "material %q is made of materials whose properties hold at "+
			"no common temperature", shorten(def.Name))
		return false
	}
	return true
}

func (m *materialTable) laminate(def *definition) bool {
	var plies []Ply
	var names []string
	for _, t := range def.laminate {
		if ply := m.resolve(t.text("material"), t.pos("material")); ply != nil && t.scalar("thickness") > 0 {
			plies = append(plies, Ply{&ply.Material, t.scalar("thickness")})
			names = append(names, ply.Name)
		}
	}
	if len(plies) == 0 || len(plies) < len(def.laminate) {
		return false
	}
	parts := make([]*Material, len(plies))
	for i := range plies {
		parts[i] = plies[i].Material
	}
	pile := func(parts []*Material) ([3]float64, float64) {
		at := slices.Clone(plies)
		for i := range at {
			at[i].Material = parts[i]
		}
		return Laminate(at)
	}
	if !m.evaluate(def, def.Pos, parts, pile) {
		return false
	}
	if def.Source == "" {
		def.Source = "laminate of " + strings.Join(names, ", ")
	}
	return true
}

// fraction reads the rule and the fraction of a mixture: given, or from the diameter of cylinders and their pitch or
// their number on an area.
func (t *table) fraction(area Rect) (rule Rule, f float64, ok bool) {
	before := len(t.faults.list)
	rule = Cylinders
	if t.has("rule") {
		rule = Rule(t.text("rule"))
	} else if t.has("pitch") {
		rule = Square
	}
	count := 0
	if _, known := t.spec.Key("count"); known {
		count = t.integer("count")
	}
	cylinders := rule == Cylinders || rule == Square || rule == Hexagonal
	key := "fraction"
	switch {
	case t.has("fraction") && !t.has("diameter") && !t.has("pitch") && count == 0:
		f = t.scalar("fraction")
	case t.has("diameter") && t.has("pitch") && count == 0 && !t.has("fraction"):
		key = "diameter"
		f = disc(t.scalar("diameter")) / (t.scalar("pitch") * t.scalar("pitch"))
		if rule == Hexagonal {
			f *= 2 / math.Sqrt(3)
		}
	case t.has("diameter") && count > 0 && !t.has("pitch") && !t.has("fraction"):
		key = "diameter"
		f = float64(count) * disc(t.scalar("diameter")) / area.Area()
	default:
		t.fail(t.node.pos, `write fraction = "5 %", or diameter = "5 um", pitch = "20 um"`, "%s needs %s", t.spec.What,
			t.fractionKeys())
		return rule, 0, false
	}
	if key == "diameter" && !cylinders {
		t.fail(t.pos(key), `give the fraction, or rule = "square"`, "rule %q is for no cylinders and takes no diameter",
			rule)
	}
	if most := rule.Most(); f > most && len(t.faults.list) == before {
		t.tooDense(t.pos(key), key, rule, f)
	}
	return rule, f, len(t.faults.list) == before
}

// fractionKeys says what may tell the fraction.
func (t *table) fractionKeys() string {
	if _, known := t.spec.Key("map"); known {
		return "one of fraction, diameter with pitch, diameter with count, and map"
	}
	return "either fraction, or diameter with pitch"
}

// tooDense reports a fraction above what the rule allows.
func (d *decoder) tooDense(pos Pos, key string, rule Rule, f float64) {
	most := rule.Most()
	switch {
	case most == 1 && key == "fraction":
		d.fail(pos, "", "fraction must lie between 0 and 1, got %v", f)
	case most == 1:
		d.fail(pos, "", "cylinders of this %s cover %.4g of the area, more than there is", key, f)
	default:
		d.fail(pos, `take rule = "pattern" if they merge`, "cylinders in a %s array touch at a fraction of "+
			"%.4g, got %.4g", rule, most, f)
	}
}

// disc is the area of a circle.
func disc(diameter float64) float64 { return math.Pi / 4 * diameter * diameter }
