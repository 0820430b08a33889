package sensitivity

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"thermsim/stack"
	"thermsim/stack/stackfile"
)

const turnedText = `
schema = 1
size = ["10 mm", "10 mm"]
boundary.top = { h = 3000 }
materials.organic = { k = [15, 40, 2], c = 1.9e6 }
[[die]]
name = "chip"
size = ["4 mm", "2 mm"]
[[die.layer]]
name = "wires"
material = "organic"
thickness = "20 um"
region = [{ name = "line", material = "copper", x = "1 mm", y = "0.2 mm", width = "2 mm", height = "0.5 mm",
  fill = { inclusion = "organic", fraction = 0.3, rule = "lines-x" } }]
[[die.layer]]
name = "active"
material = "silicon"
thickness = "0.1 mm"
power = [{ map = [[1, 2, 3], [4, 5, 6]], unit = "W", orientation = "south-first" },
  { block = [{ name = "core", x = "0.5 mm", y = "1 mm", width = "1 mm", height = "0.4 mm", power = "2 W" }] }]
[[layer]]
name = "dies"
material = "organic"
die = [{ die = "chip", x = "2 mm", y = "3 mm", rotate = %d }]
`

// A die that is turned here is the one that the stack file turns, with its maps, blocks, lines and materials.
func TestTurned(t *testing.T) {
	load := func(degrees int) *stack.Stack {
		s, err := stackfile.Parse("stack.toml", fmt.Appendf(nil, turnedText, degrees), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	near := func(a, b stack.Rect) bool {
		return max(math.Abs(a.X-b.X), math.Abs(a.Y-b.Y), math.Abs(a.Width-b.Width), math.Abs(a.Height-b.Height)) < 1e-12
	}
	for quarters := range 4 {
		got, want := Moved(load(0), map[string]Shift{"chip": {Quarters: quarters}}), load(90*quarters)
		for l := range want.Layers {
			a, b := &got.Layers[l], &want.Layers[l]
			for n := range b.Regions {
				x, y := &a.Regions[n], &b.Regions[n]
				if !near(x.Rect, y.Rect) || got.Materials[x.Material].K != want.Materials[y.Material].K ||
					x.Fill != nil && (x.Fill.Rule != y.Fill.Rule ||
						got.Materials[x.Fill.Inclusion].K != want.Materials[y.Fill.Inclusion].K) {
					t.Errorf("%d quarters: got %+v; expected %+v", quarters, x, y)
				}
			}
			for n := range b.Powers {
				x, y := &a.Powers[n], &b.Powers[n]
				if !near(x.Area, y.Area) ||
					y.Map != nil && (x.Map.NX != y.Map.NX || !slices.Equal(x.Map.Values, y.Map.Values)) ||
					len(y.Blocks) > 0 && !near(x.Blocks[0].Rects[0], y.Blocks[0].Rects[0]) {
					t.Errorf("%d quarters: got %+v; expected %+v", quarters, x, y)
				}
			}
		}
	}
}
