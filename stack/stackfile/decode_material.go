package stackfile

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"thermsim/configs"
	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/tree"
)

// Library returns the materials that ship with thermsim, sorted by name.
func Library() ([]stack.Material, error) {
	m := library()
	list := slices.SortedFunc(maps.Values(m.known), func(a, b *definition) int {
		return strings.Compare(a.Name, b.Name)
	})
	return each(list, func(def *definition) stack.Material { return def.Material }), m.faults.Err(libraryFile)
}

// libraryFile is how positions in the embedded library are shown.
const libraryFile = "configs/materials.toml"

// definition is a material that layers may use.
type definition struct {
	stack.Material
	mix      *table   // nil for a plain material
	laminate []*table // plies, likewise
	film     *table   // likewise
	mixing   bool     // while its constituents are resolved: meeting it again is a cycle
	faulty   bool     // a fault of the definition has been reported
	usedAt1  int      // 1 + index into used, 0 if not used yet
}

// composed reports whether the properties are still to be computed from those of other materials.
func (d *definition) composed() bool { return d.mix != nil || d.laminate != nil || d.film != nil }

// library holds the plain materials that ship with thermsim and their faults. It is decoded once and must not be
// changed.
var library = sync.OnceValue(func() *materialTable {
	m := &materialTable{decoder: &decoder{format: keys.Stack()}, known: map[string]*definition{}}
	root, fault := tree.Parse(libraryFile, configs.MaterialsTOML())
	if fault != nil {
		m.faults.Add(fault)
		return m
	}
	for _, e := range root.Entries {
		if e.Name != "materials" {
			m.fail(e.Pos, "", "unknown key %q in the library", e.Name)
			continue
		}
		m.define(e.Value)
	}
	return m
})

// materialTable finds materials by name and collects those in use.
type materialTable struct {
	*decoder
	known map[string]*definition
	used  []stack.Material
	turns map[int]int // of those in use, to the same with x and y exchanged
	depth int         // of composites that are being computed
}

// newMaterialTable reads the materials of a stack file over those of the library.
func newMaterialTable(d *decoder, t *table) *materialTable {
	m := &materialTable{decoder: d, known: make(map[string]*definition, len(library().known))}
	for _, fault := range library().faults.Found {
		d.faults.Add(fault)
	}
	for name, def := range library().known {
		known := *def
		m.known[name] = &known
	}
	if n, _ := t.get("materials"); n != nil {
		m.define(n)
		m.composeAll(n)
	}
	return m
}

// composeAll works out the composites of a stack file, used or not: one that is made of itself is a fault of the file.
func (m *materialTable) composeAll(n *tree.Node) {
	for _, e := range n.Entries {
		if def := m.known[e.Name]; def != nil && !def.faulty && def.composed() {
			m.resolve(e.Name, e.Pos)
		}
	}
}

// maxMixing is the maximum nesting of composites. Real ones have three or four levels: wires in a dielectric
// in a laminate in a board.
const maxMixing = 100

func (m *materialTable) define(n *tree.Node) {
	if n.Kind != tree.Table {
		m.fail(n.Pos, "write [materials.NAME] tables", "materials must be a table of tables, got %s", n.Describe())
		return
	}
	for _, e := range n.Entries {
		def := &definition{Material: stack.Material{Name: e.Name, Pos: e.Pos}, faulty: true}
		m.known[e.Name] = def
		if t, ok := m.open(e.Value, "material"); ok {
			before := len(m.faults.Found)
			m.decode(def, t)
			def.faulty = len(m.faults.Found) > before
		}
	}
}

func (m *materialTable) decode(def *definition, t *table) {
	t.into(&def.Material)
	if t.has("mix") || t.has("laminate") || t.has("thin_film") {
		m.composite(def, t)
		return
	}
	def.K, def.KCurve = t.conductivity("k")
	if !t.has("k") {
		m.fail(t.node.Pos, `add k = "130 W/(m K)"`, "material %q has no k", faults.Shorten(def.Name))
	}
	switch {
	case t.has("c"):
		def.C, def.CCurve = t.property("c")
	case t.has("rho") && t.has("cp"):
		rho := t.scalar("rho")
		def.C, def.CCurve = t.property("cp")
		def.C *= rho
		if def.CCurve != nil {
			def.CCurve = def.CCurve.Times(rho)
		}
	default:
		m.fail(t.node.Pos, `add c = "1.6e6 J/(m^3 K)", or rho and cp`, "material %q has no heat capacity",
			faults.Shorten(def.Name))
	}
}

