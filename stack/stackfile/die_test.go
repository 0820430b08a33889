package stackfile

import (
	"math"
	"strings"
	"testing"

	"thermsim/stack"
	"thermsim/stack/geometry"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const diesFile = `schema = 1
size = ["10 mm", "10 mm"]
boundary.top = { h = 1000 }

[materials.wires]
k = ["5 W/(m K)", "50 W/(m K)", "2 W/(m K)"]
c = 2e6

[[die]]
name = "small"
size = ["2 mm", "3 mm"]
  [[die.layer]]
  name = "beol"
  material = "wires"
  thickness = "10 um"
    [[die.layer.region]]
    name = "pads"
    material = "copper"
    x = 0
    y = 0
    width = "1 mm"
    height = "500 um"
  [[die.layer]]
  name = "si"
  material = "silicon"
  thickness = "90 um"
  cells = 3
  tmax = "105 degC"
    [[die.layer.block]]
    name = "core"
    x = "200 um"
    y = "1 mm"
    width = "1 mm"
    height = "1.5 mm"
    power = "2 W"

[[die]]
name = "tall"
size = ["3 mm", "3 mm"]
  [[die.layer]]
  name = "si"
  material = "silicon"
  thickness = "150 um"
  power_at = "bottom"
  power_depth = "5 um"
  power = { uniform = "4 W" }
`

const diesByHand = `schema = 1
size = ["10 mm", "10 mm"]
boundary.top = { h = 1000 }

[materials.wires]
k = ["5 W/(m K)", "50 W/(m K)", "2 W/(m K)"]
c = 2e6

[materials.wires_turned]
k = ["50 W/(m K)", "5 W/(m K)", "2 W/(m K)"]
c = 2e6

[[layer]]
name = "dies.0"
material = "air"
thickness = "5 um"
  [[layer.region]]
  name = "a.beol"
  die = "a"
  material = "wires_turned"
  x = "1 mm"
  y = "4 mm"
  width = "3 mm"
  height = "2 mm"
  [[layer.region]]
  name = "a.pads"
  die = "a"
  material = "copper"
  x = "3.5 mm"
  y = "4 mm"
  width = "500 um"
  height = "1 mm"
  [[layer.region]]
  name = "tall"
  die = "tall"
  material = "silicon"
  x = "6 mm"
  y = "6 mm"
  width = "3 mm"
  height = "3 mm"
  power = { uniform = "4 W" }

[[layer]]
name = "dies.1"
material = "air"
thickness = "5 um"
  [[layer.region]]
  name = "a.beol"
  die = "a"
  material = "wires_turned"
  x = "1 mm"
  y = "4 mm"
  width = "3 mm"
  height = "2 mm"
  [[layer.region]]
  name = "a.pads"
  die = "a"
  material = "copper"
  x = "3.5 mm"
  y = "4 mm"
  width = "500 um"
  height = "1 mm"
  [[layer.region]]
  name = "tall"
  die = "tall"
  material = "silicon"
  x = "6 mm"
  y = "6 mm"
  width = "3 mm"
  height = "3 mm"

[[layer]]
name = "dies.2"
material = "air"
thickness = "90 um"
cells = 3
  [[layer.region]]
  name = "a.si"
  die = "a"
  material = "silicon"
  tmax = "105 degC"
  x = "1 mm"
  y = "4 mm"
  width = "3 mm"
  height = "2 mm"
    [[layer.region.block]]
    name = "a.core"
    x = "500 um"
    y = "200 um"
    width = "1.5 mm"
    height = "1 mm"
    power = "2 W"
  [[layer.region]]
  name = "tall"
  die = "tall"
  material = "silicon"
  x = "6 mm"
  y = "6 mm"
  width = "3 mm"
  height = "3 mm"

[[layer]]
name = "dies.3"
material = "air"
thickness = "50 um"
  [[layer.region]]
  name = "tall"
  die = "tall"
  material = "silicon"
  x = "6 mm"
  y = "6 mm"
  width = "3 mm"
  height = "3 mm"
`

const placements = `
[[layer]]
name = "dies"
material = "air"
  [[layer.die]]
  die = "small"
  name = "a"
  x = "1 mm"
  y = "4 mm"
  rotate = 90
  [[layer.die]]
  die = "tall"
  x = "6 mm"
  y = "6 mm"
`

// Dies of two heights, one of them turned, are what one would write by hand. Coordinates and thicknesses may differ by
// rounding.
func TestDies(t *testing.T) {
	got := folder{"main.toml": diesFile + placements}.parsed(t)
	want := folder{"main.toml": diesByHand}.parsed(t)
	byName := func(s *stack.Stack) {
		for i := range s.Layers {
			y := &s.Layers[i]
			for r := range y.Regions {
				y.Regions[r].Material = materialNumber(s.Materials[y.Regions[r].Material].Name)
			}
			y.Material = 0
			for p := range y.Powers {
				y.Powers[p].Area = stack.Rect{}
			}
		}
		s.Materials = nil
	}
	byName(got)
	byName(want)
	near := cmp.Comparer(func(a, b float64) bool { return a == b || math.Abs(a-b) < 1e-15 })
	if diff := cmp.Diff(want, got, near, sameStack); diff != "" {
		t.Errorf("-by hand +dies:\n%s", diff)
	}
}

// materialNumber stands for a material whatever the order of use.
func materialNumber(name string) int {
	n := 0
	for _, c := range name {
		n = 31*n + int(c)
	}
	return n
}

func TestDiesInNumbers(t *testing.T) {
	s := folder{"main.toml": diesFile + `
[[layer]]
name = "dies"
material = "air"
contact_resistance = "1 mm^2 K/W"
  [[layer.die]]
  die = "tall"
  name = "hbm"
  x = 0
  y = 0
  copies = 3
  array = { nx = 2, ny = 1, pitch = ["4 mm", "1 mm"] }
  power = "1 W"
  tmax = "95 degC"
  flip = true
`}.parsed(t)
	if len(s.Layers) != 6 {
		t.Fatalf("%d layers", len(s.Layers))
	}
	watts, names := 0.0, []string{}
	for i := range s.Layers {
		y := &s.Layers[i]
		for _, r := range y.Regions {
			if r.TMax != 368.15 {
				t.Errorf("tmax %v", r.TMax)
			}
		}
		for p := range y.Powers {
			watts += y.Powers[p].Watts()
			names = append(names, y.Powers[p].Name)
			if y.Thickness != 5e-6 { // at the top, as the dies are turned over
				t.Errorf("power in a layer of %v", y.Thickness)
			}
		}
	}
	if math.Abs(watts-6) > 1e-12 || strings.Join(names, " ") != "hbm-0.0 hbm-1.0 hbm-0.1 hbm-1.1 hbm-0.2 hbm-1.2" {
		t.Errorf("%v W in %v", watts, names)
	}
	if s.Layers[0].ContactResistance != 0 || s.Layers[5].ContactResistance != 1e-6 {
		t.Error("the contact lies on top")
	}
}

func TestDieFaults(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{`die = "small"`, `die = "smal"`, `main.toml:52:9: no die is called "smal"; did you mean "small"?`},
		{`x = "6 mm"`, `x = "2 mm"`, ``},
		{`x = "6 mm"`, `x = "8 mm"`,
			`main.toml:57:11: die "tall" extends beyond the domain by 1 mm in the east; move it`},
		{`rotate = 90`, `rotate = 45`, `main.toml:56:12: rotate must be a multiple of 90, got 45`},
		{`name = "a"`, `name = "tall"`, `two dies in layer "dies" are called "tall"`},
		{`material = "air"`, "material = \"air\"\nthickness = \"100 um\"",
			`reaches up to 150 um in layer "dies", which is 100 um thick; make the layer thicker`},
		{`material = "air"`, "material = \"air\"\npower = { uniform = 1 }", `layer "dies" contains dies and cannot have power`},
		{`y = "6 mm"`, `y = "5 mm"
  [[layer.die]]
  die = "tall"
  name = "b"
  x = "6 mm"
  y = "7 mm"
  z = "100 um"`, `die "b" overlaps die "tall"`},
		{`width = "1 mm"
    height = "500 um"`, `width = "3 mm"
    height = "500 um"`, `main.toml:16:17: region "pads" extends beyond die "small" by 1 mm in the east`},
		{`name = "beol"`, `name = "si"`, `two layers of die "small" are called "si"`},
		{`  name = "beol"`, "  name = \"beol\"\n  contact_resistance = 1e-6",
			`a layer of a die has no contact_resistance`},
		{`name = "tall"`, `name = "small"`, `two dies are called "small"`},
	} {
		text := diesFile + placements
		if !strings.Contains(text, tt.from) {
			t.Fatalf("no %q", tt.from)
		}
		f := folder{"main.toml": strings.Replace(text, tt.from, tt.to, 1)}
		if tt.want == "" {
			f.parsed(t)
			continue
		}
		f.refusedWith(t, tt.want)
	}
}

