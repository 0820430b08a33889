package stackfile

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/tree"
	"thermsim/stack/internal/units"
)

// decoder converts nodes to values by the table of keys and collects all faults.
type decoder struct {
	format    *keys.Format
	faults    faults.List
	constants *constants // of [define]; nil without
	nameless  bool       // a table has an unknown key and no name
}

// table is a node opened as one of the tables of the format.
type table struct {
	*decoder
	node *tree.Node
	spec *keys.Spec
}

func (d *decoder) fail(pos stack.Pos, remedy, format string, args ...any) {
	d.faults.Add(&stack.Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Remedy: remedy})
}

// open checks that a node is a table, that all its keys are known and that the required ones are given.
func (d *decoder) open(n *tree.Node, spec string) (*table, bool) {
	t := &table{decoder: d, node: n, spec: d.format.Spec(spec)}
	if n.Kind != tree.Table {
		d.fail(n.Pos, "write a table with keys such as "+faults.JoinWords(firstKeys(t.spec)), "expected %s, got %s",
			t.spec.What, n.Describe())
		return nil, false
	}
	unknown := false
	for _, e := range n.Entries {
		k, ok := t.spec.Key(e.Name)
		if !ok {
			remedy := faults.DidYouMean(e.Name, keyNames(t.spec))
			if _, named := t.spec.Key("material"); named && (e.Name == "k" || e.Name == "c") {
				remedy = "define [materials.NAME] with k and c, and set material to its name"
			}
			d.faults.Add(&stack.Error{Pos: e.Pos, Cause: true, Remedy: remedy,
				Msg: fmt.Sprintf("unknown key %q in %s", faults.Shorten(e.Name), t.spec.What)})
			unknown = true
			if t.spec.Name == "stack" && (e.Value.Kind == tree.Table || e.Value.Kind == tree.Array) {
				d.faults.Doubts = true // a whole table is missing
			}
			continue
		}
		if others := t.given(k.Excludes...); len(others) > 0 {
			d.fail(e.Value.Pos, "remove one of them", "%s has both %s and %s", t.spec.What, e.Name,
				faults.JoinWords(others))
		}
	}
	for _, k := range t.spec.Keys {
		if k.Required && n.Find(k.Name) == nil && (k.Unless == "" || n.Find(k.Unless) == nil) {
			d.fail(n.Pos, "add "+exampleLine(k), "%s needs the key %q", t.spec.What, k.Name)
			d.nameless = d.nameless || unknown && k.Name == "name"
		}
	}
	if unknown {
		d.doubt(n)
	}
	return t, true
}

// doubt marks a table with an unknown key, its values, and tables and arrays in them: something may be missing because
// of the key, so faults there are not reported until it is known. Faults of values in tables within are.
func (d *decoder) doubt(n *tree.Node) {
	d.faults.Doubt(n.Pos)
	for _, e := range n.Entries {
		d.faults.Doubt(e.Value.Pos)
		d.doubtWithin(e.Value)
	}
}

func (d *decoder) doubtWithin(n *tree.Node) {
	if n.Kind != tree.Table && n.Kind != tree.Array {
		return
	}
	d.faults.Doubt(n.Pos)
	for _, e := range n.Entries {
		d.doubtWithin(e.Value)
	}
	for _, item := range n.Items {
		d.doubtWithin(item)
	}
}

// noName reports a name that nothing has, unless the name may be missing because of an unknown key.
func (d *decoder) noName(pos stack.Pos, remedy, what, name string) {
	if !d.nameless {
		d.fail(pos, remedy, "no %s is called %q", what, faults.Shorten(name))
	}
}

func keyNames(s *keys.Spec) []string { return each(s.Keys, func(k keys.Key) string { return k.Name }) }

func firstKeys(s *keys.Spec) []string {
	names := keyNames(s)
	return names[:min(3, len(names))]
}

// exampleLine shows how a missing key might be written.
func exampleLine(k keys.Key) string {
	q := k.Quantity.Example
	switch k.Type {
	case keys.Integer:
		return fmt.Sprintf("%s = %d", k.Name, k.Min)
	case keys.Scalar:
		if k.Quantity.Unit == "" {
			return fmt.Sprintf("%s = %s", k.Name, q)
		}
		return fmt.Sprintf("%s = %q", k.Name, q)
	case keys.Pair:
		return k.Name + ` = ["10 mm", "10 mm"]`
	case keys.Tables:
		return "a [[" + k.Name + "]] table"
	case keys.Text, keys.Name:
		return k.Name + ` = "..."`
	case keys.Texts:
		return k.Name + ` = ["..."]`
	}
	return k.Name
}

