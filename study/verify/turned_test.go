package verify

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"text/template"

	"thermsim/gpusolve"
	"thermsim/internal/testtier"
	"thermsim/stack/stackfile"
)

// pose is how a rectangle lies: moved by steps, each a mirror image in x or in y or a quarter turn counter-clockwise.
// Templates of stack files write coordinates, axes and directions through it. Lengths are in um.
type pose struct {
	w, h  float64 // of the rectangle before it is moved
	steps string  // of x, y and q
}

// In is the same pose of a smaller rectangle, for coordinates that count from its corner.
func (p pose) In(w, h float64) pose { return pose{w, h, p.steps} }

// at moves a point.
func (p pose) at(x, y float64) (float64, float64) {
	w, h := p.w, p.h
	for _, step := range p.steps {
		switch step {
		case 'x':
			x = w - x
		case 'y':
			y = h - y
		case 'q':
			x, y, w, h = h-y, x, h, w
		}
	}
	return x, y
}

// towards moves a direction.
func (p pose) towards(x, y float64) (float64, float64) { return pose{steps: p.steps}.at(x, y) }

// box moves a rectangle.
func (p pose) box(x, y, w, h float64) (u, v, du, dv float64) {
	u, v = p.at(x, y)
	s, t := p.at(x+w, y+h)
	return min(u, s), min(v, t), math.Abs(s - u), math.Abs(t - v)
}

// odd says that x and y change places.
func (p pose) odd() bool { return strings.Count(p.steps, "q")%2 == 1 }

// Planes puts the rows of several maps into one.
func (p pose) Planes(maps ...string) string {
	return strings.ReplaceAll(strings.Join(maps, ", "), "]], [[", "], [")
}

func (p pose) Rect(x, y, w, h float64) string {
	x, y, w, h = p.box(x, y, w, h)
	return fmt.Sprintf(`x = "%g um", y = "%g um", width = "%g um", height = "%g um"`, x, y, w, h)
}

func (p pose) List(x, y, w, h float64) string {
	x, y, w, h = p.box(x, y, w, h)
	return fmt.Sprintf(`["%g um", "%g um", "%g um", "%g um"]`, x, y, w, h)
}

func (p pose) Circle(x, y, d float64) string {
	x, y = p.at(x, y)
	return fmt.Sprintf(`{ x = "%g um", y = "%g um", diameter = "%g um" }`, x, y, d)
}