// What is turned by quarters four times, or mirrored twice, is where it was; areas and powers stay at every turn.
func TestOrientation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.Float64Range(1, 5).Draw(t, "w"), rapid.Float64Range(1, 5).Draw(t, "h")
		o := stack.Orientation{Width: w, Height: h, MirrorX: rapid.Bool().Draw(t, "mx"),
			MirrorY: rapid.Bool().Draw(t, "my"), Quarters: rapid.IntRange(0, 3).Draw(t, "turn")}
		p := geometry.Point{X: rapid.Float64Range(0, w).Draw(t, "x"), Y: rapid.Float64Range(0, h).Draw(t, "y")}
		q := o.Point(p)
		if nw, nh := o.Size(); q.X < -1e-12 || q.Y < -1e-12 || q.X > nw+1e-12 || q.Y > nh+1e-12 {
			t.Fatalf("%v left the die: %v", p, q)
		}
		// The tile under a point moves with the point.
		nx, ny := rapid.IntRange(1, 4).Draw(t, "nx"), rapid.IntRange(1, 4).Draw(t, "ny")
		values := make([]float64, nx*ny)
		for i := range values {
			values[i] = float64(i)
		}
		mx, my, moved := o.Grid(nx, ny, values)
		i, j := rapid.IntRange(0, nx-1).Draw(t, "i"), rapid.IntRange(0, ny-1).Draw(t, "j")
		at := o.Point(geometry.Point{X: (float64(i) + 0.5) * w / float64(nx), Y: (float64(j) + 0.5) * h / float64(ny)})
		nw, nh := o.Size()
		u, v := int(at.X/nw*float64(mx)), int(at.Y/nh*float64(my))
		if moved[v*mx+u] != values[j*nx+i] {
			t.Fatalf("%+v: tile %d, %d of %d x %d", o, i, j, nx, ny)
		}
	})
}

// A block of its own material is a region and a block, over the regions of its layer.
func TestMaterialOfBlock(t *testing.T) {
	s := folder{"main.toml": `schema = 1
size = ["10 mm", "10 mm"]
boundary.top = { h = 1000 }
[[layer]]
name = "die"
material = "silicon"
thickness = "1 mm"
  [[layer.region]]
  name = "field"
  material = "silicon_tsv"
  x = "1 mm"
  y = "1 mm"
  width = "5 mm"
  height = "5 mm"
    [[layer.region.block]]
    name = "laser"
    material = "inp"
    rects = [["1 mm", "1 mm", "1 mm", "1 mm"], ["3 mm", "1 mm", "1 mm", "1 mm"]]
    power = "1 W"
`}.parsed(t)
	r := s.Layers[0].Regions
	if len(r) != 3 || r[1].Name != "laser" || r[2].Rect != (stack.Rect{X: 4e-3, Y: 2e-3, Width: 1e-3, Height: 1e-3}) ||
		s.Materials[r[2].Material].Name != "inp" || len(s.Layers[0].Powers) != 1 {
		t.Errorf("%+v", s.Layers[0])
	}
}
