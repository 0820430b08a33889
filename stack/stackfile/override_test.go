package stackfile

import (
	"strings"
	"testing"

	"thermsim/stack"
)

// overridden parses a file with overrides.
func overridden(text string, sets ...string) (*stack.Stack, error) {
	var overrides []Override
	for _, s := range sets {
		o, err := ParseOverride(s)
		if err != nil {
			return nil, err
		}
		overrides = append(overrides, o)
	}
	return Parse("main.toml", []byte(text), nil, overrides...)
}

func TestOverride(t *testing.T) {
	s, err := overridden(slabFile,
		"boundary.top.h=5000", "title=hot one", "layer.die.thickness=half/5", "layer.0.name=slab", "define.n = 4",
		`boundary.bottom.temperature=300 K`, "tmax=",
		"grid.nx=12", "layer.slab.power.uniform=3 W", "solver.tol=1e-5")
	if err != nil {
		t.Fatal(err)
	}
	if s.Boundary[stack.Top].H != 5000 || s.Title != "hot one" || s.Layers[0].Name != "slab" ||
		s.Layers[0].Thickness != 2e-3 || s.Boundary[stack.Bottom].Temperature != 300 ||
		s.TMax != 0 || s.Grid.X.Cells != 12 || s.Layers[0].Powers[0].Uniform != 3 || s.Solver.Tol != 1e-5 {
		t.Errorf("%+v", s)
	}
	s, err = overridden(diesFile+placements, "die.small.layer.si.block.core.power=5 W", "boundary.top.h=",
		"boundary.top.resistance=1 K/W", "layer.dies.die.a.x=2 mm")
	if err != nil {
		t.Fatal(err)
	}
	if s.Layers[2].Powers[0].Blocks[0].Watts != 5 || s.Boundary[stack.Top].Kind != stack.LumpedResistance ||
		s.Layers[0].Regions[0].X != 2e-3 {
		t.Errorf("%+v", s)
	}
}

func TestOverrideFaults(t *testing.T) {
	for set, want := range map[string]string{
		"boundary.top":                  "write KEY=VALUE",
		"=3":                            "a key is empty",
		`"abc=3`:                        "quote is not closed",
		`"abc"x=3`:                      "write KEY=VALUE",
		"boundary.top.hh=3":             `--set boundary.top.hh: unknown key "hh" in a boundary; did you mean "h"?`,
		"layer.di.thickness=1 mm":       `--set layer.di.thickness: layer has no table called "di"; did you mean "die"?`,
		"define.haf=3":                  `--set define.haf: define.haf is not defined in the file; did you mean define.half?`,
		"layer.7.thickness=1 mm":        `has no table called "7"`,
		"layer.die=1 mm":                "layer.die is a table; add a key of the table",
		"layer.die.thickness=1 W":       `--set layer.die.thickness: thickness: expected a length such as "10 um", got W`,
		"layer.die.thickness.x=1 W":     `thickness: expected a length such as "10 um", got a table`,
		"schema.x=1":                    "schema is 1, which has no keys",
		"tmx=":                          `--set tmx: the file has no tmx to remove; did you mean "tmax"?`,
		"size=[1,":                      "--set size: size",
		"a.b.c.d.e.f.g.h.i.j.k.l.m.n=1": "no key is nested that deep",
	} {
		if _, err := overridden(slabFile, set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %s", set, err, want)
		}
	}
}

// Blocks of one override have one place, and yet materials of their own.
func TestOverrideMaterials(t *testing.T) {
	s, err := overridden(slabFile,
		`layer.die.block=[{name="p", material="copper", x=0, y=0, width="1 mm", height="1 mm", power=1}, {name="q", material="sio2", x="2 mm", y=0, width="1 mm", height="1 mm", power=1}]`)
	if err != nil {
		t.Fatal(err)
	}
	r := s.Layers[0].Regions
	if len(r) != 2 || s.Materials[r[0].Material].Name != "copper" || s.Materials[r[1].Material].Name != "sio2" {
		t.Errorf("%+v of %+v", r, s.Materials)
	}
}

func FuzzOverride(f *testing.F) {
	for _, set := range []string{"boundary.top.h=5000", "layer.0.name=slab", `"a.b".c=[1, {x=2}]`, "grid=auto",
		"layer.die.power.uniform=3 W"} {
		f.Add(set)
	}
	f.Fuzz(func(t *testing.T, set string) {
		if s, err := overridden(slabFile, set); err == nil {
			if err := stack.Validate(s); err != nil {
				t.Error(err)
			}
		}
	})
}
