package assembly

import (
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/gpusolve"
	"thermsim/interop/importer"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// files are inputs by their paths.
type files map[string]string

func (f files) open(path string) ([]byte, error) {
	text, ok := f[filepath.ToSlash(filepath.Clean(path))]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// imported reads an assembly with the parts file parts.toml, if there is one.
func imported(main string, f files) (*importer.Result, error) {
	format, named := ThreeDblox, map[string]string{}
	if filepath.Ext(main) == ".chiplet" {
		format = Chiplet
	}
	if f["parts.toml"] != "" {
		named["parts"] = "parts.toml"
	}
	return format.Import(importer.Request{Files: []string{main}, Named: named, Open: f.open})
}

func mustImport(t *testing.T, main string, f files) *stack.Stack {
	t.Helper()
	r, err := imported(main, f)
	if err != nil {
		t.Fatal(err)
	}
	return r.Stack
}

// field is the steady field of a stack, cell by cell.
func field(t *testing.T, s *stack.Stack) (all []float64) {
	t.Helper()
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	sol, err := gpusolve.Steady(t.Context(), m, gpusolve.Options{Device: "cpu", Tol: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	defer sol.Close()
	plane := make([]float64, m.NX()*m.NY())
	for k := range m.NZ() {
		if err := sol.Field.Plane(k, plane); err != nil {
			t.Fatal(err)
		}
		all = append(all, plane...)
	}
	return all
}

// equal compares the temperatures of an assembly in kelvins with those of a stack file.
func equal(t *testing.T, s *stack.Stack, byHand string) {
	t.Helper()
	hand, err := stackfile.Parse("hand.toml", []byte(byHand), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, byHand)
	}
	a, b := field(t, s), field(t, hand)
	if len(a) != len(b) {
		t.Fatalf("%d cells, and %d by hand", len(a), len(b))
	}
	worst, rise := 0.0, 0.0
	for i := range a {
		worst, rise = max(worst, math.Abs(a[i]-b[i])), max(rise, b[i]-hand.Ambient)
	}
	if worst > 1e-9 || rise < 1 {
		t.Errorf("%g K apart at a rise of %g K", worst, rise)
	}
	if testing.Verbose() {
		t.Logf("%d cells, %.3g K apart at a rise of %.3g K", len(a), worst, rise)
	}
}

// chip is a die with a seal ring, a wiring, and two of 16 tiles powered; its front or back lies on a base.
var chip = files{
	"a.3dbv": `
Header: {unit: micron}
ChipletDef:
  base:
    type: interposer
  die:
    type: die
    design_area: [3000, 2000]
    seal_ring_width: [500, 100, 100, 200]
    scribe_line_remaining_width: [0, 100, 0, 100]
    thickness: 100
    external: {DEF_file: d.def, LEF_file: [c.lef]}
    regions:
      front: {side: front, coords: [[0, 0], [3600, 0], [3600, 2500], [0, 2500]]}
      back: {side: back, coords: [[0, 0], [3600, 0], [3600, 2500], [0, 2500]]}
`,
	"d.def": `DESIGN d ; UNITS DISTANCE MICRONS 1000 ; DIEAREA ( 0 0 ) ( 3000000 2000000 ) ;
COMPONENTS 2 ; - a BIG + PLACED ( 750000 0 ) N ; - b BIG + PLACED ( 2250000 1500000 ) N ; END COMPONENTS END DESIGN`,
	"c.lef": "MACRO BIG SIZE 750 BY 500 ; END BIG",
	"p.rpt": `   Internal  Switching    Leakage      Total
      Power      Power      Power      Power (Watts)
  5.0e-01  4.0e-01  1.0e-01  1.0e+00 a
  0.0e+00  5.0e-01  0.0e+00  5.0e-01 b
`,
	"parts.toml": `
stack = "case.toml"
around = "mould_compound"
tiles = 4
[part.base]
material = "silicon_85c"
[part.u]
report = "p.rpt"
wiring = "logic_beol"
[bond.all]
material = "sio2"
bump = "copper"
fraction = 0.25
`,
	"case.toml": `
grid = { nx = 15, ny = 14 }
boundary.bottom = { h = "5000 W/(m^2 K)" }
`,
}

// turned are the images of a point by each orientation, written out.
var turned = map[string]func(x, y float64) (u, v float64){
	"R0":     func(x, y float64) (u, v float64) { return x, y },
	"R90":    func(x, y float64) (u, v float64) { return -y, x },
	"R180":   func(x, y float64) (u, v float64) { return -x, -y },
	"R270":   func(x, y float64) (u, v float64) { return y, -x },
	"MX":     func(x, y float64) (u, v float64) { return x, -y },
	"MY":     func(x, y float64) (u, v float64) { return -x, y },
	"MX_R90": func(x, y float64) (u, v float64) { return y, x },
	"MY_R90": func(x, y float64) (u, v float64) { return -y, -x },
}

// A die in each orientation, face up and face down, has the temperatures of its copy that is turned by hand.
func TestOrientations(t *testing.T) {
	for name, turn := range turned {
		// rect is a rectangle of the die, with the corner of the turned die at 1000, 1500.
		rect := func(x, y, w, h float64) string {
			image := func(x, y, w, h float64) (x0, y0, x1, y1 float64) {
				a, b := turn(x, y)
				c, d := turn(x+w, y+h)
				return min(a, c), min(b, d), max(a, c), max(b, d)
			}
			left, low, _, _ := image(0, 0, 3600, 2500)
			x0, y0, x1, y1 := image(x, y, w, h)
			return fmt.Sprintf(`["%g um", "%g um", "%g um", "%g um"]`, x0-left+1000, y0-low+1500, x1-x0, y1-y0)
		}
		region := func(material string) string {
			words := strings.Fields(strings.NewReplacer("[", "", "]", "", ",", "").Replace(rect(0, 0, 3600, 2500)))
			value := func(i int) string { return words[2*i] + " " + words[2*i+1] }
			return fmt.Sprintf("region = [{ name = \"r\", material = %q, x = %s, y = %s, width = %s, height = %s",
				material, value(0), value(1), value(2), value(3))
		}
		layer := func(name, thickness string, cells int, rest string) string {
			return fmt.Sprintf("[[layer]]\nname = %q\nmaterial = \"mould_compound\"\nthickness = %q\ncells = %d\n%s\n",
				name, thickness, cells, rest)
		}
		bulk := layer("bulk", "85 um", 2, region("silicon")+" }]")
		heated := layer("heated", "5 um", 1, region("silicon")+" }]\npower = [{ uniform = \"1 W\", area = "+
			rect(1250, 200, 750, 500)+" }, { uniform = \"0.5 W\", area = "+rect(2750, 1700, 750, 500)+" }]")
		wiring := layer("wiring", "10 um", 1, region("logic_beol")+" }]")
		hand := `
schema = 1
size = ["9 mm", "8 mm"]
grid = { nx = 15, ny = 14 }
boundary.bottom = { h = "5000 W/(m^2 K)" }
[[layer]]
name = "base"
material = "silicon_85c"
thickness = "200 um"
cells = 2
` + layer("bond", "20 um", 1, region("sio2")+
			`, fill = { inclusion = "copper", rule = "square", fraction = 0.25 } }]`)
		for _, down := range []bool{false, true} {
			f := files{}
			for path, text := range chip {
				f[path] = text
			}
			f["a.3dbv"] = strings.Replace(f["a.3dbv"], "type: interposer", `type: substrate
    design_area: [9000, 8000]
    thickness: 200
    regions: {top: {side: front, coords: [[0, 0], [9000, 0], [9000, 8000], [0, 8000]]}}`, 1)
			orient, face, order := name, "back", bulk+heated+wiring
			if down {
				orient, face, order = strings.TrimSuffix("MZ_"+name, "_R0"), "front", wiring+heated+bulk
			}
			f["a.3dbx"] = fmt.Sprintf(`
Header: {include: [a.3dbv]}
Design: {name: a}
ChipletInst: {b: {reference: base}, u: {reference: die}}
Stack:
  b: {loc: [-500, 20], z: -3, orient: R0}
  u: {loc: [500, 1520], z: 217, orient: %s}
Connection:
  c: {top: u.regions.%s, bot: b.regions.top, thickness: 20}
  g: {top: b.regions.top, bot: ~}
`, orient, face)
			t.Run(orient, func(t *testing.T) { equal(t, mustImport(t, "a.3dbx", f), hand+order) })
		}
	}
}

// Duplicates of orientations are those that OpenROAD takes as equal.
func TestEqualOrientations(t *testing.T) {
	for text, same := range map[string]string{"MY_R180": "MX", "MY_R270": "MX_R90", "MX_R180": "MY",
		"MX_R270":    "MY_R90",
		"MZ_MY_R180": "MZ_MX", "MZ_MX_R270": "MZ_MY_R90"} {
		a, ok1 := oriented(text)
		b, ok2 := oriented(same)
		if a != b || !ok1 || !ok2 {
			t.Errorf("%s is %+v, and %s is %+v", text, a, same, b)
		}
	}
	for _, text := range []string{"", "R45", "R0_", "MZMX", "r90"} {
		if _, ok := oriented(text); ok {
			t.Errorf("%q is an orientation", text)
		}
	}
}