// use returns the index of a material among those in use; pos is where it is asked for.
func (m *materialTable) use(name string, pos stack.Pos) (int, bool) {
	def := m.resolve(name, pos)
	if def == nil {
		return 0, false
	}
	if def.usedAt1 == 0 {
		def.usedAt1 = m.add(def.Material) + 1
	}
	return def.usedAt1 - 1, true
}

// add puts a material among those in use.
func (m *materialTable) add(used stack.Material) int {
	m.used = append(m.used, used)
	return len(m.used) - 1
}

// resolve finds a material and computes mixtures. It is nil if the material is unknown or faulty.
func (m *materialTable) resolve(name string, pos stack.Pos) *definition {
	def := m.known[name]
	switch {
	case name == "": // reported as missing
		return nil
	case def == nil:
		remedy := m.suggest(name, func() []string { return slices.Sorted(maps.Keys(m.known)) })
		if remedy == "" {
			remedy = "define [materials." + faults.Shorten(name) + "] or see `thermsim materials`"
		}
		m.fail(pos, remedy, "unknown material %q", faults.Shorten(name))
		return nil
	case def.mixing:
		m.fail(pos, "", "material %q contains itself", faults.Shorten(name))
		def.faulty = true
		return nil
	case def.faulty:
		return nil
	case !def.composed():
		return def
	}
	if m.depth == maxMixing {
		m.fail(pos, "mix their constituents directly", "material %q is nested in more than %d other mixtures",
			faults.Shorten(name), maxMixing)
		def.faulty = true
		return nil
	}
	def.mixing = true
	m.depth++
	ok := m.compose(def)
	m.depth--
	def.mixing = false
	if !ok {
		def.faulty = true
		return nil
	}
	def.mix, def.laminate, def.film = nil, nil, nil
	return def
}

// composite reads a material made of others; compose computes it once all are known.
func (m *materialTable) composite(def *definition, t *table) {
	switch {
	case t.has("mix"):
		def.mix = t.sub("mix")
	case t.has("laminate"):
		def.laminate = t.tables("laminate")
	default:
		def.film = t.sub("thin_film")
	}
}

// compose computes a composite from its constituents; it is false after reporting a fault.
func (m *materialTable) compose(def *definition) bool {
	switch {
	case def.laminate != nil:
		return m.laminate(def)
	case def.film != nil:
		return m.thinFilm(def)
	}
	t := def.mix
	inclusion := m.resolve(t.text("inclusion"), t.pos("inclusion"))
	matrix := m.resolve(t.text("matrix"), t.pos("matrix"))
	rule, fraction, ok := t.fraction(stack.Rect{})
	if inclusion == nil || matrix == nil || !ok {
		return false
	}
	mix := func(parts []*stack.Material) ([3]float64, float64) { return rule.Mix(parts[0], parts[1], fraction) }
	if !m.evaluate(def, t.node.Pos, []*stack.Material{&inclusion.Material, &matrix.Material}, mix) {
		return false
	}
	if def.Source == "" {
		def.Source = fmt.Sprintf("%v of %s in %s, %s", fraction, inclusion.Name, matrix.Name, rule)
	}
	return true
}

// evaluate sets the properties of a composite by its rule, at every temperature if parts are temperature-dependent.
func (m *materialTable) evaluate(def *definition, pos stack.Pos, parts []*stack.Material,
	rule func([]*stack.Material) ([3]float64, float64)) bool {
	def.K, def.C = rule(parts)
	if !def.Tabulate(parts, rule) {
		m.fail(pos, "give all constituents overlapping ranges", "the constituents of material %q have no common "+
			"temperature range", faults.Shorten(def.Name))
		return false
	}
	return true
}

func (m *materialTable) laminate(def *definition) bool {
	var plies []stack.Ply
	var names []string
	for _, t := range def.laminate {
		if ply := m.resolve(t.text("material"), t.pos("material")); ply != nil && t.scalar("thickness") > 0 {
			plies = append(plies, stack.Ply{Material: &ply.Material, Thickness: t.scalar("thickness")})
			names = append(names, ply.Name)
		}
	}
	if len(plies) == 0 || len(plies) < len(def.laminate) {
		return false
	}
	parts := each(plies, func(p stack.Ply) *stack.Material { return p.Material })
	pile := func(parts []*stack.Material) ([3]float64, float64) {
		at := slices.Clone(plies)
		for i := range at {
			at[i].Material = parts[i]
		}
		return stack.Laminate(at)
	}
	if !m.evaluate(def, def.Pos, parts, pile) {
		return false
	}
	if def.Source == "" {
		def.Source = "laminate of " + strings.Join(names, ", ")
	}
	return true
}

