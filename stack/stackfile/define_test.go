package stackfile

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"thermsim/stack"
)

// folder is an Opener of files in memory.
type folder map[string]string

func (f folder) open(path string) ([]byte, error) {
	if text, ok := f[path]; ok {
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

// parsed reads main.toml of the folder.
func (f folder) parsed(t *testing.T) *stack.Stack {
	t.Helper()
	s, err := Parse("main.toml", []byte(f["main.toml"]), f.open)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// refused tells why main.toml of the folder is refused.
func (f folder) refused(t *testing.T, want string) {
	t.Helper()
	_, err := Parse("main.toml", []byte(f["main.toml"]), f.open)
	var list stack.ErrorList
	if !errors.As(err, &list) || len(list) != 1 || !strings.Contains(err.Error(), want) {
		t.Errorf("refused with\n%v\nwant %s", err, want)
	}
}

const slabFile = `schema = 1
size = ["2*half", "half + 5 mm"]
grid = { nx = "4*n", ny = 8 }
boundary.top = { h = "10 W/(m^2 K) * n" }
tmax = "limit - 10 K"

[define]
half = "n * 2.5 mm"
n = 2
limit = "105 degC"

[[layer]]
name = "die"
material = "silicon"
thickness = "half/10"
power = { uniform = "n*1.5 W" }
`

func TestDefine(t *testing.T) {
	s := folder{"main.toml": slabFile}.parsed(t)
	if s.Size != [2]float64{10e-3, 10e-3} || s.Grid.X.Cells != 8 || s.Layers[0].Thickness != 0.5e-3 ||
		s.Layers[0].Powers[0].Uniform != 3 || s.Boundary[stack.Top].H != 20 {
		t.Errorf("%+v", s)
	}
	if fmt.Sprintf("%.9g", s.TMax) != "368.15" {
		t.Errorf("tmax %v", s.TMax)
	}
}

func TestDefineFaults(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"half + 5 mm", "hlaf + 5 mm",
			`main.toml:2:19: size: "hlaf + 5 mm": no constant or unit is called "hlaf"; did you mean "half"?`},
		{`n = 2`, `n = "half / 1 mm"`, "main.toml:8:1: constant half depends on itself"},
		{`n = 2`, `n = true`, `main.toml:9:5: n: expected a value, got true; write a number`},
		{`n = 2`, `n = 2.3`, `grid`},
		{`"half/10"`, `"half*half"`, `main.toml:15:13: thickness: "half*half": expected a length`},
		{`"half/10"`, `"half/0"`, `main.toml:15:13: thickness: "half/0": it is not a finite number`},
		{`"half/10"`, `"-half"`, `main.toml:15:13: thickness must be positive, got "-half"`},
		{`n = 2`, "n = 2\nW = 3", `main.toml:10:1: a constant cannot be called "W", which is a unit`},
		{`n = 2`, "n = 2\n\"a b\" = 3", `main.toml:10:1: a constant cannot be called "a b"; use letters`},
	} {
		text := strings.Replace(slabFile, tt.from, tt.to, 1)
		if tt.to == "n = 2.3" { // 4 n is none either
			if _, err := Parse("main.toml", []byte(text), nil); err == nil ||
				!strings.Contains(err.Error(), `main.toml:3:15: nx: "4*n": 9.2 is not a whole number`) {
				t.Errorf("%v", err)
			}
			continue
		}
		folder{"main.toml": text}.refused(t, tt.want)
	}
	folder{"main.toml": strings.Replace(slabFile, "[define]", "[unused]", 1)}.refusedWith(t, `unknown key "unused"`)
}

// refusedWith is refused where other faults follow from the first.
func (f folder) refusedWith(t *testing.T, want string) {
	t.Helper()
	if _, err := Parse("main.toml", []byte(f["main.toml"]), f.open); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("refused with\n%v\nwant %s", err, want)
	}
}

func TestInclude(t *testing.T) {
	f := folder{
		"main.toml": `schema = 1
include = ["parts/materials.toml", "parts/cooling.toml"]
title = "mine"
size = ["8 mm", "8 mm"]
materials.glue.k = "3 W/(m K)"
boundary.bottom = { h = "h_air" }
[[layer]]
name = "die"
material = "glue"
thickness = "1 mm"
power = { uniform = "1 W" }
`,
		"parts/materials.toml": "materials.glue = { k = 1, c = \"2e6 J/(m^3 K)\" }\ntitle = " +
			"\"theirs\"\n[define]\nh_air = \"10 W/(m^2 K)\"\n",
		"parts/cooling.toml": "include = [\"materials.toml\"]\nboundary.top.h = \"1000 W/(m^2 " +
			"K)\"\n[[layer]]\nname = \"base\"\nmaterial = \"silicon\"\nthickness = \"2 mm\"\npower = { map = " +
			"\"../map.csv\", unit = \"W\", orientation = \"south-first\" }\n",
		"map.csv": "1,2\n3,4\n",
	}
	s := f.parsed(t)
	if s.Title != "mine" || len(s.Layers) != 2 || s.Layers[0].Name != "base" || s.Layers[1].Name != "die" {
		t.Errorf("%+v", s)
	}
	if glue := s.Materials[s.Layers[1].Material]; glue.K[0] != 3 || glue.C != 2e6 {
		t.Errorf("glue %+v", glue)
	}
	if s.Boundary[stack.Top].H != 1000 || s.Boundary[stack.Bottom].H != 10 {
		t.Errorf("boundaries %+v", s.Boundary)
	}
	if len(s.Inputs) != 4 {
		t.Errorf("inputs %+v", s.Inputs)
	}
	f["parts/cooling.toml"] = "include = [\"../main.toml\"]\n"
	f.refused(t, "parts/cooling.toml:1:12: main.toml includes itself")
	f["parts/cooling.toml"] = "title = \"other\"\n"
	f.refused(t, "parts/cooling.toml:1:1: title is in parts/materials.toml:2:1 too; set it in one of them")
	f["parts/cooling.toml"] = "schema = 2\n"
	f.refused(t, "parts/cooling.toml:1:10: schema 2 is not supported")
	f["parts/cooling.toml"] = "bondary = 2\n"
	f.refused(t, "parts/cooling.toml:1:1: unknown key \"bondary\"")
	delete(f, "parts/cooling.toml")
	f.refused(t, "main.toml:2:36: cannot read parts/cooling.toml: file does not exist")
}