func (p pose) Points(xy ...float64) string {
	var all []string
	for c := range slices.Chunk(xy, 2) {
		x, y := p.at(c[0], c[1])
		all = append(all, fmt.Sprintf(`["%g um", "%g um"]`, x, y))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// Pair moves an extent.
func (p pose) Pair(x, y float64) string {
	_, _, x, y = p.box(0, 0, x, y)
	return fmt.Sprintf(`["%g um", "%g um"]`, x, y)
}

// Corner is the south-west corner of what reaches from x and y over w and h.
func (p pose) Corner(x, y, w, h float64) string {
	x, y, _, _ = p.box(x, y, w, h)
	return fmt.Sprintf(`["%g um", "%g um"]`, x, y)
}

// Array begins at a rectangle, which it repeats to the east and the north.
func (p pose) Array(x, y, w, h, nx, ny, dx, dy float64) string {
	u, v, _, _ := p.box(x, y, (nx-1)*dx+w, (ny-1)*dy+h)
	_, _, w, h = p.box(x, y, w, h)
	_, _, nx, ny = p.box(0, 0, nx, ny)
	return fmt.Sprintf(`x = "%g um", y = "%g um", width = "%g um", height = "%g um", `+
		`array = { nx = %g, ny = %g, pitch = %s }`, u, v, w, h, nx, ny, p.Pair(dx, dy))
}

// Axes are values along x, y and z.
func (p pose) Axes(x, y, z float64) string {
	_, _, x, y = p.box(0, 0, x, y)
	return fmt.Sprintf("[%g, %g, %g]", x, y, z)
}

// Axis is the name of an axis.
func (p pose) Axis(name string) string {
	if p.odd() {
		return map[string]string{"x": "y", "y": "x"}[name]
	}
	return name
}

// Flow is a direction such as "+x".
func (p pose) Flow(name string) string {
	x, y := 0.0, 0.0
	*map[byte]*float64{'x': &x, 'y': &y}[name[1]] = map[byte]float64{'+': 1, '-': -1}[name[0]]
	x, y = p.towards(x, y)
	return map[[2]float64]string{{1, 0}: "+x", {-1, 0}: "-x", {0, 1}: "+y", {0, -1}: "-y"}[[2]float64{x, y}]
}

// Face is that of the outward normal.
func (p pose) Face(name string) string {
	outward := map[string]string{"east": "+x", "west": "-x", "north": "+y", "south": "-y"}
	for face, flow := range outward {
		if flow == p.Flow(outward[name]) {
			return face
		}
	}
	panic(name)
}

// Reversed says that what came first along an axis from its low end comes last.
func (p pose) Reversed(axis string) bool { return p.Flow("+" + axis)[0] == '-' }

// Along is the key and the place of a part of a side along its edge, from the low end.
func (p pose) Along(axis string, from, length float64) string {
	x, y, w, h := p.box(from, from, length, length)
	if p.Axis(axis) == "x" {
		return fmt.Sprintf(`x = "%g um", width = "%g um"`, x, w)
	}
	return fmt.Sprintf(`y = "%g um", width = "%g um"`, y, h)
}

// Rows are tiles, nx of them along x, the south-west one first.
func (p pose) Rows(nx int, values ...float64) string {
	tiles := pose{float64(nx), float64(len(values) / nx), p.steps}
	mx, my := nx, len(values)/nx
	if p.odd() {
		mx, my = my, mx
	}
	rows := make([][]string, my)
	for j := range rows {
		rows[j] = make([]string, mx)
	}
	for n, v := range values {
		x, y := tiles.at(float64(n%nx)+0.5, float64(n/nx)+0.5)
		rows[int(y)][int(x)] = fmt.Sprint(v)
	}
	var all []string
	for _, row := range rows {
		all = append(all, "["+strings.Join(row, ", ")+"]")
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// Columns are the tiles of a side, nx of them along its edge, the lowest row first.
func (p pose) Columns(axis string, nx int, values ...float64) string {
	var all []string
	for row := range slices.Chunk(slices.Clone(values), nx) {
		if p.Reversed(axis) {
			slices.Reverse(row)
		}
		all = append(all, strings.Join(strings.Fields(fmt.Sprint(row)), ", "))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// Segments of an axis: lengths, numbers of cells, ratios.
func (p pose) Segments(axis string, all ...float64) string {
	from := axis // whose segments come to lie along the axis
	if p.odd() {
		from = map[string]string{"x": "y", "y": "x"}[axis]
	}
	runs := map[string][][3]float64{"x": {{1000, 2, 1}, {2000, 5, 1.5}, {3000, 3, 2}},
		"y": {{1500, 4, 0.5}, {2500, 3, 1}}}[from]
	if p.Reversed(from) {
		slices.Reverse(runs)
		for i := range runs {
			runs[i][2] = 1 / runs[i][2]
		}
	}
	at, parts := 0.0, []string{}
	for _, r := range runs {
		at += r[0]
		parts = append(parts, fmt.Sprintf(`{ to = "%g um", cells = %g, ratio = %.17g }`, at, r[1], r[2]))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Zones across a flow: their widths in um and flows in ml/min, from the low end.
func (p pose) Zones(axis string, widths ...float64) string {
	zones := slices.Collect(slices.Chunk(widths, 2))
	if p.Reversed(axis) {
		slices.Reverse(zones)
	}
	at, parts := 0.0, []string{}
	for _, z := range zones {
		at += z[0]
		parts = append(parts, fmt.Sprintf(`{ to = "%g um", flow = "%g ml/min" }`, at, z[1]))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Low is the first of two, or the second where the low end of an axis becomes the high one.
func (p pose) Low(axis, low, high string) string {
	if p.Reversed(axis) {
		return high
	}
	return low
}

// content is a kind of input whose place or direction matters.
type content struct {
	name  string
	layer string // keys of the layer or die's layer
	stack string // keys at the top of the file
	file  string // content of plan.flp
	flat  bool   // not for dies
}

const mixed = `
cross = { mix = { inclusion = "copper", matrix = "sio2", rule = "lines-{{.Axis "x"}}", fraction = 0.3 } }
wool = { laminate = [{ material = "cross", thickness = 2e-6 }, { material = "wood", thickness = 3e-6 }] }
warm = { mix = { inclusion = "bent", matrix = "sio2", rule = "lines-{{.Axis "x"}}", fraction = 0.4 } }
bent = { k = { value = 200, at = "300 K", exponent = 1.2, range = ["200 K", "600 K"] }, c = 1e6 }`

// contents of a layer or die of 6000 um x 4000 um. Each of them must act, and none may look alike when turned.
var contents = []content{
	{name: "block", layer: `block = [{ name = "a", {{.Rect 300 400 1500 600}}, power = 2 }, { name = "b", ` +
		`{{.Rect 3300 1400 700 2200}}, power = 1 }]`},
	{name: "block of shapes", layer: `block = [
	{ name = "c", circle = {{.Circle 4100 1100 1300}}, power = 1 },
	{ name = "p", polygon = {{.Points 300 300 2500 700 900 2700}}, power = 2 },
	{ name = "r", rects = [{{.List 3000 2800 700 300}}, {{.List 4500 2600 300 1000}}], power = 3 }]`},
	{name: "block of a material", layer: `block = [{ name = "a", {{.Rect 300 400 1500 600}}, power = 2, ` +
		`material = "wood" }]`},
	{name: "origin of blocks", layer: `power = { origin = {{.Corner 1000 300 2500 1000}}, ` +
		`block = [{{with .In 2500 1000}}{ name = "a", {{.Rect 0 0 400 1000}}, power = 1 }, { name = "b", ` +
		`{{.Rect 1000 200 1500 300}}, power = 2 }{{end}}] }`},
	{name: "floorplan", layer: `power = { floorplan = "plan.flp", watts = { a = 1, b = 2 }, ` +
		`origin = {{.Corner 1000 300 3000 2000}} }`,
		file: "{{with .In 3000 2000}}{{.Flp \"a\" 0 0 400 1500}}{{.Flp \"b\" 600 100 2400 1900}}{{end}}"},
	{name: "trace", layer: `power = { block = [{ name = "a", {{.Rect 300 400 1500 600}} }, { name = "b", ` +
		`{{.Rect 3300 1400 700 2200}} }, { name = "c", {{.Rect 5000 100 500 500}} }], trace = { times = [0, 1], ` +
		`end = "3 s", blocks = ["b", "c", "a"], watts = [[1, 2, 3], [2, 0, 7]] } }`},
	{name: "uniform", layer: `power = [{ uniform = 2, area = {{.List 300 400 1500 600}} }, { density = 3e5, ` +
		`area = {{.List 3300 1400 700 2200}} }]`},
	{name: "uniform on shapes", layer: `power = [{ uniform = 2, circle = {{.Circle 4100 1100 1300}} }, ` +
		`{ uniform = 1, polygon = {{.Points 300 300 2500 700 900 2700}} }]`},
	{name: "map of power", layer: `power = { map = {{.Rows 3 0 2 1 4 0 3}}, unit = "W", ` +
		`orientation = "south-first", area = {{.List 600 500 3000 2500}} }`},
	{name: "map of power over all", layer: `power = { map = {{.Rows 4 0 2 1 7 1 1 5 1 4 0 0 3}}, unit = "W", ` +
		`orientation = "south-first" }`},
	{name: "map at temperatures", layer: `power = { map = {{.Planes (.Rows 3 0 2 1 4 0 3) (.Rows 3 9 2 8 4 1 3)}}, ` +
		`unit = "W", orientation = "south-first", temperatures = ["200 K", "600 K"], ` +
		`area = {{.List 600 500 3000 2500}} }`},
	{name: "leakage", layer: `power = { uniform = 1, area = {{.List 300 400 1500 600}}, leakage = { power = 1, ` +
		`beta = 0.001, at = "300 K", range = ["200 K", "600 K"] } }`},
	{name: "anisotropy", layer: `material = "wood"`},
	{name: "fibres", layer: `material = "cross"`},
	{name: "fibres at temperature", layer: `material = "warm"`},
	{name: "laminate", layer: `material = "wool"`},
	{name: "lines", layer: `fill = { inclusion = "copper", rule = "lines-{{.Axis "y"}}", fraction = 0.4 }`},
	{name: "vias by map", layer: `fill = { inclusion = "copper", rule = "lines-{{.Axis "x"}}", ` +
		`map = {{.Rows 3 0.1 0.8 0.1 0 0.5 0}}, orientation = "south-first" }`},
	{name: "inclusions that conduct by axis", layer: `fill = { inclusion = "wood", rule = "square", ` +
		`fraction = 0.4 }`},
	{name: "region", layer: `region = [{ material = "wood", {{.Rect 300 400 2500 900}} }, ` +
		`{ material = "copper", {{.Rect 1900 800 700 2200}} }]`},
	{name: "regions of shapes", layer: `region = [{ material = "wood", circle = {{.Circle 4100 1100 1300}} }, ` +
		`{ material = "copper", polygon = {{.Points 300 300 2500 700 900 2700}} }]`},
	{name: "array", layer: `region = [{ material = "copper", {{.Array 200 300 300 200 4 3 700 1100}} }]`},
	{name: "fill of region", layer: `region = [{ material = "sio2", {{.Rect 600 400 3000 2200}}, ` +
		`fill = { inclusion = "copper", rule = "lines-{{.Axis "x"}}", map = {{.Rows 3 0.1 0.8 0.1 0 0.5 0}}, ` +
		`orientation = "south-first" } }]`},
	{name: "power of region", layer: `region = [{ name = "r", material = "copper", {{.Rect 600 400 3000 2200}}, ` +
		`{{with .In 3000 2200}}block = [{ name = "a", {{.Rect 300 400 1500 600}}, power = 2 }], ` +
		`power = { map = {{.Rows 2 1 4 0 2 5 0}}, unit = "W", orientation = "south-first", ` +
		`area = {{.List 600 1100 2100 1000}} }{{end}} }]`},

	{name: "coolant", flat: true, layer: `coolant = { fluid = "water", direction = "{{.Flow "-y"}}", ` +
		`porosity = 0.6, permeability = "200 um^2", h_bottom = 5e4, h_top = 3e4, ` +
		`zone = {{.Zones "x" 2000 30 1500 5 2500 12}} }`},
	{name: "pins", flat: true, layer: `coolant = { fluid = "water", direction = "{{.Flow "+x"}}", ` +
		`pin_diameter = "50 um", pin_pitch = "100 um", flow = "60 ml/min" }`},
	{name: "porous channels", flat: true, layer: `coolant = { fluid = "water", direction = "{{.Flow "+x"}}", ` +
		`model = "porous", entrance = "developing", channel_width = "100 um", wall_width = "50 um", ` +
		`zone = {{.Zones "y" 1500 30 2500 12}} }`},
	{name: "sides", flat: true, layer: `region = [{ material = "sio2", {{.Rect 0 1000 200 2000}} }, ` +
		`{ material = "wood", {{.Rect 2000 3900 2500 100}} }]`, stack: `boundary.{{.Face "west"}} = { temperature = "50 degC" }
boundary.{{.Face "north"}} = { h = 3000 }`},
	{name: "patches", flat: true, stack: `boundary.top = { h = 500, patch = [{ {{.Rect 300 400 1500 600}}, ` +
		`temperature = "90 degC" }, { circle = {{.Circle 4100 1100 1300}}, flux = 5e4 }, ` +
		`{ polygon = {{.Points 300 1300 2500 1700 900 3700}}, h = 2000 }, { {{.Rect 3000 2000 2600 1900}}, ` +
		`map = {{.Rows 3 100 5000 0 9000 200 50}}, unit = "W/(m^2 K)", orientation = "south-first" } ] }`},
	{name: "patches of sides", flat: true, stack: `boundary.{{.Face "west"}} = { patch = [{ {{.Along "y" 500 1300}}, ` +
		`z = 0, height = "250 um", h = 50000 }] }
boundary.{{.Face "south"}} = { patch = [{ {{.Along "x" 1000 2700}}, ` +
		`z = "50 um", height = "300 um", map = {{.Columns "x" 3 1000 50000 200 0 3000 90000}}, ` +
		`unit = "W/(m^2 K)", orientation = "south-first" }] }
boundary.{{.Face "east"}} = { patch = [{ layers = ["spread"], flux = 4e5 }] }`},
	{name: "fins", flat: true, stack: `heat_sink = { material = "copper", base = "500 um", fins = { count = 10, ` +
		`thickness = "100 um", height = "5 mm", along = "{{.Axis "x"}}", velocity = "3 m/s" } }`},
}

// Flp is a line of a floorplan.
func (p pose) Flp(name string, x, y, w, h float64) string {
	x, y, w, h = p.box(x, y, w, h)
	return fmt.Sprintf("%s %.17g %.17g %.17g %.17g\n", name, w*1e-6, h*1e-6, x*1e-6, y*1e-6)
}

// frame is a stack of 6 mm x 4 mm around a layer of a kind: a heated plate below, a spreader above.
const frame = `schema = 1
size = {{.Pair 6000 4000}}
grid = { x = {{.Segments "x"}}, y = {{.Segments "y"}} }
STACK
[materials]
wood = { k = {{.Axes 90 5 20}}, c = 1e6 }` + mixed + `
DIE
[[layer]]
name = "plate"
material = "silicon"
thickness = "100 um"
block = [{ name = "warm", {{.Rect 500 2500 2500 1000}}, power = 3 }]
[[layer]]
name = "kind"
LAYER
[[layer]]
name = "spread"
material = "sio2"
thickness = "150 um"
`

// text of a stack with one kind of input.
func (c *content) text(die, layer string) string {
	top := c.stack
	if !strings.Contains(top, "heat_sink") && !strings.Contains(top, "boundary.top") {
		top += "\nboundary.top = { h = 5000 }"
	}
	return strings.NewReplacer("STACK", top, "DIE", die, "LAYER", layer).Replace(frame)
}

// own are the keys of the kind's layer.
func (c *content) own() string {
	text := "thickness = \"100 um\"\n" + c.layer
	if !strings.HasPrefix(c.layer, "material") {
		text = "material = \"silicon\"\n" + text
	}
	return text
}

// solve reads a template in a pose and solves it.
func (c *content) solve(t *testing.T, text string, p pose) *field {
	t.Helper()
	fill := func(text string) []byte {
		var b bytes.Buffer
		if err := template.Must(template.New("").Parse(text)).Execute(&b, p); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	st, err := stackfile.Parse("stack.toml", fill(text), func(string) ([]byte, error) { return fill(c.file), nil })
	if err != nil {
		t.Fatalf("%v in\n%s", err, fill(text))
	}
	f, err := solver{options: gpusolve.Options{Device: "cpu", Tol: 1e-9}}.steadyAndClose(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// moved is a field in another pose.
func (f *field) moved(steps string) []float64 {
	nx, ny := f.NX(), f.NY()
	cells, width := pose{float64(nx), float64(ny), steps}, nx
	if cells.odd() {
		width = ny
	}
	rise := make([]float64, len(f.rise))
	for n, v := range f.rise {
		x, y := cells.at(float64(n%nx)+0.5, float64(n/nx%ny)+0.5)
		rise[n-n%(nx*ny)+int(y)*width+int(x)] = v
	}
	return rise
}

// The field of a stack that is mirrored or turned is the field mirrored or turned, for all that a stack file can hold.
func TestTurnedStackGivesTurnedField(t *testing.T) {
	for _, c := range contents {
		t.Run(c.name, func(t *testing.T) {
			text := c.text("", c.own())
			upright := c.solve(t, text, pose{6000, 4000, ""})
			for _, steps := range testtier.Pick([]string{"q", "x", "qy"},
				[]string{"q", "qq", "qqq", "x", "y", "xq", "yq"}) {
				turned := c.solve(t, text, pose{6000, 4000, steps})
				same(t, steps, turned.rise, upright.moved(steps), couplingRounding)
			}
		})
	}
}

// bench is a stack with a die whose lower layer is of a kind, and where it lies.
const bench = `schema = 1
size = ["8 mm", "7 mm"]
grid = { nx = 12, ny = 14 }
boundary.top = { h = 5000 }
[materials]
wood = { k = {{.Axes 90 5 20}}, c = 1e6 }` + mixed + `
[[die]]
name = "d"
size = {{.Pair 6000 4000}}
DIE
[[layer]]
name = "base"
material = "silicon"
thickness = "100 um"
block = [{ name = "warm", x = "1 mm", y = "3 mm", width = "2 mm", height = "1 mm", power = 3 }]
[[layer]]
name = "dies"
material = "sio2"
die = [{ die = "d", x = "900 um", y = "700 um", PLACED }]
[[layer]]
name = "lid"
material = "silicon"
thickness = "100 um"
`

// A die that a stack file mirrors, turns and flips is the die that one would draw mirrored, turned and flipped.
func TestTurnedDieIsDrawnTurned(t *testing.T) {
	type placement struct{ keys, steps string }
	var placements []placement
	for n, steps := range []string{"", "q", "qq", "qqq"} {
		for _, mirror := range []placement{{"", ""}, {`, mirror = "x"`, "x"}, {`, mirror = "y"`, "y"},
			{`, flip = true`, "x"}, {`, flip = true, mirror = "y"`, "xy"}, {`, flip = true, mirror = "x"`, ""}} {
			placements = append(placements,
				placement{fmt.Sprintf("rotate = %d", 90*n) + mirror.keys, mirror.steps + steps})
		}
	}
	shown := 0
	for _, c := range contents {
		if c.flat {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			// In the quick tier the kinds of content share the placements.
			for range testtier.Pick(3, len(placements)) {
				placed := placements[shown%len(placements)]
				shown += 7 // which has no factor in common with their number
				layers := []string{"[[die.layer]]\nname = \"kind\"\n" + c.own(), `[[die.layer]]
name = "cap"
material = "silicon"
thickness = "50 um"
power_at = "bottom"
power = { uniform = 1, area = {{.List 3000 300 1000 2000}} }`}
				put := func(keys string) string {
					return strings.NewReplacer("DIE", strings.Join(layers, "\n"), "PLACED", keys).Replace(bench)
				}
				got := c.solve(t, put(placed.keys), pose{6000, 4000, ""})
				if strings.Contains(placed.keys, "flip") {
					slices.Reverse(layers)
					layers[0] = strings.Replace(layers[0], "bottom", "top", 1)
				}
				want := c.solve(t, put(""), pose{6000, 4000, placed.steps})
				same(t, placed.keys, got.rise, want.rise, couplingRounding)
			}
		})
	}
}
