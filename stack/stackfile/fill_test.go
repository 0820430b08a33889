package stackfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"thermsim/internal/npy"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// npyFile writes an array as numpy.save does.
func npyFile(descr string, fortran string, ny, nx int, values any) string {
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }", descr, fortran, ny, nx)
	for (len(head)+11)%64 != 0 {
		head += " "
	}
	head += "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(head)))
	b.WriteString(head)
	order := binary.ByteOrder(binary.LittleEndian)
	if descr[0] == '>' {
		order = binary.BigEndian
	}
	binary.Write(&b, order, values)
	return b.String()
}

func TestVersionsOfNPY(t *testing.T) {
	file := []byte(npyFile("<f8", "False", 1, 1, []float64{0.5}))
	if rows, err := npy.Matrix(file, maxTiles); err != nil || rows[0][0] != 0.5 {
		t.Errorf("version 1: %v, %v", rows, err)
	}
	for _, version := range []byte{0, 4, 9} {
		file[6] = version
		want := fmt.Sprintf("version %d of the NPY format is not supported", version)
		if _, err := npy.Matrix(file, maxTiles); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

func greys(t *testing.T, rows [][]uint8) string {
	img := image.NewGray(image.Rect(0, 0, len(rows[0]), len(rows)))
	for j, row := range rows {
		for i, v := range row {
			img.SetGray(i, j, color.Gray{Y: v})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// One map in every format: 0.1 0.2 0.3 in the south, 0.4 0.5 0.6 in the north.
func TestFillMaps(t *testing.T) {
	want := []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}
	inputs := map[string]string{
		"south.csv":   "0.1,0.2,0.3\n0.4,0.5,0.6\n",
		"north.csv":   "0.4 0.5 0.6\n0.1 0.2 0.3\n",
		"f8.npy":      npyFile("<f8", "False", 2, 3, want),
		"fortran.npy": npyFile(">f8", "True", 2, 3, []float64{0.1, 0.4, 0.2, 0.5, 0.3, 0.6}),
		"f4.npy":      npyFile("<f4", "False", 2, 3, []float32{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}),
		"u1.npy":      npyFile("|u1", "False", 2, 3, []uint8{10, 20, 30, 40, 50, 60}),
		"i8.npy":      npyFile("<i8", "False", 2, 3, []int64{10, 20, 30, 40, 50, 60}),
		"grey.png":    greys(t, [][]uint8{{102, 127, 153}, {25, 51, 76}}),
	}
	for _, tt := range []struct {
		entry     string
		tolerance float64
	}{
		{`map = "south.csv", orientation = "south-first"`, 0},
		{`map = "north.csv", orientation = "north-first"`, 0},
		{`map = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], orientation = "south-first"`, 0},
		{`map = "f8.npy", orientation = "south-first"`, 0},
		{`map = "fortran.npy", orientation = "south-first"`, 0},
		{`map = "f4.npy", orientation = "south-first"`, 1e-7},
		{`map = "u1.npy", orientation = "south-first", scale = "1 %"`, 1e-15},
		{`map = "i8.npy", orientation = "south-first", scale = "1 %"`, 1e-15},
		{`map = "grey.png"`, 0.003},
	} {
		f := files{"stack.toml": small + "fill = { inclusion = \"copper\", rule = \"pattern\", " + tt.entry + " }\n"}
		for name, data := range inputs {
			f[name] = data
		}
		fill := mustParse(t, f).Layers[0].Regions[0].Fill
		if fill.NX != 3 || fill.NY != 2 || fill.Rule != stack.Pattern {
			t.Errorf("%s: %+v", tt.entry, fill)
			continue
		}
		for i, v := range fill.Values {
			if math.Abs(v-want[i]) > tt.tolerance {
				t.Errorf("%s: tile %d is %v, want %v", tt.entry, i, v, want[i])
			}
		}
	}
}

// Of a map in the wrong unit, only the first tiles are reported.
func TestMapOfWrongFractions(t *testing.T) {
	f := files{"stack.toml": small + "fill = { inclusion = \"copper\", map = [[2, 2, 2, 2, 2, 2, 2]], " +
		"orientation = \"south-first\" }\n"}
	_, err := Parse("stack.toml", []byte(f["stack.toml"]), f.open)
	if err == nil || strings.Count(err.Error(), "a fraction must lie between") != stack.MaxOverlaps {
		t.Errorf("%v; expected %d errors", err, stack.MaxOverlaps)
	}
}

// Broken arrays and pictures must be told, never panic.
func FuzzMapFiles(f *testing.F) {
	f.Add([]byte(npyFile("<f8", "False", 1, 1, []float64{1})))
	f.Add([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff12"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if rows, err := npy.Matrix(data, maxTiles); err == nil && (len(rows) == 0 || len(rows[0]) == 0) {
			t.Error("an empty map")
		}
		readGreys(data)
	})
}

func TestFillFromCounts(t *testing.T) {
	text := small + `[[layer.region]]
material = "silicon"
x = 0
y = 0
width = "1 mm"
height = "2 mm"
fill = { inclusion = "copper", diameter = "10 um", count = 400 }
[[layer.region]]
material = "silicon"
x = "1 mm"
y = 0
width = "1 mm"
height = "1 mm"
fill = { inclusion = "copper", diameter = "10 um", pitch = "20 um" }
[[layer.region]]
material = "silicon"
x = "3 mm"
y = 0
width = "1 mm"
height = "1 mm"
fill = { inclusion = "copper", rule = "hexagonal", diameter = "10 um", pitch = "20 um" }
`
	regions := mustParse(t, files{"stack.toml": text}).Layers[0].Regions
	via := math.Pi / 4 * 1e-10
	for i, want := range []stack.Fill{{Rule: stack.Cylinders, Values: []float64{400 * via / 2e-6}},
		{Rule: stack.Square, Values: []float64{via / 4e-10}},
		{Rule: stack.Hexagonal, Values: []float64{via / (math.Sqrt(3) / 2 * 4e-10)}}} {
		got := regions[i].Fill
		if got.Rule != want.Rule || math.Abs(got.Values[0]-want.Values[0]) > 1e-15 {
			t.Errorf("region %d: %s of %v, want %s of %v", i, got.Rule, got.Values[0], want.Rule, want.Values[0])
		}
	}
}

// shapes has every shape wherever one may stand.
const shapes = small + `fill = { inclusion = "copper", map = [[0.1, 0.2], [0.3, 0]], orientation = "north-first" }
[[layer.region]]
name = "vias"
material = "copper"
circle = { x = "1 mm", y = "2 mm", diameter = "0.3 mm" }
array = { nx = 3, ny = 2, pitch = ["0.5 mm", "1 mm"] }
[[layer.region]]
material = "copper"
polygon = [["5 mm", "5 mm"], ["5 mm", "7 mm"], ["6.1 mm", "5.7 mm"]]
power = { density = "1 W/mm^2", schedule = [{ t = 0, factor = 2 }] }
fill = { inclusion = "sio2", rule = "lines-y", fraction = 0.25 }
tmax = "90 degC"
die = "chip"
[[layer.power]]
block = [
  { name = "round", circle = { x = "8 mm", y = "8 mm", diameter = "2 mm" }, power = 3 },
  { name = "corner", polygon = [["9.5 mm", "0 mm"], ["10 mm", "0 mm"], ["10 mm", "0.5 mm"]], power = 2 },
]
[[layer.power]]
uniform = "1 W"
circle = { x = "5 mm", y = "5 mm", diameter = "10 mm" }
`

func TestShapes(t *testing.T) {
	s := mustParse(t, files{"stack.toml": shapes})
	y := &s.Layers[0]
	if len(y.Regions) != 8 {
		t.Fatalf("%d regions, want the fill, six vias and the polygon", len(y.Regions))
	}
	if got, want := y.Regions[6].Shape, (geometry.Circle{X: 2e-3, Y: 3e-3, Diameter: 0.3e-3}); got != want {
		t.Errorf("last via %v, want %v", got, want)
	}
	if area := 1.1e-3 * 2e-3 / 2; math.Abs(y.Powers[2].Uniform-area*1e6) > 1e-12 {
		t.Errorf("the triangle makes %v W, want %v", y.Powers[2].Uniform, area*1e6)
	}
	if got := y.Powers[0].Blocks[0].Area(); math.Abs(got-math.Pi*1e-6) > 1e-20 {
		t.Errorf("the round block has %v m2", got)
	}
	again, text, err := reload(s)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(s, again, sameStack, cmp.Comparer(func(a, b *stack.Fill) bool {
		return a == nil && b == nil || a != nil && b != nil && a.Inclusion == b.Inclusion && a.Rule == b.Rule &&
			a.NX == b.NX && slices.Equal(a.Values, b.Values)
	})); diff != "" {
		t.Errorf("printing changed it (-before +after):\n%s\n%s", diff, text)
	}
}

// What Load cannot make, a stack built in Go can.
func TestValidateShapes(t *testing.T) {
	for want, spoil := range map[string]func(*stack.Layer){
		"its rectangle is not the bounding rectangle of its shape": func(y *stack.Layer) { y.Regions[1].X = 0 },
		"the shape needs finite coordinates and a nonzero area": func(y *stack.Layer) {
			y.Regions[1].Shape = geometry.Circle{X: math.NaN(), Diameter: 1}
		},
		"unknown mixing rule":             func(y *stack.Layer) { y.Regions[0].Fill.Rule = "emulsion" },
		"must lie between 0 and 1, got 2": func(y *stack.Layer) { y.Regions[0].Fill.Values[1] = 2 },
		"has 4 fractions":                 func(y *stack.Layer) { y.Regions[0].Fill.NX = 3 },
		"there is no material number 9":   func(y *stack.Layer) { y.Regions[0].Fill.Inclusion = 9 },
		"must have either rectangles or one other shape": func(y *stack.Layer) {
			b := &y.Powers[0].Blocks[0]
			b.Shapes = append(b.Shapes, b.Shapes[0])
		},
		"a shape applies to uniform powers only": func(y *stack.Layer) { y.Powers[0].Shape = y.Regions[1].Shape },
	} {
		s := mustParse(t, files{"stack.toml": shapes})
		spoil(&s.Layers[0])
		if err := stack.Validate(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A power map in every format: 1 2 3 W in the south, 4 5 6 W in the north.
func TestPowerMaps(t *testing.T) {
	inputs := map[string]string{
		"f8.npy":    npyFile("<f8", "False", 2, 3, []float64{1, 2, 3, 4, 5, 6}),
		"minus.npy": npyFile("<f8", "False", 1, 2, []float64{1, -2}),
		"grey.png":  greys(t, [][]uint8{{102, 127, 153}, {25, 51, 76}}),
	}
	for _, tt := range []struct {
		entry     string
		tolerance float64
	}{
		{`map = "f8.npy", unit = "W", orientation = "south-first"`, 0},
		{`map = "f8.npy", unit = "mW", orientation = "south-first", scale = 1000`, 1e-14},
		{`map = "grey.png", unit = "W", scale = 10`, 0.03},
		{`map = [[0.5, 1, 1.5], [2, 2.5, 3]], unit = "W", orientation = "south-first", scale = 2`, 0},
	} {
		f := files{"stack.toml": small + "power = { " + tt.entry + " }\n"}
		for name, data := range inputs {
			f[name] = data
		}
		m := mustParse(t, f).Layers[0].Powers[0].Map
		if m.NX != 3 || m.NY != 2 {
			t.Errorf("%s: %d x %d", tt.entry, m.NX, m.NY)
			continue
		}
		for i, v := range m.Values {
			if math.Abs(v-float64(i+1)) > tt.tolerance {
				t.Errorf("%s: tile %d is %v", tt.entry, i, v)
			}
		}
	}
	for entry, want := range map[string]string{
		`map = "grey.png", unit = "W"`: "an image as a power map needs scale, the value of white",
		`map = "f8.npy", unit = "W"`:   "a power map needs orientation",
		`map = "minus.npy", unit = "W", orientation = "south-first"`: "minus.npy:1:2: a value of a power map must be " +
			"finite and not negative, got -2",
		`uniform = "1 W", scale = 2`: "scale has no effect on a power with uniform",
	} {
		f := files{"stack.toml": small + "power = { " + entry + " }\n"}
		for name, data := range inputs {
			f[name] = data
		}
		if _, err := Parse("stack.toml", []byte(f["stack.toml"]), f.open); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", entry, err)
		}
	}
}
