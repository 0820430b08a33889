package icepak

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"thermsim/stack"
	"thermsim/stack/stackfile"
)

const text = `schema = 1
size = ["4 mm", "3 mm"]
[[layer]]
name = "die"
material = "silicon"
thickness = "100 um"
power_at = "top"
power = [
  { block = [{ name = "a.0", rects = [["0 mm", "0 mm", "1 mm", "1 mm"], ["1 mm", "0 mm", "3 mm", "1 mm"]], power = "4 W" },
    { name = "a 0", circle = { x = "2 mm", y = "2 mm", diameter = "1 mm" }, power = "2 W", leakage = { power = 1, beta = 0.01, range = [300, 400] } },
    { name = "off", x = 0, y = "1 mm", width = "1 mm", height = "1 mm", power = 0 }] },
  { map = [[0.5, 0], [1, 2]], unit = "W", orientation = "south-first" }]
[[layer]]
name = "lid"
material = "copper"
thickness = "1 mm"
power_at = "volume"
power = { uniform = "3 W", schedule = [{ t = 0, factor = 2 }], polygon = [[0, 0], ["2 mm", 0], ["2 mm", "2 mm"]] }
`

// parsed is a polygon of a file, as PyAEDT reads it.
type parsed struct{ watts, area, z float64 }

// read takes the tables apart as PyAEDT's extension does: three lines, names with power and unit until an empty line,
// three lines, names with corners from the eleventh column on.
func read(t *testing.T, data []byte) map[string]parsed {
	t.Helper()
	r := csv.NewReader(bytes.NewReader(data))
	rows, err := r.ReadAll() // fails if rows have different lengths
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]parsed{}
	rows = rows[3:]
	for ; rows[0][0] != ""; rows = rows[1:] {
		watts, err := strconv.ParseFloat(rows[0][1], 64)
		if _, twice := all[rows[0][0]]; err != nil || rows[0][2] != "W" || twice {
			t.Fatalf("%q", rows[0])
		}
		all[rows[0][0]] = parsed{watts: watts}
	}
	for _, row := range rows[4:] {
		p := all[row[0]]
		var corners [][3]float64
		for _, cell := range row[10:] {
			var c [3]float64
			if cell == "" {
				continue
			}
			if n, err := fmt.Sscan(cell, &c[0], &c[1], &c[2]); n != 3 {
				t.Fatal(err)
			}
			corners = append(corners, c)
		}
		if strconv.Itoa(len(corners)) != row[4] {
			t.Errorf("%s corners, want %d", row[4], len(corners))
		}
		for i, c := range corners {
			d := corners[(i+1)%len(corners)]
			p.area += (c[0]*d[1] - d[0]*c[1]) / 2
		}
		p.z = corners[0][2]
		all[row[0]] = p
	}
	return all
}

func TestWrite(t *testing.T) {
	s, err := stackfile.Parse("stack.toml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	notes, err := Write(&b, s)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(notes, "; "); got != `layer "die": leakage is not written; layer "lid": powers in time are `+
		"written as those of a steady state" {
		t.Error(got)
	}
	got := read(t, b.Bytes())
	for name, want := range map[string]parsed{
		"die_a_0":   {1, 1e-6, 1e-4},
		"die_a_0_2": {3, 3e-6, 1e-4},
		"die_a_0_3": {2, math.Pi / 4 * 1e-6, 1e-4},
		"die_0_0":   {0.5, 3e-6, 1e-4},
		"die_0_1":   {1, 3e-6, 1e-4},
		"die_1_1":   {2, 3e-6, 1e-4},
		"lid":       {3, 2e-6, 6e-4},
	} {
		g := got[name]
		if g.watts != want.watts || math.Abs(g.area/want.area-1) > 1e-9 || math.Abs(g.z-want.z) > 1e-12 {
			t.Errorf("%s: %+v, want %+v", name, g, want)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("further: %v", got)
	}
	if _, err := Write(&b, &stack.Stack{Layers: []stack.Layer{{}}}); err == nil ||
		!strings.Contains(err.Error(), "no power") {
		t.Error(err)
	}
}
