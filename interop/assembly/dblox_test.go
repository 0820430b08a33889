package assembly

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// bonded is a logic die with a cache face to face on it.
var bonded = files{
	"a/pair.3dbx": `
Header: {version: "1.0", unit: micron, precision: 2000, include: [lib/pair.3dbv]}
Design: {name: pair, external: {verilog_file: top.v}}
ChipletInst:
  u0: {reference: logic}
  u1: {reference: cache, external: {def_file: [u1.def]}}
Stack:
  u0: {loc: [0, 0], z: 0.0, orient: R0}
  u1: {loc: [1000, 500], z: 110, orient: MZ}
Connection:
  bond: {top: u1.regions.face, bot: u0.regions.top, thickness: 10}
  pkg:
    top: u0.regions.top
    bot: ~
`,
	"a/lib/pair.3dbv": `#!define SIDE 6000
#!define LEFS ../lef
Header: {version: 2.5, unit: micron, precision: 2000}
ChipletDef:
  logic:
    type: die
    design_area: [8000, SIDE]
    thickness: 100
    shrink: 1
    tsv: true
    cad_layer: {108;101: {type: design_area}}
    regions:
      top: {side: front, coords: [[0, 0], [8000, 0], [8000, SIDE], [0, SIDE]]}
      all: {side: back, coords: [[1073741.8, 1073741.8], [-1073741.8, 1073741.8], [-1073741.8, -1073741.8], [1073741.8,
	0]]}
  cache:
    type: die
    design_area: [3200, 1600]
    thickness: 50
    external: {APR_tech_file: [LEFS/*_tech.lef], LEF_file: [LEFS/bump.lef], DEF_file: cache.def}
    regions:
      face: {side: front, bmap: face.bmap, coords: [[0, 0], [3200, 0], [3200, 1600], [0, 1600]]}
`,
	"a/lib/face.bmap":  "# bumps over 800 x 800 um\n" + bumps(),
	"a/lef/bump.lef":   "MACRO BUMP SIZE 20 BY 20 ; END BUMP\n",
	"a/lef/x_tech.lef": "VERSION 5.8 ;\n",
}

// bumps are rows of a bump map: 512 bumps of 50 by 25 um.
func bumps() string {
	var b strings.Builder
	for i := range 512 {
		fmt.Fprintf(&b, "b%d BUMP %g %g - net\n", i, (float64(i%16)+0.5)*50, (float64(i/16)+0.5)*25)
	}
	return b.String()
}

func with(f files, path, from, to string) files {
	g := files{}
	for p, text := range f {
		g[p] = text
	}
	g[path] = strings.Replace(g[path], from, to, 1)
	return g
}

// A bump map becomes area fractions where its bumps are, as the die is turned.
func TestBumpMap(t *testing.T) {
	covered := math.Pi / 4 * 20 * 20 / (50 * 25) // where there are bumps
	for orient, corner := range map[string][2]int{"MZ": {0, 0}, "MZ_R180": {1, 1}, "MZ_MY": {1, 0}, "MZ_MX": {0, 1}} {
		f := with(bonded, "a/pair.3dbx", "orient: MZ", "orient: "+orient)
		f = with(f, "a/lib/pair.3dbv", "LEFS/*_tech.lef", "LEFS/x_tech.lef") // files in memory have no folder
		s := mustImport(t, "a/pair.3dbx", f)
		n := slices.IndexFunc(s.Layers, func(y stack.Layer) bool { return strings.HasPrefix(y.Name, "bond") })
		regions := s.Layers[n].Regions
		fill := regions[len(regions)-1].Fill
		if fill.NX != 8 || fill.NY != 4 { // 16 bumps in each tile, on average
			t.Fatalf("%d x %d tiles", fill.NX, fill.NY)
		}
		for i, v := range fill.Values {
			x, y := (float64(i%fill.NX)+0.5)/float64(fill.NX)*3200, (float64(i/fill.NX)+0.5)/float64(fill.NY)*1600
			if corner[0] == 1 {
				x = 3200 - x
			}
			if corner[1] == 1 {
				y = 1600 - y
			}
			want := 0.0
			if x < 800 && y < 800 {
				want = covered
			}
			if math.Abs(v-want) > 1e-12 {
				t.Errorf("%s: tile at %g, %g um: %g, expected %g", orient, x, y, v, want)
			}
		}
	}
}

