package autogrid

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/gridding"
	"thermsim/stack/stackfile"
)

func choose(t *testing.T, s *stack.Stack) *Choice {
	t.Helper()
	if s.Grid.Auto == nil {
		s.Grid = stack.Grid{Auto: stack.DefaultAutoGrid()}
	}
	c, err := Choose(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := stack.Validate(c.Stack); err != nil {
		t.Fatalf("the chosen grid is not valid: %v", err)
	}
	if c.Cells > float64(c.Most) || c.Cells != cellsOf(c.Stack) {
		t.Errorf("%g cells, counted %g, allowed %d", c.Cells, cellsOf(c.Stack), c.Most)
	}
	return c
}

// plan is a stack of one die with blocks.
func plan(width, depth float64, blocks ...stack.Rect) *stack.Stack {
	s := &stack.Stack{Schema: 1, Ambient: 300, Size: [2]float64{width, depth},
		Materials: []stack.Material{{Name: "silicon", K: [3]float64{130, 130, 130}, C: 1.6e6}}}
	l := stack.Layer{Name: "die", Thickness: 300e-6, Cells: 1,
		Powers: []stack.Power{{Area: s.Domain(), AllowOverlap: true}}}
	for n, r := range blocks {
		l.Powers[0].Blocks = append(l.Powers[0].Blocks, stack.Block{Name: fmt.Sprint("b", n), Rects: []stack.Rect{r},
			Watts: 1})
	}
	s.Layers = []stack.Layer{l}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: 300}
	return s
}

// withRegion puts a region of another material beside the blocks, which the direct solver does not take.
func withRegion(s *stack.Stack) *stack.Stack {
	s.Materials = append(s.Materials, stack.Material{Name: "mould", K: [3]float64{1, 1, 1}, C: 1.7e6})
	s.Layers[0].Regions = []stack.Region{{Material: 1, Rect: stack.Rect{X: 7.7e-3, Y: 0, Width: 2.3e-3, Height: 8e-3}}}
	return s
}

var corner = stack.Rect{X: 1.3e-3, Y: 2.1e-3, Width: 0.7e-3, Height: 1.9e-3}

// The same stack gives the same grid, on one core and on all.
func TestSameStackSameGrid(t *testing.T) {
	var texts []string
	for _, cores := range []int{1, 4, 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		var b bytes.Buffer
		if err := stackfile.Print(&b, choose(t, withRegion(plan(10e-3, 8e-3, corner))).Stack); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, b.String())
	}
	if texts[0] != texts[1] || texts[1] != texts[2] {
		t.Error("the grids differ")
	}
}

// An interrupt ends the choice, and is told as one.
func TestInterrupt(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	s := plan(10e-3, 8e-3, corner)
	s.Grid = stack.Grid{Auto: stack.DefaultAutoGrid()}
	if _, err := Choose(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A printed grid reads back as the same lines.
func TestPrintedGridIsTheSame(t *testing.T) {
	c := choose(t, withRegion(plan(10e-3, 8e-3, corner)))
	var b bytes.Buffer
	if err := stackfile.Print(&b, c.Stack); err != nil {
		t.Fatal(err)
	}
	again, err := stackfile.Parse("printed", b.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, y, _ := mesh.Faces(c.Stack)
	x2, y2, err := mesh.Faces(again)
	if err != nil || len(x) != len(x2) || len(y) != len(y2) {
		t.Fatalf("%d x %d faces read back as %d x %d: %v", len(x), len(y), len(x2), len(y2), err)
	}
	for i := range x {
		if x[i] != x2[i] {
			t.Errorf("face %d moved from %g to %g", i, x[i], x2[i])
		}
	}
}

// A die that the direct solver takes gets equal cells where they cost less; with a region of another material there is
// no such choice.
func TestKindOfGrid(t *testing.T) {
	wide := stack.Rect{X: 1e-3, Y: 2e-3, Width: 5e-3, Height: 4e-3}
	if c := choose(t, plan(10e-3, 8e-3, wide)); !c.Uniform || c.Other < 1 || len(c.Stack.Grid.X.Segments) > 0 {
		t.Errorf("wide block: %v", c.Reasons())
	}
	small := stack.Rect{X: 1e-3, Y: 2e-3, Width: 20e-6, Height: 20e-6}
	if c := choose(t, plan(10e-3, 8e-3, small)); c.Uniform || c.Other < 1 {
		t.Errorf("small block: %v", c.Reasons())
	}
	if c := choose(t, withRegion(plan(10e-3, 8e-3, wide))); c.Uniform || c.Other != 0 {
		t.Errorf("with a region: %v", c.Reasons())
	}
}

// Where the cells do not suffice for the error, the choice says so and what would.
func TestBudget(t *testing.T) {
	s := withRegion(plan(10e-3, 8e-3, corner))
	s.Grid.Auto = &stack.AutoGrid{Error: 1e-4, MaxCells: 20000}
	c := choose(t, s)
	if c.Needed <= 20000 || c.Lateral+c.Height <= 1e-4 || !strings.Contains(c.Doubt(), "max_cells") || c.Cells < 5000 {
		t.Errorf("%g cells, %g needed, %g K: %q", c.Cells, c.Needed, c.Lateral+c.Height, c.Doubt())
	}
}

// Without a way out for heat there is no steady state to judge by: four cells across sources.
func TestNoSteadyState(t *testing.T) {
	s := plan(10e-3, 8e-3, corner)
	s.Boundary[stack.Top] = stack.Boundary{}
	if c := choose(t, s); c.Piloted || c.Narrowest < 3.9 || c.Doubt() != "" {
		t.Errorf("%v %q", c.Reasons(), c.Doubt())
	}
}

// Time steps make sources' edges steep: cells follow the depth that heat reaches in a step.
func TestPenetration(t *testing.T) {
	wide := stack.Rect{X: 1e-3, Y: 2e-3, Width: 5e-3, Height: 4e-3}
	s := plan(10e-3, 8e-3, wide)
	s.Boundary[stack.Top] = stack.Boundary{}
	s.Transient.Dt = 2e-3 // heat in silicon goes 0.4 mm
	if c := choose(t, s); c.Narrowest < 18 || c.Narrowest > 24 {
		t.Errorf("%.3g cells across 4 mm, expected about 20 of half of 0.4 mm", c.Narrowest)
	}
}

// Ten thousand blocks, half of them with edges a nanometre off those of their neighbours.
func TestManyBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 10))
	var blocks []stack.Rect
	const n = 100
	for i := range n * n {
		side := 10e-3 / n
		r := stack.Rect{X: float64(i%n) * side, Y: float64(i/n) * side * 0.8, Width: side, Height: side * 0.8}
		if rng.IntN(2) == 0 {
			r.X += 1e-9
			r.Width -= 1e-9
		}
		blocks = append(blocks, r)
	}
	s := withRegion(plan(10e-3, 8e-3, blocks...))
	s.Grid.Auto = &stack.AutoGrid{Relative: 0.01, MaxCells: 100_000}
	c := choose(t, s)
	if c.Passed[0] < 50 || c.Cells < 2.5e4 {
		t.Errorf("%d edges passed over: %v", c.Passed[0], c.Reasons())
	}
	t.Log(c.Reasons(), c.Doubt())
}

