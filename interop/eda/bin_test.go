package eda

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"thermsim/internal/testtier"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

func mustImport(t *testing.T, q Request) *Result {
	t.Helper()
	r, err := Import(q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// near compares maps tile by tile, relative to the total.
func near(t *testing.T, got *Map, want []float64, tolerance float64) {
	t.Helper()
	if len(got.Watts) != len(want) {
		t.Fatalf("%d tiles, want %d", len(got.Watts), len(want))
	}
	all := 0.0
	for _, w := range want {
		all += math.Abs(w)
	}
	for k := range want {
		if d := math.Abs(got.Watts[k] - want[k]); !(d <= tolerance*all) {
			t.Fatalf("tile (%d, %d): got %.17g W, want %.17g W", k%got.NX, k/got.NX, got.Watts[k], want[k])
		}
	}
}

// bruteForce bins boxes by the definition: for every tile and every box, the area they share over the area of the box.
func bruteForce(boxes []Box, watts []float64, die Box, nx, ny int) []float64 {
	tiles := make([]float64, nx*ny)
	dx, dy := (die.X1-die.X0)/float64(nx), (die.Y1-die.Y0)/float64(ny)
	for k := range tiles {
		i, j := float64(k%nx), float64(k/nx)
		x0, x1, y0, y1 := die.X0+i*dx, die.X0+(i+1)*dx, die.Y0+j*dy, die.Y0+(j+1)*dy
		for c, b := range boxes {
			w := math.Min(x1, b.X1) - math.Max(x0, b.X0)
			h := math.Min(y1, b.Y1) - math.Max(y0, b.Y0)
			if w > 0 && h > 0 {
				tiles[k] += watts[c] * w * h / ((b.X1 - b.X0) * (b.Y1 - b.Y0))
			}
		}
	}
	return tiles
}

func TestSyntheticAgainstBruteForce(t *testing.T) {
	s := synthesize(2000)
	for _, grid := range [][2]int{{1, 1}, {7, 5}, {40, 64}, {333, 3}} {
		r := mustImport(t, request(s.files(), grid[0], grid[1]))
		near(t, r.Map, bruteForce(s.boxes, s.power, r.Bounds, grid[0], grid[1]), 1e-13)
		if d := math.Abs(r.Map.Total() - s.watts); d > 1e-12*s.watts {
			t.Errorf("%v: total off by %g W of %g W", grid, d, s.watts)
		}
		if r.Instances != 2000 || r.Silent != 0 || r.Clipped != 0 || len(r.Notes) != 0 {
			t.Errorf("%d instances, %d silent, %d clipped, notes %v", r.Instances, r.Silent, r.Clipped, r.Notes)
		}
	}
}

func TestSyntheticLarge(t *testing.T) {
	s := synthesize(testtier.Pick(10_000, 100_000))
	r := mustImport(t, request(s.files(), 512, 512))
	if d := math.Abs(r.Map.Total() - s.watts); d > 1e-12*s.watts {
		t.Errorf("total off by %g W of %g W", d, s.watts)
	}
	var text bytes.Buffer
	if err := r.WriteMap(&text); err != nil {
		t.Fatal(err)
	}
	again, err := readMap(text.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if again.NX != 512 || again.NY != 512 {
		t.Fatalf("the map reads back as %d x %d", again.NX, again.NY)
	}
	for k, w := range r.Map.Watts {
		if again.Values[k] != w {
			t.Fatalf("tile %d: %g W was written, %g W read back", k, w, again.Values[k])
		}
	}
}

// readMap reads a map of powers as a stack does.
func readMap(text []byte) (*stack.PowerMap, error) {
	s, err := stackfile.Parse("stack.toml", []byte(`schema = 1
size = ["1 mm", "1 mm"]
boundary = { bottom = { h = 10 } }
[[layer]]
name = "die"
material = "silicon"
thickness = "100 um"
power = { map = "map.csv", unit = "W", orientation = "south-first" }
`), func(string) ([]byte, error) { return text, nil })
	if err != nil {
		return nil, err
	}
	return s.Layers[0].Powers[0].Map, nil
}

// design makes the files of a design from the lines of its components and the rows of its report.
func design(die, components, rows string) map[string][]byte {
	lines := strings.Split(strings.TrimSpace(components), "\n")
	def := fmt.Sprintf("VERSION 5.8 ;\nDESIGN small ;\nUNITS DISTANCE MICRONS 1000 ;\nDIEAREA %s ;\nCOMPONENTS %d "+
		";\n%s\nEND COMPONENTS\nEND DESIGN\n", die, len(lines), strings.Join(lines, "\n"))
	lef := "MACRO RAM\n CLASS BLOCK ;\n SIZE 30 BY 10 ;\nEND RAM\nMACRO TILE\n SIZE 10 BY 10 ;\nEND TILE\nEND LIBRARY\n"
	head := "  Internal  Switching    Leakage      Total\n     Power      Power      Power      Power " +
		"(Watts)\n-----------------------------------\n"
	return map[string][]byte{"d.def": []byte(def), "c.lef": []byte(lef), "p.rpt": []byte(head + rows)}
}

const square = "( 0 0 ) ( 100000 100000 )"

// Cells that cover the die with the same power per area make a uniform map on any grid.
func TestUniform(t *testing.T) {
	var components, rows strings.Builder
	for i := range 100 {
		fmt.Fprintf(&components, "- t%d TILE + PLACED ( %d %d ) S ;\n", i, i%10*10000, i/10*10000)
		fmt.Fprintf(&rows, "0 0 0.25 0.25 t%d\n", i)
	}
	for _, grid := range [][2]int{{10, 10}, {7, 13}, {64, 64}, {100, 1}} {
		r := mustImport(t, request(design(square, components.String(), rows.String()), grid[0], grid[1]))
		want := make([]float64, grid[0]*grid[1])
		for k := range want {
			want[k] = 25 / float64(len(want))
		}
		near(t, r.Map, want, 1e-15)
	}
}

// A macro of 30 x 10 um with its corner at (20, 40), on tiles of 10 um; turned it is 10 x 30 um with its corner at the
// same place.
func TestMacroAndOrientation(t *testing.T) {
	for _, orient := range []string{"N", "S", "FN", "FS", "E", "W", "FE", "FW"} {
		r := mustImport(t,
			request(design(square, "- ram RAM + FIXED ( 20000 40000 ) "+orient+" ;", "1 0.4 0.1 1.5 ram\n"), 10, 10))
		want := make([]float64, 100)
		for i := range 3 {
			if strings.ContainsAny(orient, "EW") {
				want[(4+i)*10+2] = 0.5
			} else {
				want[4*10+2+i] = 0.5
			}
		}
		near(t, r.Map, want, 1e-15)
	}
}

// Half a tile to the east and a quarter to the north: shares by hand.
func TestSharesByHand(t *testing.T) {
	r := mustImport(t, request(design(square, "- t TILE + COVER ( 25000 12500 ) N ;", "0 0 0 8 t\n"), 10, 10))
	want := make([]float64, 100)
	want[12], want[13], want[22], want[23] = 3, 3, 1, 1
	near(t, r.Map, want, 1e-15)
}

// What reaches beyond the die keeps its watts on the part within, or at the nearest edge.
func TestOutside(t *testing.T) {
	r := mustImport(t,
		request(design(square, "- a TILE + PLACED ( -5000 0 ) N ;\n- b TILE + PLACED ( 200000 95000 ) N ;",
			"2 0 0 2 a\n0 3 0 3 b\n"), 10, 10))
	want := make([]float64, 100)
	want[0], want[99] = 2, 3
	near(t, r.Map, want, 1e-15)
	if r.Clipped != 2 || len(r.Notes) != 1 ||
		!strings.Contains(r.Notes[0].String(), "d.def:6: warning: beyond the die: 2 instances with power") ||
		!strings.Contains(r.Notes[0].Text, "the 4 W outside") { // half of 2 W and all of 3 W
		t.Errorf("%d clipped, notes %v", r.Clipped, r.Notes)
	}
}

// An L-shaped die: the missing quarter gets no power, from cells or from strays.
func TestPolygon(t *testing.T) {
	corners := "( 0 0 ) ( 100000 * ) ( * 50000 ) ( 50000 * ) ( * 100000 ) ( 0 * )"
	q := request(design(corners, "- a TILE + PLACED ( 45000 60000 ) N ;\n- u TILE ;", "0 0 0 2 a\n0 0 0 3 u\n"), 10, 10)
	q.Spread = true
	r := mustImport(t, q)
	want := make([]float64, 100)
	for k := range want {
		if k%10 < 5 || k/10 < 5 {
			want[k] = 3.0 / 75
		}
	}
	want[64] += 2 // the western half of the tile at (45, 60) lies on the die
	near(t, r.Map, want, 1e-14)
	if len(r.Die) != 2 || r.Strays != 1 || r.StrayW != 3 {
		t.Errorf("die %v, %d strays of %g W", r.Die, r.Strays, r.StrayW)
	}
}

// Memory is asked for by the file and the table, not by the cell.
func TestAllocations(t *testing.T) {
	s := synthesize(20_000)
	q := request(s.files(), 64, 64)
	allocations := testing.AllocsPerRun(3, func() {
		if _, err := Import(q); err != nil {
			t.Fatal(err)
		}
	})
	if allocations > 1000 {
		t.Errorf("%g allocations for 20,000 cells", allocations)
	}
}

// A die of 30 um x 15 um whose corner lies at (-5, 10) um, in half nanometres: a tile of 10 um x 10 um at (0, 15) um
// covers four tiles of the map of 5 um, and a bar of 5 um x 10 um, turned, two of them at (10, 10) um. A notch in the
// north-east makes a polygon of it. The stack file around it begins at the die's corner, in metres.
func TestDieBoxAndUnits(t *testing.T) {
	corners := "( -10000 20000 ) ( 50000 * ) ( * 40000 ) ( 40000 * ) ( * 50000 ) ( -10000 * )"
	for _, die := range []string{"( -10000 20000 ) ( 50000 50000 )", "( 50000 50000 ) ( -10000 20000 )", corners} {
		files := design(die, "- t TILE + PLACED ( 0 30000 ) N ;\n- b BAR + PLACED ( 20000 20000 ) FW ;",
			"0 0 0 4 t\n0 0 0 2 b\n")
		files["d.def"] = bytes.Replace(files["d.def"], []byte("MICRONS 1000"), []byte("MICRONS 2000"), 1)
		files["c.lef"] = bytes.Replace(files["c.lef"], []byte("END LIBRARY"),
			[]byte("MACRO BAR\n SIZE 5 BY 10 ;\nEND BAR\nEND LIBRARY"), 1)
		r := mustImport(t, request(files, 6, 3))
		want := make([]float64, 18)
		want[7], want[8], want[13], want[14] = 1, 1, 1, 1
		want[3], want[4] = 1, 1
		near(t, r.Map, want, 1e-15)
		bounds := Box{-5, 10, 25, 25}
		boxes := []Box{bounds}
		if die == corners {
			boxes = []Box{{-5, 10, 25, 20}, {-5, 20, 20, 25}}
		}
		if r.Bounds != bounds || r.Map.Bounds != bounds || !slices.Equal(r.Die, boxes) {
			t.Errorf("bounds %v and %v, boxes %v, want %v", r.Bounds, r.Map.Bounds, r.Die, boxes)
		}
		var text, tiles bytes.Buffer
		if err := r.WriteStack(&text, "m.csv"); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteMap(&tiles); err != nil {
			t.Fatal(err)
		}
		st, err := stackfile.Parse("stack.toml", text.Bytes(), func(string) ([]byte, error) {
			return tiles.Bytes(), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		m := st.Layers[1].Powers[0].Map
		if math.Abs(st.Size[0]-30e-6) > 1e-18 || math.Abs(st.Size[1]-15e-6) > 1e-18 || st.Grid.X.Cells != 6 ||
			st.Grid.Y.Cells != 3 || m.NX != 6 || m.NY != 3 {
			t.Errorf("size %v, grid %+v, map of %d x %d", st.Size, st.Grid, m.NX, m.NY)
		}
		for n, w := range want {
			if math.Abs(m.Values[n]-w) > 1e-12 {
				t.Errorf("tile %d of the stack's map has %g W, want %g", n, m.Values[n], w)
			}
		}
	}
}