// A design is placed in another with the orientations of both; sizes of designs are those of the boxes around them.
func TestHierarchy(t *testing.T) {
	f := files{
		"top.3dbx": `
Header: {include: [sub.3dbx, x.3dbv]}
Design: {name: top}
ChipletInst: {s: {reference: sub}, t: {reference: sub}, base: {reference: base}}
Stack:
  s: {loc: [100, 200], z: 50, orient: R90}
  t: {loc: [5000, 0], z: 50, orient: MZ_MX}
  base: {loc: [0, 0], z: 0, orient: R0}
Connection:
  a: {top: s/lower.regions.back, bot: base.regions.front}
  b: {top: t/upper.regions.front, bot: base.regions.front}
  g: {top: base.regions.front, bot: "~"}
`,
		"sub.3dbx": `
Header: {include: [x.3dbv, sub.3dbx]}
Design: {name: sub}
ChipletInst: {lower: {reference: die}, upper: {reference: die}}
Stack:
  lower: {loc: [0, 0], z: 0, orient: R0}
  upper: {loc: [500, 0], z: 120, orient: MY}
Connection:
  c: {top: upper.regions.back, bot: lower.regions.front, thickness: 20}
`,
		"x.3dbv": `
ChipletDef:
  die:
    type: die
    design_area: [2000, 1000]
    thickness: 100
    regions:
      front: {side: front, coords: [[0, 0], [2000, 0], [2000, 1000], [0, 1000]]}
      back: {side: back, coords: [[0, 0], [2000, 0], [2000, 1000], [0, 1000]]}
  base:
    type: substrate
    design_area: [9000, 8000]
    thickness: 50
    regions: {front: {side: front, coords: [[0, 0], [9000, 0], [9000, 8000], [0, 8000]]}}
`}
	s := mustImport(t, "top.3dbx", f)
	want := map[string][5]float64{ // x, y, width, height, z in um
		"s_lower": {100, 200, 1000, 2000, 50}, "s_upper": {100, 700, 1000, 2000, 170},
		"s_c bumps": {100, 700, 1000, 1500, 150}, "t_lower": {5000, 0, 2000, 1000, 170},
		"t_upper": {5500, 0, 2000, 1000, 50}, "t_c bumps": {5500, 0, 1500, 1000, 150},
	}
	z := 0.0
	for _, y := range s.Layers {
		for _, r := range y.Regions {
			name, _, _ := strings.Cut(r.Name, ".")
			w, ok := want[name]
			if !ok {
				continue
			}
			for i, v := range []float64{r.X, r.Y, r.Width, r.Height, z} {
				if math.Abs(1e6*v-w[i]) > 1e-6 {
					t.Errorf("%s: %g um, expected %g um", r.Name, 1e6*v, w[i])
				}
			}
			delete(want, name)
		}
		z += y.Thickness
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

// Mistakes have a file, a line and a column; the checks are those of OpenROAD.
func TestDbloxFaults(t *testing.T) {
	const dbx, dbv = "a/pair.3dbx", "a/lib/pair.3dbv"
	for _, c := range []struct{ path, from, to, want string }{
		{dbx, "thickness: 10", "thickness: 9",
			"a/pair.3dbx:11:3: connection \"bond\" from die \"u0\" to die \"u1\": the gap is " +
				"10 um; expected the thickness, 9 um; correct the locations or the connection"},
		{dbx, "orient: MZ", "orient: R0",
			"connection \"bond\" from die \"u1\" to die \"u0\": their regions do not face each other"},
		{dbx, "z: 110", "z: 90", "connection \"bond\" from die \"u0\" to die \"u1\": the gap is -10 um"},
		{dbx, "[1000, 500]", "[9000, 500]", "have no common area"},
		{dbx, "  bond: {top: u1.regions.face, bot: u0.regions.top, thickness: 10}\n", "  x: {top: u1.regions.face}\n",
			""},
		{dbx, "110, orient: MZ}\nConnection:\n  bond: {top: u1.regions.face, bot: u0.regions.top, thickness: 10}",
			"90, orient: MZ}\nConnection:", "die \"u1\" overlaps die \"u0\"; move one"},
		{dbx, "orient: MZ", "orient: R45", "a/pair.3dbx:9:42: orient: got \"R45\"; expected R0, R90"},
		{dbx, "reference: cache", "reference: cash", "a/pair.3dbx:6:3: reference of instance \"u1\": got \"cash\""},
		{dbx, "u1.regions.face", "u1.regions.fact", "die \"u1\" has no region \"fact\""},
		{dbx, "u1.regions.face", "u2.regions.face", "no instance has the region \"u2.regions.face\""},
		{dbx, "  u1: {loc", "  u2: {loc", "Stack of \"u2\": expected an instance of ChipletInst"},
		{dbx, "Design: {name: pair,", "Other: {name: pair,", "a/pair.3dbx:1:1: the file has no Design; give the .3dbx"},
		{dbx, "lib/pair.3dbv", "lib/none.3dbv", "a/pair.3dbx:2:67: cannot read a/lib/none.3dbv: file does not exist"},
		{dbx, "unit: micron", "unit: mm", "a/pair.3dbx:2:32: unit: got \"mm\"; expected micron"},
		{dbv, "type: die", "type: chip", "type of ChipletDef \"logic\": got \"chip\"; expected die, rdl"},
		{dbv, "[8000, SIDE]", "[8000]",
			"a/lib/pair.3dbv:5:3: design_area of \"logic\": got a list of 1; expected 2 numbers"},
		{dbv, "[0, SIDE]]", "[0, SIDE], [100, 100]]",
			"a/lib/pair.3dbv:13:7: region \"top\": got side \"front\" and 5 coords"},
		{dbv, "side: front, coords", "side: front, cords", "got side \"front\" and 0 coords"},
		{dbv, "side: front", "side: left", "got side \"left\""},
		{dbv, "    thickness: 100\n", "",
			"die \"u0\" has no size along z; give it; a thickness may also be in [part.logic]"},
		{dbv, "thickness: 100", "thickness: -100", "die \"u0\" has no size along z"},
		{dbv, "thickness: 100", "thickness: NaN", "a/lib/pair.3dbv:8:16: got \"NaN\"; expected a number"},
		{"a/lib/face.bmap", " - net", " -", "a/lib/face.bmap:2:1: bump 1: expected instance, cell, x, y, port, net"},
		{"a/lib/face.bmap", "BUMP 25", "BUMP x", "a/lib/face.bmap:2:1: bump 1: expected instance, cell, x, y"},
		{"a/lib/face.bmap", "BUMP", "BALL",
			"a/lib/face.bmap:2:4: bump cell \"BALL\" is in no LEF of die \"u1\"; set diam"},
		{"a/lib/face.bmap", "BUMP 25 12.5", "BUMP 1150 50", ""},
	} {
		f := with(with(bonded, c.path, c.from, c.to), dbv, "LEFS/*_tech.lef", "LEFS/x_tech.lef")
		_, err := imported(dbx, f)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v; expected %q", c.to, err, c.want)
		}
	}
	// A part without a connection to the outside floats.
	f := with(with(bonded, dbx, "bond: {top: u1.regions.face, bot: u0.regions.top, thickness: 10}",
		"x: {top: u0.regions.all}"),
		dbv, "LEFS/*_tech.lef", "LEFS/x_tech.lef")
	r, err := imported(dbx, f)
	if err != nil || !slices.ContainsFunc(r.Notes, func(n importer.Note) bool {
		return strings.HasPrefix(n.String(), "a/pair.3dbx:6:3: warning: die \"u1\" floats: no connection leads from it")
	}) {
		t.Error(err, r)
	}
}

// The materials, powers and dies of a parts file are used for the parts of their names, and its mistakes are reported.
func TestParts(t *testing.T) {
	base := with(bonded, "a/lib/pair.3dbv", "LEFS/*_tech.lef", "LEFS/x_tech.lef")
	for _, c := range []struct{ parts, want string }{
		{"[part.logic]\nmaterial = \"silicone\"\n",
			"parts.toml: unknown material \"silicone\"; did you mean \"silicon\"?"},
		{"[part.logic]\npower = \"10 um\"\n", "parts.toml:2:9: "},
		{"[part.logic]\nwiring = \"logic_beol\"\nwiring_thickness = \"200 um\"\n", "parts.toml:1:"},
		{"[part.u1]\nreport = \"p.rpt\"\ndef = \"none.def\"\n", "cannot read the DEF: file does not exist"},
		{"[part.u0]\nreport = \"p.rpt\"\n",
			"die \"u0\" has a report, but no placement in DEF and LEF; give def and lef"},
		{"[part.u0]\ndie = \"new\"\n", "no die is called \"new\""},
		{"[bond.bond]\ndiameter = \"120 um\"\n",
			"the bumps of bond \"bond\" cover 8.4 of a tile; expected 0.785 at most"},
		{"[bond.bond]\nfraction = 0.9\n", "parts.toml:1:7: the bumps of bond \"bond\" cover 0.9 of the area"},
		{"[bond.bond]\nfraction = 0.1\npitch = \"1 mm\"\n", "has both"},
		{"stack = \"none.toml\"\n", "none.toml: cannot read the file: file does not exist"},
		{"part = 3\n", "parts.toml:1:8: part must be a table of tables"},
		{"prt = 3\n", "unknown key \"prt\" in a parts file; did you mean \"part\"?"},
	} {
		f := with(base, "", "", "")
		f["parts.toml"] = c.parts
		if _, err := imported("a/pair.3dbx", f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; expected %q", c.parts, err, c.want)
		}
	}
	f := with(base, "", "", "")
	f["parts.toml"] = `
stack = "case.toml"
[part.die]
power = "2 W"
[part.cache]
power = "1 W"
[part.u0]
die = "mine"
`
	f["case.toml"] = `
boundary.bottom = { h = "100 W/(m^2 K)" }
[[die]]
name = "mine"
size = ["8 mm", "6 mm"]
[[die.layer]]
name = "body"
material = "gaas"
thickness = "100 um"
power = { uniform = "4 W" }
`
	r, err := imported("a/pair.3dbx", f)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Stack
	if w := s.Watts(); math.Abs(w-5) > 1e-12 {
		t.Errorf("%g W, expected 5 W", w)
	}
	hasGaAs := slices.ContainsFunc(s.Materials, func(m stack.Material) bool { return m.Name == "gaas" })
	if bottom := s.Boundary[0].H + s.Boundary[1].H + s.Boundary[2].H + s.Boundary[3].H + s.Boundary[4].H +
		s.Boundary[5].H; !hasGaAs || math.Abs(bottom-100) > 1e-9 {
		t.Errorf("materials %v, boundaries %v", s.Materials, s.Boundary)
	}
	f["parts.toml"] = "stack = \"case.toml\"\n[part.u1]\nreport = \"p.rpt\"\ndef = \"d.def\"\nlef = [\"c.lef\"]\n"
	f["p.rpt"], f["d.def"], f["c.lef"] = chip["p.rpt"], chip["d.def"], chip["c.lef"]
	scaled, err := imported("a/pair.3dbx", f)
	if err != nil || math.Abs(scaled.Stack.Watts()-1.5) > 1e-12 || scaled.Count(importer.Warning) != 1 ||
		!strings.Contains(fmt.Sprint(scaled.Notes), "3000 x 2000 um is scaled to its design area of 3200 x 1600 um") {
		t.Errorf("%v, %+v", err, scaled)
	}
	paths := []string{}
	for _, in := range s.Inputs {
		paths = append(paths, in.Path)
	}
	for _, path := range []string{"a/pair.3dbx", "a/lib/pair.3dbv", "a/lib/face.bmap", "parts.toml", "case.toml"} {
		if !slices.Contains(paths, path) {
			t.Errorf("inputs %v have no %s", paths, path)
		}
	}
	if n := slices.IndexFunc(r.Notes, func(n importer.Note) bool { return n.Kind == importer.Warning }); n >= 0 {
		t.Error(r.Notes[n])
	}
}
