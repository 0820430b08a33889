package gds

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/internal/inputfile"
	"thermsim/internal/printable"
	"thermsim/interop/importer"
	"thermsim/stack"
)

// stackup is an XML stackup, as gds2palace uses it for processes of IHP, schema 1 to 3.1. Values are numbers, or
// expressions of variables that begin with an equals sign.
type stackup struct {
	XMLName     struct{}   `xml:"Stackup"`
	Variables   []xmlEntry `xml:"Variables>Variable"`
	Materials   []xmlEntry `xml:"Materials>Material"`
	Tables      []xmlEntry `xml:"Tables>Table"`
	Dielectrics []xmlEntry `xml:"ELayers>Dielectrics>Dielectric"`
	Substrate   xmlEntry   `xml:"ELayers>Layers>Substrate"`
	Layers      []xmlEntry `xml:"ELayers>Layers>Layer"`
	Derived     []xmlEntry `xml:"ELayers>DerivedLayers>DerivedLayer"`

	depth     int               // of variables in expressions
	materials map[string]string // in the stack file
}

// xmlEntry has the attributes of all elements.
type xmlEntry struct {
	Name         string  `xml:",attr"`
	Value        string  `xml:",attr"`
	Type         string  `xml:",attr"`
	Material     string  `xml:",attr"`
	Thickness    string  `xml:",attr"`
	Zmin         string  `xml:",attr"`
	Zmax         string  `xml:",attr"`
	Layer        string  `xml:",attr"`
	Reference    string  `xml:",attr"`
	Offset       string  `xml:",attr"`
	Conductivity string  `xml:"ThermalConductivity,attr"`
	Table        string  `xml:"ThermalConductivityTable,attr"`
	Temperature  float64 `xml:",attr"`
	Points       []struct {
		Temperature float64 `xml:",attr"`
		Value       float64 `xml:",attr"`
	} `xml:"Point"`
}

func named(list []xmlEntry, name string) *xmlEntry {
	if i := slices.IndexFunc(list, func(e xmlEntry) bool { return strings.EqualFold(e.Name, name) }); i >= 0 {
		return &list[i]
	}
	return nil
}

// xml reads a stackup.
func (t *table) xml(data []byte) error {
	s := &stackup{materials: map[string]string{}}
	if err := xml.Unmarshal(data, s); err != nil {
		return fmt.Errorf("not an XML stackup: %w", err)
	}
	if max(len(s.Dielectrics), len(s.Layers), len(s.Variables)) > mostRows {
		return fmt.Errorf("more than %d entries", mostRows)
	}
	offset, err := s.number(cmp.Or(s.Substrate.Offset, "0"))
	if err != nil {
		return err
	}
	top := 0.0
	for _, d := range slices.Backward(s.Dielectrics) {
		if d.Zmin == "" || d.Zmax == "" {
			d.Zmin, d.Zmax = fmt.Sprint(top), fmt.Sprintf("=%g+%s", top, strings.TrimPrefix(d.Thickness, "="))
		}
		one, err := t.entry(s, &d)
		if err != nil {
			return err
		}
		if top = one.z1; one.material == "air" {
			t.note(importer.NotCarried, "dielectric %q: air belongs to the boundaries of the stack", d.Name)
			continue
		}
		t.background = append(t.background, one)
	}
	for _, d := range s.Layers {
		one, err := t.entry(s, &d)
		if err != nil {
			return err
		}
		one.z0, one.z1 = one.z0+offset, one.z1+offset
		if one.keys, err = parseKeys(d.Layer); err != nil {
			return err
		}
		switch {
		case one.z0 == one.z1:
			t.note(importer.NotCarried, "layer %q is a sheet without thickness", d.Name)
		case slices.ContainsFunc(s.Derived, func(x xmlEntry) bool { return x.Layer == d.Layer }):
			t.note(importer.NotCarried, "layer %q is derived from others", d.Name)
		default:
			t.layers = append(t.layers, one)
		}
	}
	return nil
}

