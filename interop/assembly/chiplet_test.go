package assembly

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"thermsim/interop/importer"
)

// twoDies is an interposer with a flip-chip die on pillars of two metals, and an array of dies face up.
const twoDies = `
format_version: "1.0"
assembly: {name: two, units: um}
technologies: {p130: {dbu: 0.001}}
connection_stacks:
  pillar:
    layers:
      - {name: post, material: Cu, height: 28, diameter: 44}
      - {name: cap, material: SnAg, height: 16, diameter: 40}
components:
  - id: ip
    type: interposer
    anchor: bbox_center
    position: {x: 3000, y: 2500, z: 1000}
    dimensions: {width: 6000, height: 5000, thickness: 300}
    attachment_surface_z: 14
  - id: mem
    type: die_array
    technology: p130
    anchor: gds_origin
    dimensions: {width: 800, height: 600, thickness: 200}
    array:
      count: {x: 2, y: 2}
      pitch: {x: 1000, y: 1500}
      start_position: {x: 3900, y: 1600, z: 1014}
  - id: cpu
    type: die
    technology: p130
    anchor: gds_origin
    orientation: flip_chip
    connection: pillar
    rotation: {z: 90}
    position: {x: 1500, y: 2500}
    dimensions: {width: 2000, height: 1000, thickness: 150}
  - id: sub
    type: substrate
    anchor: bbox_center
    position: {x: 3000, y: 2500, z: 214}
    dimensions: {width: 8000, height: 7000, thickness: 500}
interfaces:
  - {id: i, type: copper_pillar, from: {component: cpu}, to: {component: ip}, physical: {pitch: 80}}
`

var twoDiesParts = files{
	"parts.toml": `
stack = "case.toml"
[part.p130]
material = "silicon_85c"
[part.cpu]
power = "2 W"
[part.die_array]
power = "0.25 W"
[part.ip]
material = "glass"
[bond.pillar]
material = "sio2"
`, "case.toml": `
grid = { nx = 16, ny = 14 }
boundary.bottom = { h = "2000 W/(m^2 K)" }
`}

// An assembly has the temperatures of the stack that is written by hand: heights of connection stacks, metals, pitch to
// area fraction, arrays, and power at the faces of dies.
func TestChipletByHand(t *testing.T) {
	region := func(name, material string, x, y, w, h float64) string {
		return fmt.Sprintf("[[layer.region]]\nname = %q\nmaterial = %q\nx = \"%g um\"\ny = \"%g um\"\n"+
			"width = \"%g um\"\nheight = \"%g um\"\n", name, material, x, y, w, h)
	}
	layer := func(name string, thickness float64, cells int) string {
		return fmt.Sprintf("[[layer]]\nname = %q\nmaterial = \"air\"\nthickness = \"%g um\"\ncells = %d\n", name,
			thickness,
			cells)
	}
	power := func(watts, x, y, w, h float64) string {
		return fmt.Sprintf("{ uniform = \"%g W\", area = [\"%g um\", \"%g um\", \"%g um\", \"%g um\"] }, ", watts, x,
			y, w, h)
	}
	// The substrate's corner is at -1000, -1000, and its lower side at z = 214.
	cpu, memory := region("cpu", "silicon_85c", 2000, 2500, 1000, 2000), ""
	heat := ""
	for _, at := range [][2]float64{{4500, 2300}, {5500, 2300}, {4500, 3800}, {5500, 3800}} {
		memory += region(fmt.Sprint("mem", at), "silicon_85c", at[0], at[1], 800, 600)
		heat += power(0.25, at[0], at[1], 800, 600)
	}
	bumps := func(metal string, diameter float64) string {
		return region(metal, "sio2", 2000, 2500, 1000, 2000) +
			fmt.Sprintf("fill = { inclusion = %q, rule = \"square\", "+
				"fraction = %v }\n", metal, math.Pi*diameter*diameter/4/(80*80))
	}
	hand := `
schema = 1
size = ["8 mm", "7 mm"]
grid = { nx = 16, ny = 14 }
boundary.bottom = { h = "2000 W/(m^2 K)" }
` + layer("substrate", 500, 2) + region("s", "organic_substrate", 0, 0, 8000, 7000) +
		layer("interposer", 300, 2) + region("ip", "glass", 1000, 1000, 6000, 5000) +
		layer("post", 28, 1) + bumps("copper", 44) + memory +
		layer("cap", 16, 1) + bumps("solder_sac305", 40) + memory +
		layer("heat", 5, 1) + "power = [" + power(2, 2000, 2500, 1000, 2000) + "]\n" + cpu + memory +
		layer("silicon", 145, 2) + cpu + memory +
		layer("rest", 1, 1) + memory +
		layer("top", 5, 1) + "power = [" + heat + "]\n" + memory
	// The memory ends at 1214, and the die at 1208: the heat of the memory is over its upper 5 um.
	s := mustImport(t, "a.chiplet", files{"a.chiplet": twoDies, "parts.toml": twoDiesParts["parts.toml"],
		"case.toml": twoDiesParts["case.toml"]})
	equal(t, s, hand)
}