func (m *materialTable) thinFilm(def *definition) bool {
	t := def.film
	bulk := m.resolve(t.text("material"), t.pos("material"))
	thickness, path := t.scalar("thickness"), t.scalar("mean_free_path")
	if bulk == nil || !(thickness > 0) || !(path > 0) {
		return false
	}
	film := func(parts []*stack.Material) ([3]float64, float64) { return stack.ThinFilm(parts[0], thickness, path) }
	if !m.evaluate(def, def.Pos, []*stack.Material{&bulk.Material}, film) {
		return false
	}
	if def.Source == "" {
		def.Source = fmt.Sprintf("film of %s, %.4g nm", bulk.Name, thickness*1e9)
	}
	return true
}

// fraction reads the rule and the fraction of a mixture: given, or from the diameter of cylinders and their pitch or
// their number on an area.
func (t *table) fraction(area stack.Rect) (rule stack.Rule, f float64, ok bool) {
	before := len(t.faults.Found)
	rule = stack.Cylinders
	if t.has("rule") {
		rule = stack.Rule(t.text("rule"))
	} else if t.has("pitch") {
		rule = stack.Square
	}
	count := 0
	if _, known := t.spec.Key("count"); known {
		count = t.integer("count")
	}
	cylinders := rule == stack.Cylinders || rule == stack.Square || rule == stack.Hexagonal
	key := "fraction"
	switch {
	case t.has("fraction") && !t.has("diameter") && !t.has("pitch") && count == 0:
		f = t.scalar("fraction")
	case t.has("diameter") && t.has("pitch") && count == 0 && !t.has("fraction"):
		key = "diameter"
		f = disc(t.scalar("diameter")) / (t.scalar("pitch") * t.scalar("pitch"))
		if rule == stack.Hexagonal {
			f *= 2 / math.Sqrt(3)
		}
	case t.has("diameter") && count > 0 && !t.has("pitch") && !t.has("fraction"):
		key = "diameter"
		f = float64(count) * disc(t.scalar("diameter")) / area.Area()
	default:
		t.fail(t.node.Pos, `write fraction = "5 %", or diameter = "5 um", pitch = "20 um"`, "%s needs %s", t.spec.What,
			t.fractionKeys())
		return rule, 0, false
	}
	if key == "diameter" && !cylinders {
		t.fail(t.pos(key), `give the fraction, or rule = "square"`,
			"rule %q has no cylinders, so diameter does not apply",
			rule)
	}
	if most := rule.Most(); f > most && len(t.faults.Found) == before {
		t.tooDense(t.pos(key), key, rule, f)
	}
	return rule, f, len(t.faults.Found) == before
}

// fractionKeys lists the keys that can define the fraction.
func (t *table) fractionKeys() string {
	if _, known := t.spec.Key("map"); known {
		return "one of fraction, diameter with pitch, diameter with count, and map"
	}
	return "either fraction, or diameter with pitch"
}

// tooDense reports a fraction above that of the rule.
func (d *decoder) tooDense(pos stack.Pos, key string, rule stack.Rule, f float64) {
	most := rule.Most()
	switch {
	case most == 1 && key == "fraction":
		d.fail(pos, "", "fraction must lie between 0 and 1, got %v", f)
	case most == 1:
		d.fail(pos, "", "cylinders of this %s cover %.4g of the area, more than all of it", key, f)
	default:
		d.fail(pos, `use rule = "pattern" if they merge`, "cylinders in a %s array touch at a fraction of "+
			"%.4g, got %.4g", rule, most, f)
	}
}

// disc is the area of a circle.
func disc(diameter float64) float64 { return math.Pi / 4 * diameter * diameter }

// turned is the index of a material as it conducts in a die turned by an odd number of quarters.
func (m *materialTable) turned(i int) int {
	from := m.used[i]
	if from.K[0] == from.K[1] && from.KCurve[0] == from.KCurve[1] {
		return i
	}
	if to, ok := m.turns[i]; ok {
		return to
	}
	from = from.Turned()
	for from.Name += "_turned"; m.known[from.Name] != nil; from.Name += "_" {
		continue
	}
	if m.turns == nil {
		m.turns = map[int]int{}
	}
	m.turns[i] = m.add(from)
	return m.turns[i]
}
