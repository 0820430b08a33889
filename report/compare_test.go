package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"thermsim/gpusolve/solution"
	"thermsim/internal/staging"
	"thermsim/internal/timeline/cputime"
	"thermsim/report/printout"
	"thermsim/report/samples"
	"thermsim/report/summary"
	"thermsim/stack"
)

// planar is bilinear in x and y, which interpolation between cell centres gives back exactly.
func planar(offset float64) func(x, y, z float64) float64 {
	return func(x, y, z float64) float64 { return 300 + offset + 2e3*x - 1e3*y + 3e5*x*y }
}

func runOf(t testing.TB, s *stack.Stack, f func(x, y, z float64) float64) *Run {
	m := samples.Build(t, s)
	return &Run{Command: "steady", Version: "1", Mesh: m,
		Solution: &solution.Solution{Field: samples.Field{Mesh: m, Of: f}}}
}

func compare(t testing.TB, a, b *Run) *Comparison {
	t.Helper()
	c, err := Compare(context.Background(), a, b, [2]string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// On one grid, differences are those of the formulas: a slope in z by layer, and nothing where the layer is alone in
// its stack.
func TestDifferencesOnOneGrid(t *testing.T) {
	first, second := samples.Stack(20, 16), samples.Stack(20, 16)
	second.Layers[2].Name = "paste"
	const slope = 1e4
	a := runOf(t, first, func(x, y, z float64) float64 { return planar(0)(x, y, z) + slope*z })
	c := compare(t, a, runOf(t, second, planar(5)))
	if !c.SameGrid || strings.Join(c.Missing, " ") != "tim paste" || len(c.Layers) != 3 {
		t.Fatalf("same grid %v, missing %q, %d layers", c.SameGrid, c.Missing, len(c.Layers))
	}
	// Planes of the bulk lie at 50 and 150 um, those of the lid, of 333 um each, from 252 um on.
	near(t, "least in the bulk", c.Layers[0].MinK, slope*50e-6-5, 1e-9)
	near(t, "most in the bulk", c.Layers[0].MaxK, slope*150e-6-5, 1e-9)
	near(t, "mean of the bulk", c.Layers[0].MeanK, slope*100e-6-5, 1e-9)
	near(t, "most in the lid", c.Layers[2].MaxK, slope*(252e-6+5e-3/6)-5, 1e-9)
	near(t, "all", c.All.MinK, slope*50e-6-5, 1e-9)
	if c.All.At.Layer != "lid" {
		t.Errorf("the largest difference, %.3g to %.3g K, is in %s", c.All.MinK, c.All.MaxK, c.All.At.Layer)
	}
	if len(c.Blocks) != 3 || c.Blocks[0].Name != "core" {
		t.Fatalf("%d blocks", len(c.Blocks))
	}
	near(t, "mean of the core", c.Blocks[0].AvgK, slope*201e-6-5, 1e-9)
	near(t, "rms of the bulk", c.Layers[0].RMSK, math.Sqrt((4.5*4.5+3.5*3.5)/2), 1e-9)
}

// Between grids, a field that is bilinear leaves no difference but its offset, away from the half cell at the edges.
func TestDifferencesBetweenGrids(t *testing.T) {
	coarse, fine := samples.Stack(10, 8), samples.Stack(64, 50)
	fine.Layers[3].Cells = 7
	c := compare(t, runOf(t, coarse, planar(0)), runOf(t, fine, planar(-2)))
	near(t, "least", c.All.MinK, 2, 1e-9)
	near(t, "most", c.All.MaxK, 2, 1e-9)
	if c.SameGrid {
		t.Error("the grids are not the same")
	}
}

func TestIncomparableStacks(t *testing.T) {
	a := runOf(t, samples.Stack(5, 4), planar(0))
	wide, strange := samples.Stack(5, 4), samples.Stack(5, 4)
	wide.Size[0] *= 1.001
	for l := range strange.Layers {
		strange.Layers[l].Name += "_2"
	}
	for _, s := range []*stack.Stack{wide, strange} {
		if _, err := Compare(context.Background(), a, runOf(t, s, planar(0)), [2]string{}); !errors.Is(err,
			ErrIncomparable) {
			t.Errorf("%v", err)
		}
	}
}

func TestComparisonFiles(t *testing.T) {
	a, b := sampleRun(t, 30, 24), sampleRun(t, 21, 17)
	dir := t.TempDir()
	c := compare(t, a, b)
	files := writeComparison(t, dir, c, a, b, ComparisonOptions{Maps: []string{"lid"}})
	var got []string
	for _, f := range files {
		got = append(got, filepath.Base(f))
	}
	if want := "diff.html diff.json diff_feol.png diff_lid.png"; strings.Join(got, " ") != want {
		t.Errorf("files %q, want %s", got, want)
	}
	text, err := os.ReadFile(filepath.Join(dir, "diff.json"))
	if err != nil {
		t.Fatal(err)
	}
	var back Comparison
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	near(t, "largest difference in diff.json", back.All.MaxK, c.All.MaxK, 1e-12)
	var tables strings.Builder
	if err := c.WriteText(&tables, printout.Style{Details: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a minus b", "the grids differ", "core"} {
		if !strings.Contains(tables.String(), want) {
			t.Errorf("the tables lack %q:\n%s", want, tables.String())
		}
	}
	if strings.Contains(tables.String(), "not compared") {
		t.Errorf("layers of one stack only:\n%s", tables.String())
	}
}

func writeComparison(t testing.TB, dir string, c *Comparison, a, b *Run, o ComparisonOptions) []string {
	t.Helper()
	done, err := staging.Do(context.Background(), dir, staging.Options{}, func(files *staging.Transaction) error {
		return c.Write(context.Background(), files, a, b, o)
	})
	if err != nil {
		t.Fatal(err)
	}
	return done.Files
}

// Between grids the second field is what its own cells say, also beside the edge of a region: two slabs side by side in
// a flux along x, whose exact temperatures at the centres any grid with a face on the edge has.
func TestDifferencesBesideTheEdgeOfARegion(t *testing.T) {
	slabs := func(nx int) *stack.Stack {
		s := samples.Stack(nx, 3)
		s.Layers =
			[]stack.Layer{{Name: "slabs", Thickness: 1e-3, Cells: 1,
				Regions: []stack.Region{{Material: 2, Rect: stack.Rect{Width: 5e-3, Height: 8e-3}}}}}
		s.Probes = nil
		s.Boundary = [stack.NumFaces]stack.Boundary{stack.West: {Kind: stack.FixedTemperature, Temperature: 400},
			stack.East: {Kind: stack.HeatFlux, Flux: -1e4}}
		return s
	}
	exact := func(x, _, _ float64) float64 {
		return 400 - 1e4*(min(x, 5e-3)/0.8+max(0, x-5e-3)/130)
	}
	for _, n := range [][2]int{{40, 4}, {4, 40}, {6, 10}} {
		c := compare(t, runOf(t, slabs(n[0]), exact), runOf(t, slabs(n[1]), exact))
		near(t, "least", c.All.MinK, 0, 1e-9)
		near(t, "most", c.All.MaxK, 0, 1e-9)
	}
}

// Means are by volume: of a difference that is linear in x, the midpoints of the cells weighed by their widths give
// half of its end, however the grid is graded; cells counted alike would not.
func TestMeansOfDifferencesAreByVolume(t *testing.T) {
	graded := func() *stack.Stack {
		s := samples.Stack(20, 16)
		s.Grid.X = stack.Axis{Cells: 20,
			Segments: []stack.Segment{{To: 2e-3, Cells: 15, Ratio: 3}, {To: 10e-3, Cells: 5, Ratio: 0.2}}}
		return s
	}
	const slope = 500.0 // K/m
	linear := func(x, _, _ float64) float64 { return 300 + slope*x }
	c := compare(t, runOf(t, graded(), linear), runOf(t, graded(), func(_, _, _ float64) float64 { return 300 }))
	near(t, "mean of all", c.All.MeanK, slope*10e-3/2, 1e-9)
	near(t, "mean of a layer", c.Layers[0].MeanK, slope*10e-3/2, 1e-9)
	// Planes of four layers are of unlike thickness: of z the mean is half of the height.
	c = compare(t, runOf(t, graded(), func(_, _, z float64) float64 {
		return 300 + 1e4*z
	}), runOf(t, graded(), func(_, _, _ float64) float64 { return 300 }))
	near(t, "mean along z", c.All.MeanK, 1e4*1252e-6/2, 1e-9)
}

// A hundred thousand blocks are compared in no time.
func TestManyBlocks(t *testing.T) {
	start := cputime.Used()
	rows := make([]summary.Block, 90_000)
	for n := range rows {
		rows[n] = summary.Block{Layer: "feol", Name: fmt.Sprint(n), MaxK: 300 + float64(n)}
	}
	theirs := make([]summary.Block, len(rows))
	for n := range rows {
		theirs[len(rows)-1-n] = rows[n]
		theirs[len(rows)-1-n].MaxK -= 2
	}
	all := blockDifferences(rows, theirs)
	if len(all) != len(rows) || all[0].Name != "0" || all[0].MaxK != 2 {
		t.Errorf("%d differences, the first %+v", len(all), all[0])
	}
	if spent := cputime.Used() - start; spent > 20*time.Second {
		t.Errorf("took %v", spent)
	}
}
