package export

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"thermsim/interop/hotspot"
	"thermsim/interop/importer"
	"thermsim/interop/threedice"
	"thermsim/mesh"
	"thermsim/stack"
)

// distinct is a field without two cells alike, whatever their plane, row, column and step.
type distinct struct{ nx, ny, step int }

func (f distinct) at(i, j, k int) float64 {
	return 300 + float64(i) + 20*float64(j)/float64(1+i) + 60*float64(k) + 7*float64(f.step)
}

func (f distinct) Plane(k int, dst []float64) error {
	for n := range dst {
		dst[n] = f.at(n%f.nx, n/f.nx, k)
	}
	return nil
}

// instants are the numbers of a file, without headings: rows, and an empty line behind every instant of a map.
func instants(t *testing.T, path string) (all [][][]float64) {
	t.Helper()
	var rows [][]float64
	for _, line := range append(lines(t, path), "") {
		switch {
		case strings.HasPrefix(line, "%"):
		case strings.TrimSpace(line) == "":
			if rows != nil {
				all = append(all, rows)
			}
			rows = nil
		default:
			var row []float64
			for _, word := range strings.Fields(line) {
				v, err := strconv.ParseFloat(word, 64)
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				row = append(row, v)
			}
			rows = append(rows, row)
		}
	}
	return all
}

// sameRows compares numbers with as many decimals as the files have here.
func sameRows(t *testing.T, what string, got, want [][]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s has %d rows, want %d", what, len(got), len(want))
	}
	for j := range want {
		if len(got[j]) != len(want[j]) {
			t.Fatalf("%s: row %d has %d numbers, want %d", what, j, len(got[j]), len(want[j]))
		}
		for i := range want[j] {
			if !(math.Abs(got[j][i]-want[j][i]) <= 1e-9*math.Abs(want[j][i])+6e-10) {
				t.Fatalf("%s: row %d, column %d is %.9f, want %.9f", what, j, i, got[j][i], want[j][i])
			}
		}
	}
}

// The stack of the channels' case with instructions of every kind, for a transient of two slots of three steps each.
var (
	columns = []float64{0, 60, 180, 260, 380, 460, 580, 660, 780, 840} // um, walls and channels by turns
	rows    = []float64{0, 100, 200, 300, 400, 500, 600, 700, 800}
	planeOf = map[string]int{"CONN": 0, "LOW_CH": 1, "LOWER": 3, "TOP_CH": 5, "UPPER": 7}
	floors  = map[string][]flooring{
		"UPPER": {{"left", [4]float64{0, 0, 420, 800}, [2]float64{0.3, 0.1}},
			{"right", [4]float64{420, 200, 420, 600}, [2]float64{0.05, 0.4}}},
		"LOWER": {{"core", [4]float64{150, 250, 420, 330}, [2]float64{0.8, 0.6}}},
	}
)

const (
	steps      = 6
	perSlot    = 3
	everything = `
   Tmap ( UPPER, "Tmap_UPPER", step ) ;
   Tmap ( LOW_CH, "Tmap_LOW_CH", step ) ;
   Pmap ( UPPER, "Pmap_UPPER", step ) ;
   Pmap ( LOWER, "Pmap_LOWER", step ) ;
   Pmap ( CONN, "Pmap_CONN", step ) ;
   Tflp ( UPPER, "Tflp_UPPER_maximum", maximum, step ) ;
   Tflp ( UPPER, "Tflp_UPPER_minimum", minimum, step ) ;
   Tflp ( UPPER, "Tflp_UPPER_average", average, step ) ;
   Tflp ( LOWER, "Tflp_LOWER_gradient", gradient, step ) ;
   Tflpel ( UPPER.right, "Tflpel_UPPER_average", average, step ) ;
   Tcoolant ( LOW_CH, "Tcoolant_LOW_CH_maximum", maximum, step ) ;
   Tcoolant ( LOW_CH, "Tcoolant_LOW_CH_minimum", minimum, step ) ;
   Tcoolant ( TOP_CH, "Tcoolant_TOP_CH_average", average, step ) ;
   T ( UPPER, 500, 210, "T_UPPER", step ) ;
`
)

// flooring is an element of a floorplan: x, y, length and width in um, and watts in the two slots.
type flooring struct {
	name  string
	rect  [4]float64
	watts [2]float64
}

