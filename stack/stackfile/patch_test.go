package stackfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/stack"
)

// patchFile is a stack with the given text at boundary.top and west.
const patchFile = `schema = 1
size = ["10 mm", "8 mm"]
grid = { nx = 10, ny = 8 }
%
[[layer]]
name = "die"
material = "silicon"
thickness = "0.3 mm"
power = { uniform = "10 W" }
[[layer]]
name = "glue"
material = "fr4"
thickness = "0.1 mm"
[[layer]]
name = "lid"
material = "copper"
thickness = "1 mm"
`

func loadPatches(t *testing.T, text string) (*stack.Stack, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "h.csv"), []byte("1,2,3\n0,5,6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "stack.toml")
	if err := os.WriteFile(file, []byte(strings.Replace(patchFile, "%", text, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(file)
}

func TestPatches(t *testing.T) {
	s, err := loadPatches(t, `
[boundary.top]
h = "10 W/(m^2 K)"
ambient = "20 degC"
[[boundary.top.patch]]
name = "plate"
x = "1 mm"
y = "2 mm"
width = "3 mm"
height = "4 mm"
temperature = "40 degC"
[[boundary.top.patch]]
map = "h.csv"
unit = "kW/(m^2 K)"
orientation = "north-first"
[[boundary.west.patch]]
layers = ["die", "lid"]
flux = "-1 W/cm^2"
[[boundary.south.patch]]
x = "0 mm"
z = "0.3 mm"
width = "10 mm"
height = "0.1 mm"
resistance = "3 K/W"`)
	if err != nil {
		t.Fatal(err)
	}
	top, west, south := s.Boundary[stack.Top].Patches, s.Boundary[stack.West].Patches, s.Boundary[stack.South].Patches
	if p := top[0]; p.Kind != stack.FixedTemperature || p.Temperature != 313.15 ||
		p.Rects[0] != (stack.Rect{X: 1e-3, Y: 2e-3, Width: 3e-3, Height: 4e-3}) {
		t.Errorf("plate: %+v", p)
	}
	if p := top[1]; p.Name != "patch2" || p.Temperature != 293.15 || p.Rects[0] != s.Domain() || p.Map.Values[0] != 0 ||
		p.Map.Values[5] != 3000 {
		t.Errorf("map: %+v %+v", p, p.Map)
	}
	if p := west[0]; len(p.Rects) != 2 || p.Flux != -1e4 ||
		p.Rects[0] != (stack.Rect{X: 0, Y: 0, Width: 8e-3, Height: 0.3e-3}) {
		t.Errorf("layers: %+v", p)
	}
	if p := south[0]; p.Kind != stack.LumpedResistance || p.Resistance != 3 ||
		s.Boundary[stack.South].Kind != stack.Adiabatic {
		t.Errorf("resistance: %+v", p)
	}
	var first, second bytes.Buffer
	if err := Print(&first, s); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "again.toml")
	if err := os.WriteFile(file, first.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := Load(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, first.String())
	}
	if err := Print(&second, again); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Errorf("printed\n%s\nthen\n%s", first.String(), second.String())
	}
}

func TestPatchFaults(t *testing.T) {
	const top, place = "[[boundary.top.patch]]\n", "x = \"0 mm\"\ny = \"0 mm\"\nwidth = \"1 mm\"\nheight = \"1 mm\"\n"
	const film = "h = \"10 W/(m^2 K)\"\n"
	for name, c := range map[string]struct{ text, want string }{
		"no condition":   {top + place, "exactly one of h, map, resistance, temperature and flux, got 0"},
		"two conditions": {top + place + film + "flux = \"1 W/m^2\"", "got 2 of them"},
		"two places": {top + place + film + "circle = { x = \"1 mm\", y = \"1 mm\", diameter = \"1 mm\" }",
			"has both"},
		"half a place": {top + film + "x = \"0 mm\"", "lacks y, width, height"},
		"wrong axis":   {top + film + "z = \"0 mm\"", "has no z: its coordinates are x and y"},
		"outside": {top + "x = \"9.5 mm\"\ny = \"0 mm\"\nwidth = \"1 mm\"\nheight = \"1 mm\"\n" + film,
			"at the high end of x"},
		"layers on top": {top + film + "layers = [\"die\"]", "they apply to side faces only"},
		"unknown layer": {"[[boundary.west.patch]]\n" + film + "layers = [\"dye\"]", `no layer is called "dye"`},
		"same name": {top + place + film + "name = \"a\"\n" + top + place + film + "name = \"a\"",
			"two patches are called"},
		"idle ambient": {top + place + "temperature = \"40 degC\"\nambient = \"20 degC\"", "ambient has no effect"},
		"idle unit":    {top + place + film + "unit = \"W/(m^2 K)\"", "unit needs a map"},
		"map of watts": {top + place + "map = [[1]]\norientation = \"south-first\"\nunit = \"W\"",
			"must be a unit of a heat-transfer coefficient"},
		"map of a disc": {top + "circle = { x = \"1 mm\", y = \"1 mm\", diameter = \"1 mm\" }\nmap = " +
			"[[1]]\norientation = \"south-first\"\nunit = \"W/(m^2 K)\"", "needs one rectangle"},
		"map without": {top + place + "map = [[1]]", "needs unit"},
		"natural beside": {"[boundary.top]\nconvection = \"natural\"\n" + top + place + film,
			"must not be temperature-dependent"},
		"heat sink": {top + place + film + "[heat_sink]\nmaterial = \"copper\"\nbase = \"2 mm\"\nresistance " +
			"= \"1 K/W\"", "boundary.top conflicts with heat_sink"},
		"emissivity of a": {top + place + "emissivity = 0.9", "unknown key"},
	} {
		_, err := loadPatches(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
