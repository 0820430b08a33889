package stackfile

import (
	"cmp"
	"fmt"
	"path/filepath"

	"thermsim/stack"
	"thermsim/stack/internal/faults"
	"thermsim/stack/internal/keys"
	"thermsim/stack/internal/tree"
	"thermsim/stack/internal/units"
)

// SweepFile is the content of a sweep file: the runs of a stack, and the outputs to report.
type SweepFile struct {
	Stack   string // path of the stack file
	Set     []Override
	Method  string // grid, list or latin-hypercube
	Samples int
	Seed    uint64
	Points  string // path of a CSV file of runs; empty where Vary makes them
	Outputs []string
	Vary    []Vary
	SHA256  string // of the file
}

// Vary is a parameter of a sweep.
type Vary struct {
	Keys   []string
	Label  string
	Values []string // as --set takes them; nil between From and To
	From   float64
	To     float64
	Unit   string // behind the numbers; may be empty
	Count  int
	Log    bool
	Spread *Spread // instead of values; nil without
	Pos    stack.Pos
}

// LoadSweep reads a sweep file. The error is an [stack.ErrorList] or an *[stack.Error], as of [Load].
func LoadSweep(path string) (*SweepFile, error) {
	data, err := readAsked(path, "sweep file", "")
	if err != nil {
		return nil, err
	}
	return ParseSweep(path, data)
}

// ParseSweep reads a sweep file from its text.
func ParseSweep(path string, data []byte) (*SweepFile, error) {
	f := &SweepFile{SHA256: digest(data)}
	if err := parse(path, data, keys.Sweep(), "sweep", f.decode); err != nil {
		return nil, err
	}
	return f, nil
}

// parse reads a file of a format, whose top is the named table.
func parse(path string, data []byte, format *keys.Format, top string, decode func(t *table)) error {
	root, fault := tree.Parse(path, data)
	if fault != nil {
		return stack.ErrorList{fault}
	}
	d := &decoder{format: format}
	if t, ok := d.open(root, top); ok {
		decode(t)
	}
	return d.faults.Err(path)
}

func (f *SweepFile) decode(t *table) {
	f.Stack, f.Points = t.path("stack"), t.path("points")
	f.Method, f.Samples, f.Seed = t.text("method"), t.integer("samples"), uint64(t.integer("seed"))
	f.Outputs, _ = t.texts("outputs")
	f.Set = t.overrides("set")
	for _, vt := range t.tables("vary") {
		f.Vary = append(f.Vary, f.vary(vt))
	}
	hypercube := f.Method == "latin-hypercube"
	switch {
	case t.has("samples") != hypercube:
		t.fail(t.pos("samples"), "", "samples belongs to method = \"latin-hypercube\", which needs it")
	case f.Method == "list" && len(f.Vary) > 0:
		for _, v := range f.Vary[1:] {
			if v.Count != f.Vary[0].Count {
				t.fail(v.Pos, "give all parameters the same number of values", "%s has %d values, %s has %d", v.Label,
					v.Count,
					f.Vary[0].Label, f.Vary[0].Count)
			}
		}
	}
}

// path reads a path relative to the file.
func (t *table) path(name string) string {
	path := t.text(name)
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(t.node.Pos.File), path)
}

// overrides reads values in the form of --set.
func (t *table) overrides(name string) (all []Override) {
	sets, nodes := t.texts(name)
	for i, text := range sets {
		o, err := ParseOverride(text)
		if err != nil {
			t.fail(nodes[i].Pos, "", "%s: %q: %v", name, faults.Shorten(text), err)
		}
		all = append(all, o)
	}
	return all
}

// vary reads one parameter.
func (f *SweepFile) vary(t *table) Vary {
	v := Vary{Label: t.text("label"), Log: t.text("scale") == "log", Count: t.integer("count"), Pos: t.node.Pos}
	more, _ := t.texts("keys")
	v.Keys = append([]string{t.text("key")}, more...)
	if v.Label == "" {
		v.Label = v.Keys[0]
	}
	for _, key := range v.Keys {
		if _, err := NewOverride(key, "1"); err != nil {
			t.fail(t.pos("key"), "", "key %q: %v", faults.Shorten(key), err)
		}
	}
	if t.has("values") {
		v.Values = t.values("values")
		v.Count = len(v.Values)
		return v
	}
	if t.has("spread") {
		var err error
		if v.Spread, err = ParseSpread(t.text("spread")); err != nil {
			t.fail(t.pos("spread"), "", "spread: %v", err)
		}
		if f.Method != "latin-hypercube" {
			v.Count = 1
		}
		return v
	}
	if !t.has("from") || !t.has("to") {
		t.fail(t.node.Pos, `add values = ["1 mm", "2 mm"], from, to and count, or a spread`, "%s has no values", v.Label)
		return v
	}
	switch hypercube := f.Method == "latin-hypercube"; {
	case hypercube && t.has("count"):
		t.fail(t.pos("count"), "remove it", "a Latin hypercube uses samples instead of count")
	case !hypercube && !t.has("count"):
		t.fail(t.node.Pos, "add count = 5", "from and to need count")
	}
	var unit string
	v.From, v.Unit = t.measured("from")
	v.To, unit = t.measured("to")
	switch {
	case unit != v.Unit:
		t.fail(t.pos("to"), fmt.Sprintf("write both in %s", cmp.Or(v.Unit, "bare numbers")),
			"from and to must have the same unit")
	case v.Log && !(v.From > 0 && v.To > 0):
		t.fail(t.pos("from"), `write scale = "linear"`, "a logarithmic scale needs numbers above 0")
	}
	return v
}

// values reads an array of numbers and strings as text.
func (t *table) values(name string) (list []string) {
	n, k := t.get(name)
	if !t.list(n, k, `["1 mm", "2 mm"]`) {
		return nil
	}
	for _, item := range n.Items {
		switch item.Kind {
		case tree.Table, tree.Array, tree.Date:
			t.fail(item.Pos, "", "%s must hold numbers and strings, got %s", name, item.Describe())
		}
		list = append(list, item.Text)
	}
	return list
}

// measured reads a number and the unit behind it, whatever it is.
func (t *table) measured(name string) (x float64, unit string) {
	n, _ := t.get(name)
	switch n.Kind {
	case tree.Integer, tree.Float, tree.String:
	default:
		t.fail(n.Pos, "", "%s must be a number with or without a unit, got %s", name, n.Describe())
		return 0, ""
	}
	x, unit, err := units.Split(n.Text)
	if err != nil {
		t.fail(n.Pos, "", "%s must be a number with or without a unit, got %s", name, n.Describe())
	}
	return x, unit
}