// share is the part of the element in a cell.
func (f *flooring) share(i, j int) float64 {
	r := f.rect
	w := min(columns[i+1], r[0]+r[2]) - max(columns[i], r[0])
	h := min(rows[j+1], r[1]+r[3]) - max(rows[j], r[1])
	return max(0, w) * max(0, h) / (r[2] * r[3])
}

// asking imports a case of package threedice with other instructions.
func asking(t *testing.T, name, instructions string) (*importer.Result, *mesh.Mesh) {
	t.Helper()
	r, err := threedice.Format.Import(importer.Request{
		Files: []string{filepath.Join("..", "threedice", "testdata", name, "case.stk")}, Direct: true,
		Open: func(path string) ([]byte, error) {
			text, err := os.ReadFile(path)
			if at := bytes.Index(text, []byte("output:")); at >= 0 {
				text = append(text[:at:at], "output:"+instructions...)
			}
			return text, err
		}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(r.Stack)
	if err != nil {
		t.Fatal(err)
	}
	return r, m
}

// Cells of non-uniform mode are parts of an element, which shares its watts among them: two and three of them here.
func TestPowersOfNonUniformCellsReadBack(t *testing.T) {
	r, m := asking(t, "volume", `Pmap ( CHIP, "Pmap", step ) ;`)
	dir := t.TempDir()
	files := begin(t, dir)
	w, err := New(r, m, Options{Files: files, Decimals: 9, Steps: 4})
	if err != nil {
		t.Fatal(err)
	}
	for step := 1; step <= 4; step++ {
		if err := w.Step(5e-4*float64(step), distinct{m.NX(), m.NY(), step}); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, w, files)
	got := instants(t, filepath.Join(dir, "Pmap"))
	if len(got) != 4 {
		t.Fatalf("%d instants, want 4", len(got))
	}
	for step, rows := range got {
		want := []float64{0.01, 0.01, 0, 0, 0}
		if step >= 2 {
			want = []float64{0.005, 0.005, 0.001 / 3, 0.001 / 3, 0.001 / 3}
		}
		sameRows(t, fmt.Sprint("step ", step+1), rows, [][]float64{want})
	}
}

// What 3D-ICE's files say of a field without two cells alike: cells, blocks, outlets and powers, worked out here.
func TestThreeDICEFilesReadBack(t *testing.T) {
	r, m := asking(t, "channels4rm", everything)
	dir := t.TempDir()
	files := begin(t, dir)
	w, err := New(r, m, Options{Files: files, Decimals: 9, Steps: steps})
	if err != nil {
		t.Fatal(err)
	}
	field := func(step int) distinct { return distinct{len(columns) - 1, len(rows) - 1, step} }
	for step := 1; step <= steps; step++ {
		if err := w.Step(2e-3*float64(step), field(step)); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, w, files)
	outputs := r.Outputs.(*threedice.Outputs)
	read := NewLive(outputs, m)
	for n := range outputs.Instructions {
		ins := &outputs.Instructions[n]
		got := instants(t, filepath.Join(dir, ins.File))
		if !strings.HasSuffix(ins.Kind, "map") { // a row for each instant
			rows := got[0]
			got = nil
			for step, row := range rows {
				sameRows(t, ins.File+", time", [][]float64{row[:1]}, [][]float64{{2e-3 * float64(step+1)}})
				got = append(got, [][]float64{row[1:]})
			}
		}
		if len(got) != steps {
			t.Fatalf("%s has %d instants, want %d", ins.File, len(got), steps)
		}
		for step := 1; step <= steps; step++ {
			want := expected(ins, field(step))
			sameRows(t, fmt.Sprintf("%s, step %d", ins.File, step), got[step-1], want)
			if ins.Kind == "Pmap" {
				checkWatts(t, ins, got[step-1], step)
				continue
			}
			read.Renew()
			values, columns, err := read.Values(ins, field(step))
			if err != nil {
				t.Fatal(err)
			}
			sameRows(t, "values of "+ins.File, slices.Collect(slices.Chunk(values, columns)), want)
		}
	}
}

// expected is what an instruction asks of a field.
func expected(ins *threedice.Output, f distinct) (want [][]float64) {
	k, slot := planeOf[ins.Element], (f.step-1)/perSlot
	if strings.HasSuffix(ins.Kind, "map") {
		for j := range f.ny {
			var row []float64
			for i := range f.nx {
				v := f.at(i, j, k)
				if ins.Kind == "Pmap" {
					v = wattsOf(ins.Element, i, j, slot)
				}
				row = append(row, v)
			}
			want = append(want, row)
		}
		return want
	}
	var of [][]float64 // the temperatures that each number is made of
	switch ins.Kind {
	case "T":
		return [][]float64{{f.at(5, 2, k)}}
	case "Tcoolant":
		var outlet []float64
		for i := 1; i < f.nx; i += 2 { // the coolant leaves in the north
			outlet = append(outlet, f.at(i, f.ny-1, k))
		}
		of = append(of, outlet)
	default:
		for _, e := range floors[ins.Element] {
			var touched []float64
			for n := range f.nx * f.ny {
				if i, j := n%f.nx, n/f.nx; e.share(i, j) > 0 {
					touched = append(touched, f.at(i, j, k))
				}
			}
			if ins.Kind == "Tflp" || e.name == ins.Block {
				of = append(of, touched)
			}
		}
	}
	row := make([]float64, len(of))
	for n, kelvin := range of {
		mean := 0.0
		for _, v := range kelvin {
			mean += v / float64(len(kelvin))
		}
		row[n] = map[string]float64{"maximum": slices.Max(kelvin), "minimum": slices.Min(kelvin), "average": mean,
			"gradient": slices.Max(kelvin) - slices.Min(kelvin)}[ins.Quantity]
	}
	return [][]float64{row}
}

// sinkWatts is the conductance from a cell of the upper die to the heat sink times its temperature: half the height of
// the source is in the way, 2 um of silicon, and the film.
func sinkWatts(element string, i, j int) float64 {
	if element != "UPPER" {
		return 0
	}
	area := (columns[i+1] - columns[i]) * (rows[j+1] - rows[j])
	return area / (1/1e-7 + 1/1.3e-4) * 300
}

func wattsOf(element string, i, j, slot int) float64 {
	sum := sinkWatts(element, i, j)
	for _, e := range floors[element] {
		sum += e.watts[slot] * e.share(i, j)
	}
	return sum
}

// checkWatts adds up a map without the heat sink: all of it, and the part of it that an element has to itself.
func checkWatts(t *testing.T, ins *threedice.Output, got [][]float64, step int) {
	t.Helper()
	slot, sum, want := (step-1)/perSlot, 0.0, 0.0
	inside, alone := make([]float64, len(floors[ins.Element])), make([]float64, len(floors[ins.Element]))
	for j := range got {
		for i := range got[j] {
			watts := got[j][i] - sinkWatts(ins.Element, i, j)
			sum += watts
			for n, e := range floors[ins.Element] {
				others := 0.0
				for o, other := range floors[ins.Element] {
					if o != n {
						others += other.share(i, j)
					}
				}
				if e.share(i, j) > 0 && others == 0 {
					inside[n] += watts
					alone[n] += e.watts[slot] * e.share(i, j)
				}
			}
		}
	}
	for _, e := range floors[ins.Element] {
		want += e.watts[slot]
	}
	if math.Abs(sum-want) > 1e-7 { // 72 cells to half of 1e-9 W
		t.Errorf("%s, step %d: %g W, want %g", ins.File, step, sum, want)
	}
	for n := range inside {
		if math.Abs(inside[n]-alone[n]) > 1e-7 {
			name := floors[ins.Element][n].name
			t.Errorf("%s, step %d: %s has %g W, want %g", ins.File, step, name, inside[n], alone[n])
		}
	}
}

// HotSpot's files of such a field, in every mode of its map: blocks with names, then cells from the north, of a die
// that does not begin at the corner of the mesh, with a layer of two unequal planes.
func TestHotSpotFilesReadBack(t *testing.T) {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{7e-3, 6e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: 7}, Y: stack.Axis{Cells: 6}},
		Materials: []stack.Material{{Name: "si", K: [3]float64{100, 100, 100}, C: 1.6e6}},
		Layers: []stack.Layer{{Name: "cache", Thickness: 1e-4, Cells: 1},
			{Name: "core", Thickness: 1e-4, Cells: 1, PowerAt: stack.HeatedBottom, PowerDepth: 2e-5}}}
	s.Layers[1].Powers = []stack.Power{{Area: s.Domain(), Uniform: 1}}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: 300}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	if m.NZ() != 3 || math.Abs(m.Z[2]-1.2e-4) > 1e-12 {
		t.Fatalf("planes at %v", m.Z)
	}
	const east, north, cols, height = 2, 1, 4, 3 // where the die begins, and its cells
	// cell counts from the die's south-western corner; the upper layer is the mean over its height.
	cell := func(f distinct, layer, row, col int) float64 {
		if layer == 0 {
			return f.at(east+col, north+row, 0)
		}
		return 0.2*f.at(east+col, north+row, 1) + 0.8*f.at(east+col, north+row, 2)
	}
	o := hotspot.Outputs{Name: "chip", Rows: height, Cols: cols, Interval: 0.01, DieX: east, DieY: north, Rim: -1,
		Layers: []hotspot.OutputLayer{
			{Prefix: "layer_0_", Blocks: []hotspot.OutputBlock{{Name: "all", Row1: 3, Col1: 4}}},
			{Prefix: "layer_1_", Blocks: []hotspot.OutputBlock{
				{Name: "a", Row0: 1, Row1: 3, Col0: 0, Col1: 3},
				{Name: "b", Row0: 0, Row1: 1, Col0: 1, Col1: 4}}}},
		Columns: []hotspot.OutputColumn{{Layer: 1, Block: 1, Name: "second"}, {Layer: 0, Block: 0, Name: "first"}}}
	block := func(f distinct, layer, n int, mode string) float64 {
		b := o.Layers[layer].Blocks[n]
		var kelvin []float64
		mean, middle, weight := 0.0, 0.0, 0.0
		for row := b.Row0; row < b.Row1; row++ {
			for col := b.Col0; col < b.Col1; col++ {
				v := cell(f, layer, row, col)
				kelvin = append(kelvin, v)
				mean += v / float64((b.Row1-b.Row0)*(b.Col1-b.Col0))
				// The middle cells are those whose centres are at most half a cell from that of the block.
				if math.Abs(float64(2*row+1-b.Row0-b.Row1)) <= 1 && math.Abs(float64(2*col+1-b.Col0-b.Col1)) <= 1 {
					middle, weight = middle+v, weight+1
				}
			}
		}
		return map[string]float64{"avg": mean, "min": slices.Min(kelvin), "max": slices.Max(kelvin),
			"center": middle / weight}[mode]
	}
	for _, mode := range []string{"avg", "min", "max", "center"} {
		for _, steps := range []int{0, 2} {
			o.MapMode = mode
			dir := t.TempDir()
			files := begin(t, dir)
			w, err := New(&importer.Result{Outputs: &o}, m, Options{Files: files, Decimals: 9, Steps: steps})
			if err != nil {
				t.Fatal(err)
			}
			var small, large strings.Builder
			if steps > 0 {
				small.WriteString("second first\n")
			}
			for step := 1; step <= max(1, steps); step++ {
				f := distinct{7, 6, step}
				if err := w.Step(0.01*float64(step), f); err != nil {
					t.Fatal(err)
				}
				if steps > 0 {
					fmt.Fprintln(&small, block(f, 1, 1, mode), block(f, 0, 0, mode))
					fmt.Fprintln(&large, "t =", 0.01*float64(step-1))
				} else {
					fmt.Fprintln(&small, "layer_0_all", block(f, 0, 0, mode), "layer_1_a", block(f, 1, 0, mode),
						"layer_1_b", block(f, 1, 1, mode))
				}
				for layer := range 2 {
					fmt.Fprintf(&large, "Layer %d:\n", layer)
					for n := range height * cols {
						fmt.Fprintln(&large, n, cell(f, layer, height-1-n/cols, n%cols))
					}
				}
			}
			commit(t, w, files)
			suffix := ".steady"
			if steps > 0 {
				suffix = ".ttrace"
			}
			texts := map[string]string{"chip" + suffix: small.String(), "chip.grid" + suffix: large.String()}
			for name, want := range texts {
				path := filepath.Join(t.TempDir(), name)
				if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
					t.Fatal(err)
				}
				sameNumbers(t, filepath.Join(dir, name), path, 1e-8)
			}
		}
	}
}
