package plausibility

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// sane is a stack without a doubt: 1 W/mm2 in blocks of 8 cells on a thin silicon layer, under a lid.
const sane = `schema = 1
ambient = "25 degC"
size = ["10 mm", "10 mm"]
grid = { nx = 40, ny = 40 }
boundary.top = { h = "6000 W/(m^2 K)" }

[[layer]]
name = "active"
material = "silicon"
thickness = "10 um"
  [[layer.block]]
  name = "core"
  x = "1 mm"
  y = "1 mm"
  width = "2 mm"
  height = "4 mm"
  power = "8 W"

[[layer]]
name = "bond"
material = "tim_grease"
thickness = "20 um"

[[layer]]
name = "lid"
material = "copper"
thickness = "1 mm"
`

// leaking is a line of a block.
func leaking(watts string) string {
	return "\n  leakage = { power = \"" + watts + "\", at = \"85 degC\", beta = \"0.015 1/K\", range = [\"0 degC\", " +
		"\"150 degC\"] }"
}

func meshOf(t *testing.T, text string) *mesh.Mesh {
	t.Helper()
	s, err := stackfile.Parse("chip.toml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mesh.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func codes(found []Warning) []string {
	out := []string{}
	for _, w := range found {
		out = append(out, w.Code)
	}
	return out
}

// Each slip makes the one warning that names it, and the stack without slips makes none.
func TestSlips(t *testing.T) {
	for name, c := range map[string]struct{ old, new, code, text string }{
		"none":          {"", "", "", ""},
		"metres for mm": {`size = ["10 mm", "10 mm"]`, `size = [10, 10]`, Size, "10 m by 10 m"},
		"mm for um": {`thickness = "1 mm"`, `thickness = "1000 mm"`, Size,
			`layer "lid" is thicker than the domain is wide`},
		"nm for um": {`thickness = "20 um"`, `thickness = "0.02 nm"`, Size,
			`layer "bond" is thinner than 1 nm`},
		"bulk of 90 nm": {`thickness = "10 um"`, `thickness = "90 nm"`, Fourier,
			`layer "active" is thinner than 100 nm, but conducts like the bulk`},
		"film of 90 nm": {"[[layer]]\nname = \"active\"\nmaterial = \"silicon\"\nthickness = \"10 um\"",
			"[materials.soi]\nthin_film = { material = \"silicon\", thickness = \"90 nm\" }\n[[layer]]\nname = " +
				"\"active\"\nmaterial = \"soi\"\nthickness = \"90 nm\"", "", ""},
		"glass of 90 nm": {"material = \"tim_grease\"\nthickness = \"20 um\"", "material = \"sio2\"\nthickness = " +
			"\"90 nm\"", "", ""},
		"steps of 0.5 ns": {"[[layer]]\nname = \"active\"", "[transient]\ndt = \"0.5 ns\"\n[[layer]]\nname = " +
			"\"active\"", Fourier, "the time step of 500 ps is shorter"},
		// 8 kW on 8 mm2
		"too many watts": {`power = "8 W"`, `power = "8 kW"`, Density, `up to 1e+05 W/cm2 in source "core"`},
		"no watts":       {`power = "8 W"`, `power = "0 W"`, NoPower, "no heat source"},
		"leakage alone":  {`power = "8 W"`, `power = "0 W"` + leaking("1 W"), "", ""},
		"leaking too many watts": {`power = "8 W"`, `power = "8 W"` + leaking("8 kW"), Density,
			`up to 1.001e+05 W/cm2 in source "core"`},
		"thick die": {`thickness = "10 um"`, `thickness = "300 um"`, ThickSource,
			`the power in layer "active"`},
		"thick die, thick slice": {`thickness = "10 um"`, "thickness = \"300 um\"\npower_at = \"top\"\npower_depth " +
			"= \"60 um\"", ThickSource, `the power in layer "active"`},
		"heated at a surface": {`thickness = "10 um"`, "thickness = \"300 um\"\npower_at = \"top\"", "", ""},
		// 2 mm over 10/15 mm
		"cells of 0.67 mm": {`nx = 40`, `nx = 15`, CoarseGrid,
			`block "core" is only 3 cells wide (1 of 1 sources are below 4)`},
		"nothing cools":     {`boundary.top = { h = "6000 W/(m^2 K)" }`, ``, NoWayOut, "no steady state"},
		"ambient in K":      {`ambient = "25 degC"`, `ambient = "25 K"`, Temperatures, "degC (25 K)"},
		"ambient of a kiln": {`ambient = "25 degC"`, `ambient = "500 degC"`, Temperatures, "500 degC (773.1 K)"},
		"h per mm2":         {`6000 W/(m^2 K)`, `6000 W/(mm^2 K)`, Cooling, "h = 6e+09 W/(m2 K)"},
		"still air on a chip": {`h = "6000 W/(m^2 K)"`, `convection = "natural"`, Cooling,
			"natural convection on the top face: the Rayleigh number is"},
		"resistance in kK/W": {`h = "6000 W/(m^2 K)"`, `resistance = 1e6`, Cooling, "1e+06 K/W"},
		"contact in m2": {`thickness = "20 um"`, `contact_resistance = 1`, Properties,
			`the contact resistance of layer "bond"`},
		"cold beginning": {"[[layer]]\nname = \"active\"", "[transient]\ninitial = \"20 K\"\n[[layer]]\nname " +
			"= \"active\"", Temperatures, "initial of [transient]"},
		"k per mm": {"[[layer]]\nname = \"active\"", "[materials.copper]\nk = \"401 W/(mm K)\"\nc = " +
			"\"3.4e6 J/(m^3 K)\"\n[[layer]]\nname = \"active\"", Properties, `material "copper" has k = 4.01e+05`},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(sane, c.old, c.new, 1)
			if name == "contact in m2" {
				text = strings.Replace(sane, `thickness = "20 um"`, "thickness = \"20 um\"\ncontact_resistance = 1", 1)
			}
			found := Of(meshOf(t, text))
			want := []string{}
			if c.code != "" {
				want = append(want, c.code)
			}
			if diff := cmp.Diff(want, codes(found)); diff != "" {
				t.Fatalf("warnings (-want +got):\n%s\n%v", diff, found)
			}
			if len(found) > 0 &&
				(!strings.Contains(found[0].Text, c.text) || !strings.HasPrefix(found[0].Place, "chip.toml") ||
					found[0].Remedy == "") {
				t.Errorf("got %q at %q with the remedy %q, want %q", found[0].Text, found[0].Place, found[0].Remedy,
					c.text)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	s := &stack.Stack{Ambient: 318.15}
	for limit, want := range map[float64]int{0: 0, 358.15: 0, 318.15: 1, 85: 1, 1000: 1} {
		if got := OfLimit(s, limit); len(got) != want {
			t.Errorf("a limit of %g K: %v", limit, got)
		}
	}
}

// Materials far from their temperature, and a poor conductor of one cell across which 40 of 60 K fall.
func TestResults(t *testing.T) {
	m := meshOf(t, sane)
	even := Range{320, 325, 330, 0}
	if found := OfTemperatures(m, []Range{even, even, even}); len(found) > 0 {
		t.Errorf("an even field: %v", found)
	}
	found := OfTemperatures(m, []Range{{350, 355, 358, 0}, {320, 335, 350, 0}, {310, 315, 320, 0}})
	if !slices.Equal(codes(found), []string{CoarseLayer}) ||
		!strings.Contains(found[0].Text, `temperature drop of 40 K across layer "bond"`) {
		t.Errorf("a steep layer: %v", found)
	}
	hot := Range{440, 445, 450, 0}
	found = OfTemperatures(m, []Range{hot, hot, hot})
	if !slices.Equal(codes(found), []string{Validity}) ||
		!strings.Contains(found[0].Text, `"silicon", "tim_grease" and "copper": 166.9 degC to 176.9 degC`) {
		t.Errorf("hot materials: %v", found)
	}
}

func TestLines(t *testing.T) {
	var long strings.Builder
	if err := Write(&long, []Warning{{Text: "layer abcdefghijklmnopq thick"}}, 14); err != nil {
		t.Fatal(err)
	}
	if want := "  - layer\n    abcdefghij\n    klmnopq\n    thick\n"; long.String() != want {
		t.Errorf("got %q, want %q", long.String(), want)
	}
	var b strings.Builder
	if err := Write(&b,
		[]Warning{{Code: Size, Place: "chip.toml:3:1", Text: "the domain is wide", Remedy: "look at the unit"}},
		30); err != nil {
		t.Fatal(err)
	}
	if want := "  - chip.toml:3:1: the domain\n    is wide; look at the unit\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
