package ecxml

import (
	"bytes"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// field is the steady field of a stack, cell by cell.
func field(t *testing.T, s *stack.Stack) []float64 {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Steady(t.Context(), m, gpusolve.Options{Device: "cpu", Tol: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	var all []float64
	plane := make([]float64, m.NX()*m.NY())
	for k := range m.NZ() {
		if err := sol.Field.Plane(k, plane); err != nil {
			t.Fatal(err)
		}
		all = append(all, plane...)
	}
	return all
}

// apart is the largest difference of two fields.
func apart(t *testing.T, a, b []float64) float64 {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%d cells, and %d", len(a), len(b))
	}
	worst := 0.0
	for i := range a {
		worst = max(worst, math.Abs(a[i]-b[i]))
	}
	return worst
}

// all has what a stack can hold and ECXML can carry: heated slices on either side, circles, several rectangles of a
// block, a power map, curves of three kinds, fills, contact resistances, patches and a graded grid.
const all = `
schema = 1
title = "all <&> ?> of it"
ambient = "30 degC"
size = ["8 mm", "6 mm"]
grid = { x = [{ to = "3 mm", cells = 6 }, { to = "8 mm", cells = 7, ratio = 2 }], ny = 10 }
[materials.si]
k = { value = "148 W/(m K)", at = "300 K", exponent = 1.3, range = ["200 K", "600 K"] }
c = "1.6e6 J/(m^3 K)"
[materials.alloy]
k = { polynomial = [80, -0.05], at = "300 K", range = ["200 K", "600 K"] }
c = "3e6 J/(m^3 K)"
[materials.glue]
k = ["2 W/(m K)", "3 W/(m K)", "4 W/(m K)"]
c = "2e6 J/(m^3 K)"
[boundary.top]
h = "3000 W/(m^2 K)"
patch = [{ name = "spot", x = "1 mm", y = "1 mm", width = "2 mm", height = "2 mm", h = "9000 W/(m^2 K)" }]
[boundary.bottom]
convection = "natural"
emissivity = 0.8
[[layer]]
name = "lower"
material = "si"
thickness = "200 um"
cells = 2
power_at = "top"
power_depth = "10 um"
contact_resistance = "5e-6 m^2 K/W"
power = [{ block = [
  { name = "cpu", rects = [["1 mm", "1 mm", "1 mm", "2 mm"], ["4 mm", "3 mm", "2 mm", "1 mm"]], power = "3 W" },
  { name = "disc", circle = { x = "6.5 mm", y = "5 mm", diameter = "1.5 mm" }, power = "1 W" } ] }]
[[layer]]
name = "glue"
material = "glue"
thickness = "50 um"
region = [
  { name = "pad", material = "alloy", circle = { x = "3 mm", y = "3 mm", diameter = "2 mm" } },
  { name = "via", material = "glue", x = "5 mm", y = "1 mm", width = "2 mm", height = "2 mm",
    fill = { inclusion = "copper", rule = "cylinders", fraction = 0.2 } } ]
[[layer]]
name = "upper"
material = "alloy"
thickness = "300 um"
cells = 3
power_at = "bottom"
power = [{ uniform = "2 W", area = ["2 mm", "1 mm", "4 mm", "4 mm"] }]
[[probe]]
name = "middle"
x = "4 mm"
y = "3 mm"
layer = "glue"
`

// Written and read again, stacks have the same temperatures in every cell.
func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"", "quickstart", "tsv-array", "cold-plate"} {
		var s *stack.Stack
		var err error
		switch name {
		case "":
			s, err = stackfile.Parse("all.toml", []byte(all), os.ReadFile)
		default:
			s, err = stackfile.Load("../../examples/" + name + "/stack.toml")
			if err == nil {
				s.Grid = stack.Grid{X: stack.Axis{Cells: 20}, Y: stack.Axis{Cells: 20}}
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		var model bytes.Buffer
		if _, err := Write(&model, s); err != nil {
			t.Fatal(err)
		}
		r := mustImport(t, model.Bytes())
		if d := apart(t, field(t, s), field(t, r.Stack)); d > 1e-6 {
			t.Errorf("%q: %g K apart", s.Title, d)
		}
		for i, p := range s.Probes {
			q := r.Stack.Probes[i]
			if q.Name != p.Name || math.Hypot(q.X-p.X, q.Y-p.Y) > 1e-12 || math.Abs(q.Z-p.Z) > 1e-12 {
				t.Errorf("probe %+v became %+v", p, q)
			}
		}
	}
}

// Without the instruction, as other programs write the model, the geometry and the powers are the same.
func TestForeignInstruction(t *testing.T) {
	s, err := stackfile.Load("../../examples/quickstart/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	var model bytes.Buffer
	if _, err := Write(&model, s); err != nil {
		t.Fatal(err)
	}
	text := model.String()
	from, to := strings.Index(text, "<?thermsim"), strings.Index(text, "?>\n</neutral")
	for _, other := range []string{text[:from] + text[to+3:], text[:from] + "<?thermsim nonsense" + text[to:],
		strings.Replace(text, "<?thermsim\n", "<?thermsim\ninclude = \"/etc/passwd\"\n", 1),
		strings.Replace(text, `thickness = `, `thickness = "1 mm" # `, 1)} {
		r := mustImport(t, []byte(other)).Stack
		if math.Abs(r.Watts()-s.Watts()) > 1e-9 || math.Abs(r.Height()-s.Height()) > 1e-12 || r.Grid.Auto == nil ||
			r.Boundary[stack.Top].Natural == "" {
			t.Errorf("%g W, %g m, %+v, %+v", r.Watts(), r.Height(), r.Grid, r.Boundary[stack.Top])
		}
	}
}

// A package described by [package] and by hand in ECXML is the same to rounding on the same grid.
func TestPackage(t *testing.T) {
	p, err := stackfile.Parse("p.toml", []byte("schema = 1\nambient = \"25 degC\"\n[package]\nkind = \"wire-bond\"\n"+
		"size = [\"10 mm\", \"10 mm\"]\nenvironment = \"jesd51-2a\"\n"+
		"die = [{ name = \"die\", size = [\"4 mm\", \"4 mm\"], power = [{ uniform = \"0.5 W\" }] }]\n"), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/package.ecxml")
	if err != nil {
		t.Fatal(err)
	}
	s := mustImport(t, data).Stack
	across := func(from, to, size float64) stack.Axis {
		return stack.Axis{Cells: 36, Segments: []stack.Segment{{To: from, Cells: 8, Ratio: 0.2},
			{To: to, Cells: 20, Ratio: 1}, {To: size, Cells: 8, Ratio: 5}}}
	}
	p.Grid = stack.Grid{X: across(45.75e-3, 55.75e-3, p.Size[0]), Y: across(58.75e-3, 68.75e-3, p.Size[1])}
	s.Grid = p.Grid
	var cells []int // of the package, its heated slice apart
	for i := range p.Layers {
		if cells = append(cells, p.Layers[i].Cells); p.Layers[i].Sliced() {
			cells = append(cells, 1)
		}
	}
	if len(s.Layers) != len(cells) {
		t.Fatalf("%d layers", len(s.Layers))
	}
	for i, n := range cells {
		s.Layers[i].Cells = n
	}
	if d := apart(t, field(t, p), field(t, s)); d > 1e-5 {
		t.Errorf("%g K apart", d)
	}
}

// A two-resistor model between an insulated and an isothermal face has its resistance to that face, in any direction.
func TestTwoResistor(t *testing.T) {
	size := [3]float64{10e-3, 8e-3, 1.2e-3}
	m := TwoResistor{Name: "q", Size: size, Watts: 2, Ambient: 300, ToCase: 10, ToBoard: 14}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	for plane, cold := range map[string][2]stack.Face{
		"+xy": {stack.Top, stack.Bottom}, "-xy": {stack.Bottom, stack.Top},
		"+yz": {stack.East, stack.West}, "-xz": {stack.South, stack.North},
	} {
		s := mustImport(t, bytes.Replace(b.Bytes(), []byte("+xy"), []byte(plane), 1)).Stack
		s.Grid = stack.Grid{X: stack.Axis{Cells: 12}, Y: stack.Axis{Cells: 12}}
		for i, want := range []float64{10, 14} {
			s.Boundary = [stack.NumFaces]stack.Boundary{}
			s.Boundary[cold[i]] = stack.Boundary{Kind: stack.FixedTemperature, Temperature: 300}
			if got := (slices.Max(field(t, s)) - 300) / 2; math.Abs(got-want) > 0.01*want {
				t.Errorf("%s, %s: %g K/W, expected %g", plane, cold[i], got, want)
			}
		}
	}
}

// What cannot be written is an error or a note.
func TestWriteLimits(t *testing.T) {
	s, err := stackfile.Load("../../examples/microchannels/stack.toml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(io.Discard, s); err == nil || !strings.Contains(err.Error(), "coolant") {
		t.Errorf("coolant: %v", err)
	}
	if s, err = stackfile.Load("../../examples/leaky-tiers/stack.toml"); err != nil {
		t.Fatal(err)
	}
	if notes, err := Write(io.Discard, s); err != nil || !strings.Contains(strings.Join(notes, "\n"), "leakage") {
		t.Errorf("leakage: %v, %v", notes, err)
	}
}