// entry is a dielectric or a layer.
func (t *table) entry(s *stackup, d *xmlEntry) (one layer, err error) {
	if d.Reference != "" {
		return one, fmt.Errorf("%q: positions by Reference are not read. Fix: save the stackup with schema 2.0", d.Name)
	}
	a, err := s.number(d.Zmin)
	if err != nil {
		return one, err
	}
	b, err := s.number(d.Zmax)
	one = layer{name: clean(d.Name), z0: min(a, b), z1: max(a, b), rule: stack.Pattern}
	if err == nil && !(one.z0 > -1e5 && one.z1 < 1e5) {
		err = fmt.Errorf("%q: heights of %g and %g um; expected less than 1e5", d.Name, a, b)
	}
	if strings.EqualFold(d.Type, "via") {
		one.rule = stack.Cylinders
	}
	if known, ok := s.materials[d.Material]; ok || err != nil {
		one.material = known
		return one, err
	}
	one.material, err = t.material(s, d)
	s.materials[d.Material] = one.material
	return one, err
}

// number reads a number, or an equals sign and a sum or difference of numbers and variables.
func (s *stackup) number(text string) (sum float64, err error) {
	expression, ok := strings.CutPrefix(strings.TrimSpace(text), "=")
	if !ok {
		if sum, err = inputfile.Number(expression); err != nil {
			err = fmt.Errorf("got %q; expected a number, or = and a sum of numbers and variables", stack.Shorten(text))
		}
		return sum, err
	}
	if s.depth++; s.depth > 100 {
		return 0, fmt.Errorf("%q is too deep a sum of variables", stack.Shorten(text))
	}
	for _, term := range strings.Split(strings.ReplaceAll(expression, "-", "+-"), "+") {
		term, negative := strings.CutPrefix(strings.TrimSpace(term), "-")
		if term = strings.TrimSpace(term); term == "" && !negative {
			continue
		}
		if v := named(s.Variables, term); v != nil {
			term = v.Value
		}
		x, err := s.number(term)
		if err != nil {
			return 0, err
		}
		if negative {
			x = -x
		}
		sum += x
	}
	s.depth--
	return sum, nil
}

// material is the name in the stack file of the material of a dielectric or layer: one that the table defines, or one
// of thermsim's where the stackup has no thermal conductivity.
func (t *table) material(s *stackup, d *xmlEntry) (string, error) {
	m := named(s.Materials, d.Material)
	if m == nil {
		return "", fmt.Errorf("%q: no material %q", stack.Shorten(d.Name), stack.Shorten(d.Material))
	}
	conductor := strings.EqualFold(m.Type, "conductor")
	assumed, c := "sio2", 1.65e6 // of silicon and its oxide
	switch {
	case strings.EqualFold(m.Name, "air"):
		return "air", nil
	case conductor && strings.EqualFold(d.Type, "via"):
		assumed, c = "tungsten", 2.55e6
	case conductor:
		assumed, c = "aluminium", 2.44e6
	case strings.EqualFold(m.Type, "semiconductor"):
		assumed = "silicon"
	}
	k, source := 0.0, "ThermalConductivity of the stackup"
	if m.Conductivity != "" {
		var err error
		if k, err = s.number(m.Conductivity); err != nil {
			return "", err
		}
	}
	name := m.Table
	if v := named(s.Variables, strings.TrimPrefix(name, "=")); v != nil {
		name = v.Value
	}
	if table := named(s.Tables, name); table != nil && name != "" {
		far := math.Inf(1)
		for _, p := range table.Points {
			if away := math.Abs(p.Temperature - 300); away < far {
				k, far, source = p.Value, away, fmt.Sprintf("table %s of the stackup at %g K", name, p.Temperature)
			}
		}
	}
	if k == 0 {
		t.note(importer.Adapted, "material %q has no thermal conductivity; taken as %s", m.Name, assumed)
		return assumed, nil
	}
	if !(k >= 1e-3 && k <= 1e4) {
		return "", fmt.Errorf("material %q: thermal conductivity of %g; expected 1e-3 to 1e4 W/(m K)",
			stack.Shorten(m.Name), k)
	}
	t.materials = append(t.materials, material{clean(m.Name), source, k, c})
	return clean(m.Name), nil
}

// clean is a name fit for files and keys.
func clean(name string) string { return printable.Word(name, "-") }