// onlyWith reports keys that do not apply to a kind of the table.
func (t *table) onlyWith(kind, what string) {
	for _, e := range t.node.Entries {
		k, known := t.spec.Key(e.Name)
		if known && len(k.With) > 0 && !slices.Contains(k.With, kind) {
			t.fail(e.Pos, "remove it", "%s has no effect on %s", e.Name, what)
		}
	}
}

// has reports whether the file gives the key.
func (t *table) has(name string) bool { return t.node.Find(name) != nil }

// pos of the key's value, or of the table if the key is missing.
func (t *table) pos(name string) stack.Pos {
	if e := t.node.Find(name); e != nil {
		return e.Value.Pos
	}
	return t.node.Pos
}

// get returns the value's node and the key's description; the node is nil if the file does not give the key.
func (t *table) get(name string) (*tree.Node, *keys.Key) {
	k, ok := t.spec.Key(name)
	if !ok {
		t.fail(t.node.Pos, "please report this", "internal fault: %s has no key %q", t.spec.What, name)
		return nil, &keys.Key{Name: name}
	}
	if e := t.node.Find(name); e != nil {
		return e.Value, k
	}
	return nil, k
}

// text of a string key, its default if missing.
func (t *table) text(name string) string {
	n, k := t.get(name)
	if n == nil {
		return k.Default
	}
	if n.Kind != tree.String {
		t.fail(n.Pos, "write it in quotes", "%s must be a string, got %s", name, n.Describe())
		return ""
	}
	switch k.Type {
	case keys.Enum, keys.Method:
		word := n.Text
		if k.Type == keys.Method {
			word, _, _ = strings.Cut(word, ":")
		}
		if !slices.Contains(k.Enum, word) {
			t.fail(n.Pos, faults.DidYouMean(word, k.Enum), "%s cannot be %q", name, faults.Shorten(n.Text))
			return ""
		}
	case keys.Name:
		if fault := faults.Name(n.Text); fault != "" {
			t.fail(n.Pos, "choose a name that can be part of a file name", "%s %q %s", name, faults.Shorten(n.Text),
				fault)
			return n.Text
		}
	}
	if n.Text == "" && k.Required {
		t.fail(n.Pos, "", "%s is empty", name)
	}
	t.checkText(n, name)
	return n.Text
}

// checkText reports text that cannot be shown in tables, pictures and terminals. Notes and sources may have several
// lines.
func (t *table) checkText(n *tree.Node, name string) {
	text, most := n.Text, faults.MostNameBytes
	if name == "floorplan" {
		most = faults.MostPathBytes
	}
	if name == "notes" || name == "source" {
		text, most = strings.NewReplacer("\n", " ", "\t", " ").Replace(text), faults.MostNoteBytes
	}
	if fault := faults.Text(text, most); fault != "" {
		t.fail(n.Pos, "", "%s %q %s", name, faults.Shorten(n.Text), fault)
	}
}

// boolean of a key, false if missing.
func (t *table) boolean(name string) bool {
	n, _ := t.get(name)
	if n == nil {
		return false
	}
	if n.Kind != tree.Bool {
		t.fail(n.Pos, "", "%s must be true or false, got %s", name, n.Describe())
	}
	return n.Text == "true"
}

// integer of a key within its limits; its default, else 0, if missing.
func (t *table) integer(name string) int {
	n, k := t.get(name)
	if n == nil {
		i, err := strconv.Atoi(k.Default)
		if err != nil {
			return 0
		}
		return i
	}
	i, err := int64(0), error(nil)
	switch {
	case n.Kind == tree.Integer:
		i, err = strconv.ParseInt(strings.ReplaceAll(n.Text, "_", ""), 0, 64)
	case n.Kind == tree.String && t.constants != nil:
		whole, ok := t.wholeNumber(n, name)
		if !ok {
			return 0
		}
		i = int64(whole)
	default:
		t.fail(n.Pos, "", "%s must be a whole number, got %s", name, n.Describe())
		return 0
	}
	if fault := k.Fault(float64(i)); err != nil || fault != "" {
		t.fail(n.Pos, "", "%s %s, got %s", name, fault, n.Describe())
		return 0
	}
	return int(i)
}

