package stackfile

import (
	"strings"
	"testing"

	"thermsim/stack"
)

const coreBlock = `{ name = "core", x = 0, y = 0, width = "1 mm", height = "1 mm", power = "1 W" }`

// Where a path leads to nothing, the message tells the path that does, and that one works.
func TestOverrideElsewhere(t *testing.T) {
	plan := files{"two.flp": "a 1e-3 1e-3 0 0\nb 1e-3 1e-3 1e-3 0\n", "two.ptrace": "a b\n1 2\n"}
	for _, c := range []struct{ name, file, set, message, remedy string }{
		{"blocks in a power", small + "power.block = [" + coreBlock + "]\n", "layer.die.block.core.power=5",
			"layer.die has no block", "set layer.die.power.block.core.power"},
		{"blocks in one of several powers", small + "power = [{ uniform = 1 }, { block = [" + coreBlock + "] }]\n",
			"layer.die.block.core.power=5",
			"layer.die has no block", "set layer.die.power.1.block.core.power"},
		{"by a number", small + "power.block = [" + coreBlock + "]\n", "layer.die.block.0.power=5",
			"layer.die has no block", "set layer.die.power.block.0.power"},
		{"blocks in the layer", small + "block = [" + coreBlock + "]\n", "layer.die.power.block.core.power=5",
			"layer.die.power has no block", "set layer.die.block.core.power"},
		{"several powers taken for one", small + "power = [{ uniform = 1 }, { block = [" + coreBlock + "] }]\n",
			"layer.die.power.block.core.power=5",
			`layer.die.power has no table called "block"`, "set layer.die.power.1.block.core.power"},
		{"tables without names", small + "power = [{ uniform = 1 }, { uniform = 2 }]\n", "layer.die.power.uniform=5",
			`layer.die.power has no table called "uniform"`, "its tables have no names: give the number, 0 to 1"},
		{"one power taken for several", small + "power = { uniform = 1 }\n", "layer.die.power.0.uniform=5",
			"layer.die.power is a table, not an array of tables", "remove its number"},
		{"another layer", two + "block = [" + coreBlock + "]\n", "layer.die.block.core.power=5",
			"layer.die has no block", "set layer.lid.block.core.power"},
		{"a name with a dot", small + `power.block = [` + strings.Replace(coreBlock, "core", "core.0", 1) + "]\n",
			`layer.die.block."core.0".power=5`,
			"layer.die has no block", `set layer.die.power.block."core.0".power`},
		{"no blocks", small, "layer.die.block.core.power=5",
			"layer.die has no block", "add it to the file, or set all of it: layer.die.block=[{ ... }]"},
		{"no probes", small, "probe.p.x=5",
			"the file has no probe", "add it to the file, or set all of it: probe=[{ ... }]"},
		{"a floorplan with watts", small + `power = { floorplan = "two.flp", watts = { a = 1, b = 2 } }` + "\n",
			"layer.die.block.a.power=5",
			"layer.die has no block", "set layer.die.power.watts.a"},
		{"a floorplan with watts, by its power", small + `power = { floorplan = "two.flp", watts = { a = 1, b = 2 } }` +
			"\n", "layer.die.power.block.a.power=5",
			"layer.die.power has no block", "set layer.die.power.watts.a"},
		{"a floorplan with a file of watts", small + `power = { floorplan = "two.flp", watts = "two.ptrace" }` + "\n",
			"layer.die.block.a.power=5",
			"layer.die has no block", `the blocks of layer.die.power come from "two.flp": set its watts`},
	} {
		key, value, _ := strings.Cut(c.set, "=")
		o, err := NewOverride(key, value)
		if err != nil {
			t.Fatal(c.name, err)
		}
		want := "--set " + strings.ReplaceAll(key, `"`, "") + ": " + c.message + "; " + c.remedy
		if _, err := Parse("stack.toml", []byte(c.file), plan.open, o); err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", c.name, err, want)
		}
		path, found := strings.CutPrefix(c.remedy, "set ")
		if !found {
			continue
		}
		if o, err = NewOverride(path, value); err != nil {
			t.Fatal(c.name, err)
		}
		s, err := Parse("stack.toml", []byte(c.file), plan.open, o)
		if err != nil {
			t.Errorf("%s: %s: %v", c.name, path, err)
			continue
		}
		if got := blockWatts(s); got != 5 {
			t.Errorf("%s: %s gives a block of %v W", c.name, path, got)
		}
	}
}

// blockWatts is the heat of the first block.
func blockWatts(s *stack.Stack) float64 {
	for _, y := range s.Layers {
		for _, p := range y.Powers {
			for _, b := range p.Blocks {
				return b.Watts
			}
		}
	}
	return 0
}