// Documents are accepted, accepted with a warning, or refused as in the conformance list of the format.
func TestChipletConformance(t *testing.T) {
	const die = "\ncomponents:\n- {id: u, type: die, anchor: gds_origin, dimensions: {width: 1, height: 1, " +
		"thickness: 1}}\n"
	named := "assembly: {name: a}" + die
	for _, c := range []struct{ text, want string }{ // "" to be accepted, "!" with a warning
		{"format_version: \"1.0\"\n" + named, ""},
		{"format_version: 1.0\n" + named, ""},
		{"format_version: \"1.0\"\n\"flow\": {steps: []}\n" + named, ""},
		{"format_version: \"1.0\"\nflow :\n  steps: []\n" + named, ""},
		{"format_version: \"1.0\"\nfuture: {a: [1]}\n" + named, ""},
		{"format_version: \"1.0\"\ninterfaces: [{id: l, type: quantum_tunnel, from: {component: u}}]\n" + named, ""},
		{"format_version: \"1.1\"\n" + named, "!format_version 1.1 is newer than 1.0"},
		{"format_version: \"2.0\"\n" + named, "a.chiplet:1:17: format_version: got \"2.0\"; expected \"1.0\""},
		{"format_version: \"0.9\"\n" + named, "format_version: got \"0.9\""},
		{named, "a.chiplet:1:1: format_version: got \"\""},
		{"format_version: v1\n" + named, "format_version: got \"v1\""},
		{"format_version: [1, 0]\n" + named, "a.chiplet:1:17: expected a word or a number"},
		{"format_version: \"1.0\"\nflow: {}\nnetlist: {}\nflow: {}\n" + named, "a.chiplet:4:1: key \"flow\""},
		{"format_version: \"1.0\"\nassembly: {units: um}" + die, "the assembly has no name"},
		{"format_version: \"1.0\"\nassembly: {name: \"\"}" + die, "the assembly has no name"},
		{"format_version: \"1.0\"\n_metadata: {finalize_required: true}\n" + named,
			"a.chiplet:2:32: the file is intermed"},
		{"format_version: \"1.0\"\nassembly: {name: a, units: mm}" + die, "a.chiplet:2:28: units: got \"mm\""},
		{"format_version: \"1.0\"\nassembly: {name: a}\n", "a.chiplet:1:1: the assembly has no parts"},
		{"format_version: \"1.0\"\nassembly: {name: a}\ncomponents: [{type: die}]\n",
			"component \"\" of type \"die\": expected an id and a type"},
		{"format_version: \"1.0\"\nassembly: {name: a}\ncomponents: [{id: u}]\n",
			"a.chiplet:3:19: component \"u\" of type \"\""},
		{"format_version: \"1.0\"\nassembly: {name: a}\ncomponents: [{id: u, type: die}]\n",
			"die \"u\" has no size along x; give it; a thickness may also be in [part.u]"},
	} {
		r, err := imported("a.chiplet", files{"a.chiplet": c.text})
		want, warned := strings.CutPrefix(c.want, "!")
		switch {
		case c.want == "" || warned:
			if err != nil {
				t.Errorf("%q: %v", c.text, err)
			} else if has := slices.ContainsFunc(r.Notes, func(n importer.Note) bool {
				return n.Kind == importer.Warning && strings.Contains(n.Text, "newer than")
			}); has != warned {
				t.Errorf("%q: %v", c.text, r.Notes)
			}
		case err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("%q: got %v; expected %q", c.text, err, want)
		}
	}
}

// Mistakes in an assembly have a line and a column.
func TestChipletFaults(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"z: 90", "z: 45", "a.chiplet:32:19: rotation: got 45 degrees; expected a multiple of 90"},
		{"flip_chip", "upside",
			"a.chiplet:30:18: orientation: got \"upside\"; expected face_up, flip_chip or face_down"},
		{"{x: 1500, y: 2500}", "{x: 1500, y: 2500, z: 1050}",
			"die \"cpu\" lies 36 um above interposer \"ip\"; expected the height of connection stack \"pillar\", 44"},
		{"z: 1014}", "z: 1013}", "overlaps"},
		{"x: 1000, y: 1500", "x: 700, y: 1500", "die_array \"mem-1\" overlaps die_array \"mem-0\""},
		{"count: {x: 2,", "count: {x: 1e6,",
			"got pattern \"\" of 1000000 by 2 dies; expected grid or linear, and counts"},
		{"count: {x: 2,", "pattern: custom\n      count: {x: 2,", "got pattern \"custom\""},
		{"material: Cu", "material: Unobtainium",
			"has bumps of \"Unobtainium\", which is not known; set bump in [bond.pill"},
		{"pitch: 80", "pitch: 43", "the bumps of bond \"cpu\" cover 0.822 of the area; expected 0.785 at most"},
		{"id: sub", "id: ip", "two components are called \"ip\"; rename one of them"},
		{"height: 28", "height: 0", "connection stack \"pillar\": a layer needs a height and a material"},
		{"width: 6000", "width: .nan", "a.chiplet:15:25: got \".nan\"; expected a number of at most 1.1e+06"},
		{"width: 6000", "width: 6e6", "got \"6e6\"; expected a number"},
	} {
		text := strings.Replace(twoDies, c.from, c.to, 1)
		_, err := imported("a.chiplet", files{"a.chiplet": text})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; expected %q", c.to, err, c.want)
		}
	}
}

// A die above its interposer without a connection floats, and one on another die does not.
func TestChipletFloating(t *testing.T) {
	for _, c := range []struct {
		from, to string
		floats   bool
	}{
		{"", "", false},
		{"    connection: pillar\n    rotation: {z: 90}\n    position: {x: 1500, y: 2500}",
			"    position: {x: 1500, y: 2500, z: 1100}", true},
		{"  - id: sub",
			"  - {id: up, type: die, anchor: gds_origin, position: {x: 1500, y: 2500, z: 1208}, dimensions: " +
				"{width: 500, height: 500, thickness: 50}}\n  - id: sub", false},
	} {
		r, err := imported("a.chiplet", files{"a.chiplet": strings.Replace(twoDies, c.from, c.to, 1)})
		if err != nil {
			t.Fatal(err)
		}
		floats := slices.ContainsFunc(r.Notes, func(n importer.Note) bool { return strings.Contains(n.Text, "floats") })
		if floats != c.floats {
			t.Errorf("%q: %v", c.to, r.Notes)
		}
	}
}
