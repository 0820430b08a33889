package hotspot

import (
	"testing"

	"thermsim/interop/importer"
)

// The parsers must never panic, and what they pass must stay within what they check.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(goodConfig))
	f.Add([]byte("-k_chip\t1.\r\n#x\n-t_chip .5"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := parseConfig(&importer.Collector{}, "c.config", data)
		if c.Faults.Len() == 0 && (c.number("t_chip") <= 0 || c.number("grid_rows") < 1) {
			t.Errorf("t_chip %g, grid_rows %g", c.number("t_chip"), c.number("grid_rows"))
		}
	})
}

func FuzzFloorplan(f *testing.F) {
	f.Add([]byte(goodFlp))
	f.Add([]byte("a 1 1 -3 2 1e6 .01\nb 1. 1 0 0\na b 3"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c importer.Collector
		units := parseFlp(&c, "f.flp", data)
		if c.Faults.Len() > 0 {
			return
		}
		if len(units) == 0 {
			t.Error("no blocks, and no fault")
		}
		for _, u := range units {
			if !(u.width > 0) || !(u.height > 0) || u.x < 0 || u.y < 0 {
				t.Errorf("block %+v", u)
			}
		}
	})
}

func FuzzLayers(f *testing.F) {
	f.Add([]byte(goodLcf))
	f.Add([]byte("0\nN\nY\ngold\n1e-4\nf.flp\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c importer.Collector
		layers := parseLcf(&c, "l.lcf", data, []solid{{name: "gold", k: 300, capacity: 2.5e6}})
		for i, l := range layers {
			if c.Faults.Len() == 0 && (l.number != i || !(l.thickness > 0) || !(l.resistivity > 0) ||
				!(l.capacity > 0)) {
				t.Errorf("layer %d: %+v", i, l)
			}
		}
	})
}

func FuzzMaterials(f *testing.F) {
	f.Add([]byte("gold\nsolid\n300\n2.5e6\nwater\nfluid\n.6\n4e6\n1e-3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		solids, fluids := parseMaterials(&importer.Collector{}, "m.materials", data)
		for _, f := range fluids {
			solids = append(solids, f.solid)
			if !(f.viscosity > 0) {
				t.Errorf("fluid %+v", f)
			}
		}
		for _, m := range solids {
			if !(m.k > 0) || !(m.capacity > 0) {
				t.Errorf("material %+v", m)
			}
		}
	})
}

func FuzzInitial(f *testing.F) {
	f.Add([]byte("core\t320.5\niface_core 320\ninode_0 318"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for name, v := range parseInitial(&importer.Collector{}, "t.init", data) {
			if !(v > 0) {
				t.Errorf("%s begins with %g K", name, v)
			}
		}
	})
}

// Whole projects of any content must end in a result or in errors with places.
func FuzzProject(f *testing.F) {
	f.Add(goodConfig, goodFlp, goodTrace, goodLcf)
	f.Add(goodConfig+"-leakage_used 1\n-model_secondary 1\n-s_sub .017\n", goodFlp, goodTrace, "")
	f.Fuzz(func(t *testing.T, config, flp, trace, lcf string) {
		if len(config)+len(flp)+len(trace)+len(lcf) > 4096 {
			return
		}
		files := project{"c.config": config + "\n-grid_rows 4\n-grid_cols 4\n", "f.flp": flp, "p.ptrace": trace}
		if lcf != "" {
			files["l.lcf"] = lcf
		}
		for _, compat := range []bool{false, true} {
			if r, err := importProject(files, compat); err == nil && r.Stack == nil {
				t.Error("neither stack nor error")
			}
		}
	})
}
