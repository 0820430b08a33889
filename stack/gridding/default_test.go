package gridding_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/gridding"
	"thermsim/stack/internal/keys"
	"thermsim/stack/packaging"
	"thermsim/stack/stackfile"
)

// faces of the default grid of a package, after the checks that every such grid meets.
func faces(t *testing.T, text string) (s *stack.Stack, axes [2][]float64) {
	t.Helper()
	s, err := stackfile.Parse("stack.toml", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	x, y, err := mesh.Faces(s)
	if err != nil {
		t.Fatal(err)
	}
	planes := 0
	for l := range s.Layers {
		planes += s.Layers[l].Planes()
	}
	if n := (len(x) - 1) * (len(y) - 1) * planes; !s.Grid.Default || n > gridding.MaxCells {
		t.Errorf("default grid %v, %d cells, at most %d allowed", s.Grid.Default, n, gridding.MaxCells)
	}
	return s, [2][]float64{x, y}
}

// Dies, parts and blocks have lines at their edges, sources have six cells across, dies 40, and cells grow slowly.
func TestDefaultGridOfPackages(t *testing.T) {
	for _, k := range keys.StackKey("package", "kind").Enum {
		for _, e := range append(packaging.Environments(), packaging.NoEnvironment) {
			if k == string(packaging.HBM) && e.OnBoard() {
				continue
			}
			text := fmt.Sprintf("schema = 1\n%s[package]\nkind = %q\nsize = [\"21 mm\", \"27 mm\"]\n", faceOf(e), k)
			if e != packaging.NoEnvironment {
				text += fmt.Sprintf("environment = %q\nh = 20\n", e)
			}
			s, axes := faces(t, text+`[[package.die]]
name = "a"
size = ["6 mm", "11 mm"]
block = [{ name = "b", x = "1 mm", y = "2 mm", width = "2 mm", height = "3 mm", power = 1 }]
`)
			for axis, x := range axes {
				for _, p := range gridding.Spans(s, axis) {
					for _, at := range []float64{p.Lo, p.Hi} {
						if i := gridding.Position(x, at); math.Abs(i-math.Round(i)) > 1e-6 {
							t.Errorf("%s in %q: no line at %g along axis %d", k, e, at, axis)
						}
					}
				}
				for _, p := range gridding.Sources(s, axis) {
					if n := gridding.Position(x, p.Hi) - gridding.Position(x, p.Lo); n < 5.9 {
						t.Errorf("%s in %q: %.2f cells across a source", k, e, n)
					}
				}
				for i := 2; i < len(x); i++ {
					if q := (x[i] - x[i-1]) / (x[i-1] - x[i-2]); q > 1.3 || q < 1/1.3 {
						t.Errorf("%s in %q: neighboring cells differ by a factor of %.2f at %g", k, e, q, x[i-1])
					}
				}
			}
		}
	}
}

func faceOf(e packaging.Environment) string {
	if e == packaging.NoEnvironment {
		return "boundary.top = { h = 1000 }\n"
	}
	return ""
}

// Small sources and many of them make cells larger in proportion, within the maximum number.
func TestDefaultGridStaysSmall(t *testing.T) {
	var blocks strings.Builder
	const n = 50
	for i := range n * n {
		fmt.Fprintf(&blocks, "{ name = \"b%d\", x = \"%g mm\", y = \"%g mm\", ", i, float64(i%n)*0.2, float64(i/n)*0.2)
		blocks.WriteString("width = \"0.19 mm\", height = \"0.2 mm\", power = 0.01 },\n")
	}
	text := `schema = 1
boundary.top = { h = 1000 }
[package]
kind = "flip-chip-lid"
size = ["25 mm", "25 mm"]
[[package.die]]
name = "a"
size = ["10 mm", "10 mm"]
block = [` + blocks.String() + "]\n"
	s, axes := faces(t, text)
	if n := (len(axes[0]) - 1) * (len(axes[1]) - 1); n < 5000 {
		t.Errorf("%d cells in a plane", n)
	}
	if d := gridding.NewDefault(s); d.Larger < 2 {
		t.Errorf("cells %g times as large", d.Larger)
	}
}