// Maps, circles and polygons: a map's cells follow its tiles or a 64th of it, shapes the rectangle around them.
func TestMapsAndShapes(t *testing.T) {
	s := plan(10e-3, 8e-3)
	m := &stack.PowerMap{NX: 300, NY: 300, Values: make([]float64, 90000)}
	for i := range m.Values {
		m.Values[i] = 1e-4 * (1 + math.Sin(float64(i%300)/30))
	}
	disc := geometry.Circle{X: 5e-3, Y: 4e-3, Diameter: 1e-3}
	s.Layers[0].Powers = []stack.Power{{Map: m, Area: stack.Rect{X: 1e-3, Y: 1e-3, Width: 8e-3, Height: 6e-3}},
		{Uniform: 2, Shape: disc, Area: stack.Around(disc)}}
	c := choose(t, withRegion(s))
	x, _, err := mesh.Faces(c.Stack)
	if err != nil {
		t.Fatal(err)
	}
	for _, edge := range []float64{1e-3, 9e-3, 4.5e-3, 5.5e-3, 7.7e-3} {
		if at := gridding.Position(x, edge); math.Abs(at-math.Round(at)) > 1e-9 {
			t.Errorf("no face at %g: %g", edge, at)
		}
	}
	if n := gridding.Position(x, 9e-3) - gridding.Position(x, 1e-3); n < 120 {
		t.Errorf("%g cells across the map", n)
	}
}

// A variant gets the resolution of the stack with lines on its own edges, whatever its power, and a variant that is the
// same stack the same grid.
func TestVariantsKeepTheChoice(t *testing.T) {
	text := func(s *stack.Stack) string {
		var b bytes.Buffer
		if err := stackfile.Print(&b, s); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	of := func(width, watts float64) *stack.Stack {
		block := corner
		block.Width = width
		s := withRegion(plan(10e-3, 8e-3, block))
		s.Layers[0].Powers[0].Blocks[0].Watts = watts
		s.Grid = stack.Grid{Auto: stack.DefaultAutoGrid()}
		return s
	}
	c := choose(t, of(0.7e-3, 1))
	if got, want := text(c.For(of(0.7e-3, 1))), text(c.Stack); got != want {
		t.Errorf("the same stack gets\n%s\nwant\n%s", got, want)
	}
	hotter, wider := c.For(of(0.7e-3, 300)), c.For(of(0.71e-3, 1))
	if fmt.Sprint(hotter.Grid) != fmt.Sprint(c.Stack.Grid) {
		t.Errorf("with 300 W: %v, want %v", hotter.Grid, c.Stack.Grid)
	}
	x, _, err := mesh.Faces(wider)
	if err != nil {
		t.Fatal(err)
	}
	if at := gridding.Position(x, 1.3e-3+0.71e-3); math.Abs(at-math.Round(at)) > 1e-6 {
		t.Errorf("the wider block ends within a cell, at %g", at)
	}
	if n, want := wider.Grid.X.Cells, c.Stack.Grid.X.Cells; n < want-2 || n > want+2 {
		t.Errorf("%d cells along x, want about %d", n, want)
	}
}

// Without heat every grid is exact, and a coarse one is chosen.
func TestNoHeat(t *testing.T) {
	s := withRegion(plan(10e-3, 8e-3, corner))
	s.Layers[0].Powers[0].Blocks[0].Watts = 0
	if c := choose(t, s); c.Needed > 0 || c.Cells > pilotCells {
		t.Errorf("%.3g cells, needed %.3g", c.Cells, c.Needed)
	}
}