// scalar of a key in SI units; its default, else 0, if missing.
func (t *table) scalar(name string) float64 {
	n, k := t.get(name)
	if n == nil {
		if k.Default == "" {
			return 0
		}
		x, err := k.Quantity.Parse(k.Default)
		if err != nil {
			t.fail(t.node.Pos, "please report this", "internal fault: default of %s: %v", name, err)
		}
		return x
	}
	x, _ := t.quantity(n, name, k)
	return x
}

// quantity reads a node as a quantity of a key; ok is false after reporting a fault.
func (d *decoder) quantity(n *tree.Node, name string, k *keys.Key) (x float64, ok bool) {
	q := k.Quantity
	switch n.Kind {
	case tree.String:
		if x, ok = d.measure(n, name, q); !ok {
			return 0, false
		}
	case tree.Integer, tree.Float:
		v, err := parseNumber(n)
		if err != nil {
			d.fail(n.Pos, "", "%s must be a finite number, got %s", name, n.Describe())
			return 0, false
		}
		if err := q.Bare(v); err != nil {
			d.fail(n.Pos, "", "%s: %v", name, err)
			return 0, false
		}
		x = v
	default:
		d.fail(n.Pos, "", "%s: expected %s such as %q, got %s", name, q.Name, q.Example, n.Describe())
		return 0, false
	}
	if fault := k.Fault(x); fault != "" {
		d.fail(n.Pos, "", "%s %s, got %s", name, fault, n.Describe())
		return 0, false
	}
	if q == units.Time && faults.Time(x) != "" {
		d.fail(n.Pos, "is the unit right?", "%s: %s", name, faults.Time(x))
		return 0, false
	}
	return x, true
}

// parseNumber reads a TOML integer or float.
func parseNumber(n *tree.Node) (float64, error) {
	text := strings.ReplaceAll(n.Text, "_", "")
	if n.Kind == tree.Integer {
		if i, err := strconv.ParseInt(text, 0, 64); err == nil {
			return float64(i), nil
		}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsInf(x, 0) || math.IsNaN(x)) {
		err = strconv.ErrRange
	}
	return x, err
}

// ParseTime reads a time as stack files write it, such as "5 ms". A bare number is in s.
func ParseTime(text string) (float64, error) {
	t, err := units.Time.Parse(text)
	if fault := faults.Time(t); err == nil && fault != "" {
		return 0, errors.New(fault)
	}
	return t, err
}

// ParseTemperature reads a temperature such as "85 degC". A bare number is in K, and refused below 250, where it could
// be degC.
func ParseTemperature(text string) (float64, error) { return units.Temperature.Parse(text) }

// ParseTemperatureRise reads a difference of temperatures such as "0.1 mK". A bare number is in K.
func ParseTemperatureRise(text string) (float64, error) { return units.TemperatureRise.Parse(text) }

// ParsePower reads a power such as "1 uW". A bare number is in W.
func ParsePower(text string) (float64, error) { return units.Power.Parse(text) }

// ParseLength reads a length such as "10 um". A bare number is in m.
func ParseLength(text string) (float64, error) { return units.Length.Parse(text) }

// ParseHeatTransfer reads a heat-transfer coefficient such as "25 W/(m^2 K)". A bare number is in W/(m2 K).
func ParseHeatTransfer(text string) (float64, error) { return units.HeatTransfer.Parse(text) }

// ConvertQuantity expresses a quantity as text in a unit; ok is false if it has another dimension.
func ConvertQuantity(text, unit string) (x float64, ok bool) { return units.Convert(text, unit) }

// SplitQuantity separates a number from its unit, whatever that is.
func SplitQuantity(text string) (x float64, unit string, err error) { return units.Split(text) }

// suggest is DidYouMean for names of which a file may have thousands: it is empty for faults that will not be listed.
func (d *decoder) suggest(name string, candidates func() []string) string {
	if len(d.faults.Found) >= faults.Most {
		return ""
	}
	return faults.DidYouMean(name, candidates())
}

// these are candidates that are at hand.
func these(names []string) func() []string { return func() []string { return names } }
