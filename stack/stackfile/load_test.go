package stackfile

import (
	"errors"
	"io/fs"
	"math"
	"path"
	"strings"
	"testing"

	"thermsim/stack"
)

// files is a set of inputs in memory.
type files map[string]string

func (f files) open(name string) ([]byte, error) {
	text, ok := f[path.Clean(strings.ReplaceAll(name, `\`, "/"))]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// mustParse reads the file "stack.toml" of the set.
func mustParse(t *testing.T, f files) *stack.Stack {
	t.Helper()
	s, err := Parse("stack.toml", []byte(f["stack.toml"]), f.open)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const full = `schema  = 1
title   = "memory on logic"
ambient = "300 K"
size    = ["10 mm", "8 mm"]
grid    = { nx = 512, y = [{ to = "2 mm", cells = 20, ratio = 2 }, { to = "8 mm", cells = 30 }] }
boundary.top = { h = "10000 W/(m^2 K)" }
boundary.bottom = { resistance = "2 K/W", ambient = "40 degC" }
boundary.west = "adiabatic"
boundary.east = { temperature = "350 K" }
boundary.north = { flux = "-1 W/cm^2" }
boundary.south = { h = 2, convection = "natural", orientation = "down", length = "12 mm", emissivity = 0.9, ambient = "20 degC" }

[materials.beol]
k = ["2.8 W/(m K)", "2.8 W/(m K)", "2.25 W/(m K)"]
c = "2.175e6 J/(m^3 K)"
source = "3D-ICE"

[materials.oxide]
k = "1.4 W/mK"
rho = "2.2 g/cm^3"
cp = "730 J/(kg K)"

[materials.pillars]
mix = { inclusion = "metal", matrix = "oxide", fraction = "25 %" }

[materials.metal]
k = 400
c = 3.4e6

[[layer]]                                # bottom to top
name = "logic"
material = "oxide"
thickness = "2 um"
cells = 2
contact_resistance = "1 mm^2 K/W"
power = { floorplan = "logic.flp", watts = "logic.ptrace", row = 2, origin = ["1 mm", 0] }

[[layer]]
name = "mould"
material = "beol"
thickness = "200 um"
power = [ { uniform = "1 W", leakage = { power = "0.2 W", beta = "0.015 1/K", at = "85 degC", range = ["0 degC", "150 degC"] } }, { map = "map.csv", unit = "W/cm^2", orientation = "north-first", schedule = [{t=0, factor=1}, {t="1 ms", factor=0.5}] } ]
  [[layer.region]]
  name = "die"
  material = "pillars"
  x = "1 mm"
  y = "2 mm"
  width = "3.5 mm"
  height = "6 mm"
  power = { density = "1 W/cm^2" }
    [[layer.region.block]]
    name = "core"
    x = 0
    y = 0
    width = "1 mm"
    height = "1 mm"
    power = "3 W"
    leakage = { density = "2 W/cm^2", table = [[300, 0.4], [358, 1], [420, 2.2]] }
  [[layer.block]]
  name = "ring"
  rects = [["5 mm", 0, "1 mm", "1 mm"], ["7 mm", 0, "1 mm", "3 mm"]]
  power = "250 mW"

[[probe]]
name = "middle"
x = "5 mm"
y = "4 mm"
layer = "mould"

[transient]
dt = "1 ms"
steps = 10

[solver]
preconditioner = "multigrid"
tol = "1e-3 K"

[output]
maps = ["all"]
`

var fullFiles = files{
	"stack.toml":   full,
	"logic.flp":    "# plan\na\t1e-3\t2e-3\t5e-3\t5e-3\nb 1e-3 2e-3 6e-3 5e-3 1.75e6 0.01\na b 0.5\r\n",
	"logic.ptrace": "b a\n1 2\n3 4\n",
	"map.csv":      "1, 2\n# comment\n3, 4\n",
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-14*math.Abs(b) }

func TestLoadFull(t *testing.T) {
	s := mustParse(t, fullFiles)
	if s.Ambient != 300 || s.Size != [2]float64{0.01, 0.008} {
		t.Errorf("ambient %v, size %v", s.Ambient, s.Size)
	}
	if s.Grid.X.Cells != 512 || s.Grid.Y.Cells != 50 ||
		s.Grid.Y.Segments[0] != (stack.Segment{To: 0.002, Cells: 20, Ratio: 2}) ||
		s.Grid.Y.Segments[1].Ratio != 1 {
		t.Errorf("grid %+v", s.Grid)
	}
	b := s.Boundary
	if b[stack.Top].Kind != stack.Convective || b[stack.Top].H != 1e4 || b[stack.Top].Temperature != 300 ||
		b[stack.Bottom].Kind != stack.LumpedResistance || b[stack.Bottom].Resistance != 2 ||
		b[stack.Bottom].Temperature != 313.15 ||
		b[stack.West].Kind != stack.Adiabatic || b[stack.South].Kind != stack.Convective ||
		b[stack.South].Natural != "down" ||
		b[stack.South].Emissivity != 0.9 ||
		b[stack.East].Kind != stack.FixedTemperature || b[stack.East].Temperature != 350 ||
		b[stack.North].Kind != stack.HeatFlux || b[stack.North].Flux != -1e4 {
		t.Errorf("boundaries %+v", b)
	}
	if len(s.Materials) != 3 || s.Materials[0].Name != "oxide" || s.Materials[1].Name != "beol" ||
		s.Materials[2].Name != "pillars" {
		t.Fatalf("materials %+v", s.Materials)
	}
	if m := s.Materials[0]; m.K != [3]float64{1.4, 1.4, 1.4} || m.C != 2200*730 {
		t.Errorf("oxide %+v", m)
	}
	// Rayleigh: k = km (ki + km + f (ki - km)) / (ki + km - f (ki - km)), worked out by hand for f = 1/4.
	if m := s.Materials[2]; !near(m.K[0], 1.4*(401.4+99.65)/(401.4-99.65)) || !near(m.K[2], 100+0.75*1.4) ||
		!near(m.C, 0.25*3.4e6+0.75*2200*730) {
		t.Errorf("pillars %+v", m)
	}
	logic := s.Layers[0]
	if logic.Thickness != 2e-6 || logic.Cells != 2 || logic.ContactResistance != 1e-6 || logic.Material != 0 {
		t.Errorf("logic %+v", logic)
	}
	p := logic.Powers[0]
	if len(p.Blocks) != 2 || p.Blocks[0].Watts != 4 || p.Blocks[1].Watts != 3 {
		t.Errorf("blocks %+v", p.Blocks)
	}
	if r := p.Blocks[1].Rects[0]; !near(r.X, 2e-3) || r.Y != 0 || r.Width != 1e-3 || r.Height != 2e-3 {
		t.Errorf("b at %+v, want the plan moved to 0 and then by the origin", r)
	}
	mould := s.Layers[1]
	if len(mould.Powers) != 5 || len(mould.Regions) != 1 {
		t.Fatalf("mould has %d powers and %d regions", len(mould.Powers), len(mould.Regions))
	}
	die := stack.Rect{X: 1e-3, Y: 2e-3, Width: 3.5e-3, Height: 6e-3}
	if mould.Regions[0].Rect != die || mould.Regions[0].Material != 2 {
		t.Errorf("region %+v", mould.Regions[0])
	}
	tile := 0.25 * 0.8 // cm2 of the quarter domain
	if m := mould.Powers[1].Map; m.NX != 2 || m.NY != 2 || !near(m.Values[0], 3*tile) || !near(m.Values[3], 2*tile) {
		t.Errorf("map %+v, want the last row of the file in the south", m)
	}
	if sc := mould.Powers[1].Schedule; len(sc) != 2 || sc[1] != (stack.ScalePoint{Time: 1e-3, Factor: 0.5}) {
		t.Errorf("schedule %+v", sc)
	}
	if ring := mould.Powers[2].Blocks[0]; len(ring.Rects) != 2 || ring.Watts != 0.25 || !near(ring.Area(), 4e-6) {
		t.Errorf("ring %+v", ring)
	}
	if d := mould.Powers[3]; !near(d.Uniform, 0.21) || d.Area != die {
		t.Errorf("density %+v, want 1 W/cm2 over 0.21 cm2", d)
	}
	if core := mould.Powers[4].Blocks[0].Rects[0]; core.X != 1e-3 || core.Y != 2e-3 {
		t.Errorf("core %+v, want it at the corner of its region", core)
	}
	if pr := s.Probes[0]; pr.X != 5e-3 || !near(pr.Z, 102e-6) {
		t.Errorf("probe %+v", pr)
	}
	if tr := s.Transient; tr.Dt != 1e-3 || tr.Steps != 10 || tr.Initial != 300 || s.Solver.Tol != 1e-3 ||
		s.Solver.Preconditioner != "multigrid" || s.Output.Maps[0] != "all" {
		t.Errorf("wishes %+v %+v %+v", s.Transient, s.Solver, s.Output)
	}
	if len(s.Inputs) != 4 || s.Inputs[0].Path != "stack.toml" || len(s.Inputs[1].SHA256) != 64 {
		t.Errorf("inputs %+v", s.Inputs)
	}
}

// A grid that is to be chosen reads as what it shall achieve.
func TestLoadAutoGrid(t *testing.T) {
	for text, want := range map[string]stack.AutoGrid{
		`"auto"`:                   {Relative: 0.01, MaxCells: 4_000_000},
		`{ error = "50 mK" }`:      {Error: 0.05, MaxCells: 4_000_000},
		`{ max_cells = 5000 }`:     {Relative: 0.01, MaxCells: 5000},
		`{ relative_error = 0.2 }`: {Relative: 0.2, MaxCells: 4_000_000},
	} {
		s, err := Parse("stack.toml", []byte("grid = "+text+"\n"+small), nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := *s.Grid.Auto
		got.Pos = stack.Pos{}
		if got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestLoadMissingFile(t *testing.T) {
	_, err := Load("no/such/stack.toml")
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "no/such/stack.toml: cannot read the stack "+
		"file: no such file") {
		t.Errorf("error %v", err)
	}
}

func TestLibrary(t *testing.T) {
	list, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range list {
		if m.Source == "" {
			t.Errorf("%s has no source", m.Name)
		}
		for _, k := range append(m.K[:], m.C) {
			if !(k > 0) {
				t.Errorf("%s: %v, %v", m.Name, m.K, m.C)
			}
		}
		if i > 0 && list[i-1].Name >= m.Name {
			t.Errorf("%s after %s", m.Name, list[i-1].Name)
		}
		if c := m.C; m.Name == "silicon" && (c < 1.5e6 || c > 1.8e6) {
			t.Errorf("silicon holds %v J/(m3 K)", c)
		}
	}
}
