package plausibility

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"thermsim/mesh"
	"thermsim/stack/stackfile"
	"thermsim/study/autogrid"
)

// On the uniform grid that a warning advises, every block has at least four cells along both sides, whatever the
// grid that was too coarse.
func TestAdvisedGrid(t *testing.T) {
	advice := regexp.MustCompile(`--grid (\d+)x(\d+) for at least 4 cells`)
	// The narrowest sides are the core's 0.2 mm along x and the fin's 1 mm along y, of 10 mm.
	text := strings.Replace(strings.Replace(sane, `width = "2 mm"`, `width = "0.2 mm"`, 1),
		"[[layer]]\nname = \"bond\"",
		"  [[layer.block]]\n  name = \"fin\"\n  x = \"4 mm\"\n  y = \"8 mm\"\n"+
			"  width = \"5 mm\"\n  height = \"1 mm\"\n  power = \"1 W\"\n[[layer]]\nname = \"bond\"", 1) +
		// A region of the lid: without it, auto takes equal cells.
		"  [[layer.region]]\n  material = \"silicon\"\n  x = \"5 mm\"\n  y = \"1 mm\"\n  width = \"2 mm\"\n  height " +
		"= \"2 mm\"\n"
	for name, c := range map[string]struct {
		grid string
		auto bool // the remedy names --grid auto
	}{
		"uniform": {"{ nx = 15, ny = 15 }", true},
		"graded": {`{ x = [{ to = "5 mm", cells = 8 }, { to = "10 mm", cells = 60 }],
			y = [{ to = "9 mm", cells = 30, ratio = 10 }, { to = "10 mm", cells = 60 }] }`, false},
		"graded along x":  {`{ x = [{ to = "10 mm", cells = 40, ratio = 0.02 }], ny = 20 }`, false},
		"crowded outside": {`{ x = [{ to = "3 mm", cells = 5 }, { to = "10 mm", cells = 200 }], ny = 40 }`, false},
		"crowded inside": {`{ x = [{ to = "1 mm", cells = 3 }, { to = "1.2 mm", cells = 3 },
			{ to = "10 mm", cells = 20 }], ny = 40 }`, false},
		"auto": {`{ relative_error = 0.2, max_cells = 1000 }`, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := stackfile.Parse("chip.toml", []byte(strings.Replace(text, "{ nx = 40, ny = 40 }", c.grid, 1)),
				nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.Grid.Auto != nil {
				chosen, err := autogrid.Choose(context.Background(), s)
				if err != nil {
					t.Fatal(err)
				}
				s = chosen.Stack
			}
			m, err := mesh.Build(s)
			if err != nil {
				t.Fatal(err)
			}
			found := Of(m)
			if got := codes(found); len(got) != 1 || got[0] != CoarseGrid {
				t.Fatalf("%v on %d x %d cells", found, m.NX(), m.NY())
			}
			remedy := found[0].Remedy
			if strings.Contains(remedy, "--grid auto") != c.auto {
				t.Errorf("the remedy is %q", remedy)
			}
			var nx, ny int
			if parts := advice.FindStringSubmatch(remedy); parts == nil {
				t.Fatalf("the remedy is %q", remedy)
			} else if _, err := fmt.Sscan(parts[1]+" "+parts[2], &nx, &ny); err != nil {
				t.Fatal(err)
			}
			if nx != 224 || ny != 64 { // multiples of 32
				t.Errorf("%d x %d cells are advised, where 200 x 40 are needed", nx, ny)
			}
			found = Of(meshOf(t, strings.Replace(text, "nx = 40, ny = 40", fmt.Sprintf("nx = %d, ny = %d", nx, ny), 1)))
			if len(found) > 0 {
				t.Errorf("on the grid advised: %v", found)
			}
		})
	}
}
