package ecxml

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// imported imports the text of a model.
func imported(data []byte, named map[string]string) (*importer.Result, error) {
	return Format.Import(importer.Request{Files: []string{"m.ecxml"}, Named: named, Direct: true,
		Open: func(string) ([]byte, error) { return data, nil }})
}

func mustImport(t *testing.T, data []byte) *importer.Result {
	t.Helper()
	r, err := imported(data, map[string]string{ignoreFlow: "true"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// materialAt is the material of a stack at a point.
func materialAt(s *stack.Stack, x, y, z float64) *stack.Material {
	for i := range s.Layers {
		l := &s.Layers[i]
		if z -= l.Thickness; z > 0 {
			continue
		}
		index := l.Material
		for _, r := range l.Regions {
			in := x > r.X && x < r.X+r.Width && y > r.Y && y < r.Y+r.Height
			spot := geometry.Box{X0: x, Y0: y, X1: x + 1e-9, Y1: y + 1e-9}
			if in && (r.Shape == nil || geometry.Within(r.Shape, spot) > 0) {
				index = r.Material
			}
		}
		return &s.Materials[index]
	}
	return nil
}

// Every element of the format becomes what it describes; what has no counterpart is listed.
func TestElements(t *testing.T) {
	data, err := os.ReadFile("testdata/elements.ecxml")
	if err != nil {
		t.Fatal(err)
	}
	r := mustImport(t, data)
	s := r.Stack
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s: got %v, expected %v", what, got, want)
		}
	}
	near("width", s.Size[0], 0.02)
	near("depth", s.Size[1], 0.01)
	near("height", s.Height(), 0.004)
	near("ambient", s.Ambient, 300)
	near("power", s.Watts(), 0.5+0.25+0.125+0.0625+0.125+0.5)
	for _, at := range []struct {
		x, y, z  float64 // mm
		material string
	}{
		{19.5, 0.5, 0.5, "fr4"}, {4, 4, 1.2, "silicon"}, {4, 4, 1.6, "aluminum"}, {2.5, 4, 3, "aluminum"},
		{5.5, 4, 3, "aluminum"}, {4, 4, 3, "open_space"}, {19.5, 0.5, 2, "open_space"},
		{9, 3, 2, "alloy"}, {8.1, 2.1, 2, "open_space"}, // a circle has no corners
		{9, 7, 2, "alloy"}, {9, 6.1, 1.1, "air"}, // below the pipe along x
		{13.2, 5, 2, "aluminum"}, {14.5, 5, 2, "air"}, {14.5, 5, 3.9, "aluminum"}, {14.5, 5, 1.2, "aluminum"},
		{18, 3, 1.2, "regulator_low"}, {18, 3, 1.7, "regulator_junction"}, {18, 3, 2.3, "regulator_high"},
	} {
		if m := materialAt(s, at.x*1e-3, at.y*1e-3, at.z*1e-3); m.Name != at.material {
			t.Errorf("at %g, %g, %g mm: %s, expected %s", at.x, at.y, at.z, m.Name, at.material)
		}
	}
	find := func(name string) *stack.Material {
		return &s.Materials[slices.IndexFunc(s.Materials, func(m stack.Material) bool { return m.Name == name })]
	}
	near("k of fr4 along z", find("fr4").K[2], 0.3)
	near("c of fr4", find("fr4").C, 1900*1100)
	near("k of silicon at 350 K", find("silicon").KCurve[0].Of(350), 128)
	for _, at := range [][2]float64{{300, 15}, {260, 11}, {400, 17.5}, {440, 15.5}, {200, 10}, {500, 15}} {
		near("k of alloy", find("alloy").KCurve[2].Of(at[0]), at[1])
	}
	// 10 and 20 K/W over 6 mm2 and thirds of 1.5 mm
	near("theta_JC", 0.5e-3/(find("regulator_high").K[2]*6e-6), 10)
	near("theta_JB", 0.5e-3/(find("regulator_low").K[2]*6e-6), 20)
	near("emissivity of the board", s.Boundary[stack.Bottom].Emissivity, 0.9)
	p := s.Probes[0]
	near("probe x", p.X, 0.004)
	near("probe z", p.Z, 0.0015)
	area := 0.0
	for i := range s.Layers { // the pipe's cross-section at x = 9 mm
		y := &s.Layers[i]
		for _, g := range y.Regions {
			if g.Name == "pipe" {
				area += g.Height * y.Thickness
			}
		}
	}
	near("cross-section of the pipe", area, math.Pi/4*2e-3*2e-3)
	var notes strings.Builder
	for _, n := range r.Notes {
		notes.WriteString(n.String() + "\n")
	}
	for _, want := range []string{`grille "vent"`, `flowResistance "filter"`, `rectangular2dFan "fan2d"`,
		`axial3dFan "fan3d"`, `<vendorObject>`, `<vendorData>`, "external CAD file", "radiant temperature"} {
		if !strings.Contains(notes.String(), want) {
			t.Errorf("no note on %s", want)
		}
	}
	_, err = imported(data, nil)
	if err == nil || !strings.Contains(err.Error(), "the flow of air") || !strings.Contains(err.Error(), "fan3d") {
		t.Errorf("flow: %v", err)
	}
}

// Random boxes have the material of the last one that contains a point, and between them air or open space.
func TestLaterObjectsWin(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		type cuboid struct {
			lo, hi [3]int
			name   string
		}
		var all []cuboid
		var text strings.Builder
		text.WriteString("<neutralXML><materials>")
		for m := range 4 {
			text.WriteString(plainMaterial(string(rune('a'+m)), float64(m+1)))
		}
		text.WriteString("</materials><geometry>")
		for range 1 + rng.IntN(12) {
			var c cuboid
			for i := range 3 {
				c.lo[i] = rng.IntN(8)
				c.hi[i] = c.lo[i] + 1 + rng.IntN(9-c.lo[i])
			}
			c.name = string(rune('a' + rng.IntN(4)))
			all = append(all, c)
			text.WriteString(cuboidText(c.name, c.lo, c.hi, 1e-3))
		}
		text.WriteString("</geometry></neutralXML>")
		s := mustImport(t, []byte(text.String())).Stack
		lo, hi := all[0].lo, all[0].hi
		for _, c := range all {
			for i := range 3 {
				lo[i], hi[i] = min(lo[i], c.lo[i]), max(hi[i], c.hi[i])
			}
		}
		solid := func(x, y, z int) string {
			name := ""
			for _, c := range all {
				if x >= c.lo[0] && x < c.hi[0] && y >= c.lo[1] && y < c.hi[1] && z >= c.lo[2] && z < c.hi[2] {
					name = c.name
				}
			}
			return name
		}
		expected := func(x, y, z int) string {
			below, above := false, false
			for k := lo[2]; k < hi[2]; k++ {
				below = below || k < z && solid(x, y, k) != ""
				above = above || k > z && solid(x, y, k) != ""
			}
			switch name := solid(x, y, z); {
			case name != "":
				return name
			case below && above:
				return "air"
			}
			return "open_space"
		}
		for x := lo[0]; x < hi[0]; x++ {
			for y := lo[1]; y < hi[1]; y++ {
				for z := lo[2]; z < hi[2]; z++ {
					at := func(i, v int) float64 { return (float64(v-lo[i]) + 0.5) * 1e-3 }
					if got := materialAt(s, at(0, x), at(1, y), at(2, z)).Name; got != expected(x, y, z) {
						t.Fatalf("seed %d at %d, %d, %d: %s, expected %s", seed, x, y, z, got, expected(x, y, z))
					}
				}
			}
		}
	}
}
