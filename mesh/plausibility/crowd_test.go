package plausibility

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Thousands of strips that cross in one cell are more than are told apart; hundreds are not.
func TestCrowdedCells(t *testing.T) {
	for strips, want := range map[int]string{300: "", 6000: CrowdedCells} {
		draw := rand.New(rand.NewPCG(1, 2))
		var b strings.Builder
		b.WriteString(sane)
		for range strips {
			at, materials := draw.Float64(), [2]string{"copper", "air"}
			place := fmt.Sprintf("x = \"%g um\"\ny = 0.0051\nwidth = \"20 nm\"\nheight = 1e-4", 5100+100*at)
			if draw.IntN(2) == 0 {
				place = fmt.Sprintf("x = 0.0051\ny = \"%g um\"\nwidth = 1e-4\nheight = \"20 nm\"", 5100+100*at)
			}
			fmt.Fprintf(&b, "[[layer.region]]\nmaterial = %q\n%s\n", materials[draw.IntN(2)], place)
		}
		found := Of(meshOf(t, b.String()))
		if got := strings.Join(codes(found), " "); got != want {
			t.Errorf("%d strips: %v", strips, found)
		}
		if len(found) > 0 &&
			!strings.Contains(found[0].String(),
				`chip.toml:28:9: layer "lid": in 1 of 1600 cells of a plane too many regions overlap to be resolved`) {
			t.Error(found[0])
		}
	}
}
