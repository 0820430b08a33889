package report

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/printout"
	"thermsim/report/samples"
)

// holed is planar with an offset, and without a temperature in the cells whose centres lie west of an edge.
func holed(offset, edge, hole float64) func(x, y, z float64) float64 {
	return func(x, y, z float64) float64 {
		if x < edge {
			return hole
		}
		return planar(offset)(x, y, z)
	}
}

func converged(r *Run) *Run {
	r.Solution.Status = solution.Status{Method: "pcg", Converged: true, Reason: solution.ReasonTolerance}
	return r
}

// Cells without a temperature, solves that did not converge and lost heat speak against a comparison: tables, JSON,
// page and maps say so.
func TestComparisonOfDoubtfulRuns(t *testing.T) {
	const edge = 1.2e-3 // of 10 mm in 20 cells: the centres of two columns of cells lie west of it
	for name, c := range map[string]struct {
		a, b    func(x, y, z float64) float64
		spoil   func(a, b *Run)
		caveat  string
		doubts  []string
		skipped int // of 16 x 8 rows
		most    float64
	}{
		"good": {planar(2), planar(0), func(a, b *Run) {}, "", []string{}, 0, 2},
		"first": {holed(2, edge, math.NaN()), planar(0), func(a, b *Run) {
		}, "NOT CONVERGED", []string{"a: not converged (breakdown, 256 cells without a finite temperature)",
			"256 of 2560 cells are not compared"}, 256, 2},
		"second infinite": {planar(2), holed(0, edge, math.Inf(1)), func(a, b *Run) {
		}, "NOT CONVERGED", []string{"b: not converged (breakdown, 256 cells", "256 of 2560 cells"}, 256, 2},
		"both": {holed(2, edge, math.NaN()), holed(0, edge, math.NaN()), func(a, b *Run) {
		}, "NOT CONVERGED", []string{"a: not converged", "b: not converged", "256 of 2560"}, 256, 2},
		"nothing left": {holed(2, 1, math.NaN()), planar(0), func(a, b *Run) {
		}, "NOT CONVERGED", []string{"a: not converged (breakdown, 2560 cells", "2560 of 2560 cells"}, 2560,
			math.NaN()},
		"unconverged": {planar(2), planar(0), func(a, b *Run) {
			b.Solution.Status.Converged, b.Solution.Status.Reason = false, solution.ReasonIterations
		}, "NOT CONVERGED", []string{"b: not converged (iteration limit)"}, 0, 2},
		"interrupted": {planar(2), planar(0), func(a, b *Run) {
			a.Solution.Status.Converged, a.Solution.Status.Reason = false, solution.ReasonInterrupted
		}, "INTERRUPTED", []string{"a was interrupted"}, 0, 2},
		"interrupted and unconverged": {planar(2), planar(0), func(a, b *Run) {
			a.Solution.Status.Converged, a.Solution.Status.Reason = false, solution.ReasonInterrupted
			b.Solution.Status.Converged, b.Solution.Status.Reason = false, solution.ReasonStagnation
		}, "NOT CONVERGED", []string{"a was interrupted", "b: not converged (stagnation)"}, 0, 2},
		"earlier step": {planar(2), planar(0), func(a, b *Run) {
			a.Solution.Steps = []solution.Step{{MaxK: 300}, {MaxK: 300, Converged: true}}
		},
			"NOT CONVERGED", []string{"a: not converged (breakdown, first in step 1 of 2)"}, 0, 2},
		"lost heat": {planar(2), planar(0), func(a, b *Run) {
			b.Solution.Energy = solution.Energy{ImbalanceRel: 0.02, Scale: 1}
		}, "NOT CONVERGED", []string{"b: the energy balance is off by 0.02 of the heat flow, above the limit of 0.001"},
			0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := converged(runOf(t, samples.Stack(20, 16), c.a)), converged(runOf(t, samples.Stack(20, 16), c.b))
			c.spoil(a, b)
			got := compare(t, a, b)
			if got.Caveat() != c.caveat || len(got.Doubts) != len(c.doubts) || got.All.Skipped != c.skipped {
				t.Fatalf("caveat %q, doubts %q, %d cells skipped", got.Caveat(), got.Doubts, got.All.Skipped)
			}
			if !math.IsNaN(c.most) {
				near(t, "most", got.All.MaxK, c.most, 1e-9)
			} else if !math.IsNaN(got.All.MaxK) {
				t.Errorf("most %g", got.All.MaxK)
			}
			layers := 0
			for _, l := range got.Layers {
				layers += l.Skipped
			}
			if layers != c.skipped {
				t.Errorf("%d cells skipped in the layers, %d in all", layers, c.skipped)
			}
			told := tell(t, got, a, b)
			for n, want := range c.doubts {
				if !strings.Contains(got.Doubts[n], want) {
					t.Errorf("doubt %q, want %q", got.Doubts[n], want)
				}
				for where, text := range told {
					if !strings.Contains(text, want) {
						t.Errorf("%s does not say %q", where, want)
					}
				}
			}
			for _, where := range []string{"tables", "page"} {
				if said := strings.Contains(told[where], c.caveat+":") ||
					strings.Contains(told[where], ">"+c.caveat+"<"); c.caveat != "" && !said {
					t.Errorf("%s without %q:\n%.600s", where, c.caveat, told[where])
				}
			}
			if c.caveat == "" && strings.Contains(told["tables"]+told["page"], "class=\"caveat\"") {
				t.Error("a caveat without a reason")
			}
		})
	}
}

// tell is what people and programs are told of a comparison.
func tell(t *testing.T, c *Comparison, a, b *Run) map[string]string {
	t.Helper()
	var text bytes.Buffer
	if err := c.WriteText(&text, printout.Style{Details: true}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeComparison(t, dir, c, a, b, ComparisonOptions{Style: PictureStyle{Formats: []string{NoPictures}}})
	told := map[string]string{"tables": text.String()}
	for where, name := range map[string]string{"page": "diff.html", "JSON": "diff.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		told[where] = string(data)
	}
	var read struct {
		Runs [2]struct {
			Converged *bool
			Cells     *int `json:"non_finite_cells"`
		}
		Doubts *[]string
		All    map[string]any
	}
	if err := json.Unmarshal([]byte(told["JSON"]), &read); err != nil || read.Doubts == nil ||
		read.Runs[1].Converged == nil || read.Runs[1].Cells == nil {
		t.Errorf("diff.json: %v\n%s", err, told["JSON"])
	}
	if _, ok := read.All["cells_not_compared"]; !ok {
		t.Errorf("diff.json: all is %v", read.All)
	}
	if strings.Contains(told["tables"], "NaN") {
		t.Errorf("tables:\n%s", told["tables"])
	}
	return told
}

// A NaN that interpolation spreads counts where it arrives.
func TestComparisonInterpolatesHoles(t *testing.T) {
	a, b := converged(runOf(t, samples.Stack(20, 16), planar(2))),
		converged(runOf(t, samples.Stack(10, 8), holed(0, 1e-3, math.NaN())))
	c := compare(t, a, b)
	// The first of ten columns is a hole, with its centre at 0.5 mm: of the columns of 0.5 mm, those centred at 0.25,
	// 0.75 and 1.25 mm take from it.
	if want := 3 * 16 * 8; c.All.Skipped != want || c.Runs[1].NonFiniteCells != 8*8 {
		t.Errorf("%d cells skipped, want %d; %+v", c.All.Skipped, want, c.Runs)
	}
}
