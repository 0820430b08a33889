package report

import (
	"math"
	"strings"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/printout"
	"thermsim/report/samples"
)

// A run is as good as its worst step and its worst cell, whatever the solver says of the last solve.
func TestJudge(t *testing.T) {
	good := solution.Step{Time: 1e-3, MaxK: 330, Converged: true}
	with := func(spoil func(*solution.Step)) []solution.Step {
		steps := []solution.Step{good, good, good}
		spoil(&steps[1])
		return steps
	}
	for name, c := range map[string]struct {
		spoil                 func(r *Run)
		caveat, doubt, reason string
	}{
		"good": {func(*Run) {}, "", "", solution.ReasonTolerance},
		"good transient": {func(r *Run) {
			r.Solution.Steps = with(func(*solution.Step) {
			})
		}, "", "", solution.ReasonTolerance},
		"one cell": {func(r *Run) {
			r.Solution.Field = samples.Field{Mesh: r.Mesh, Of: func(x, y, z float64) float64 {
				if x < 3e-3 && y < 4e-3 && z < 100e-6 {
					return math.NaN()
				}
				return 320
			}}
		}, "NOT CONVERGED", "breakdown, 1 cell without a finite temperature", solution.ReasonBreakdown},
		"infinite field": {func(r *Run) {
			r.Solution.Field = samples.Field{Mesh: r.Mesh, Of: func(x, y, z float64) float64 { return math.Inf(1) }}
		}, "NOT CONVERGED", "breakdown, 32 cells without a finite temperature", solution.ReasonBreakdown},
		"earlier step": {func(r *Run) { r.Solution.Steps = with(func(s *solution.Step) { s.Converged = false }) },
			"NOT CONVERGED", "breakdown, first in step 2 of 3", solution.ReasonBreakdown},
		"earlier step with its reason": {func(r *Run) {
			r.Solution.Steps = with(func(s *solution.Step) { s.Converged = false })
			r.Solution.Status.Converged, r.Solution.Status.Reason = false, solution.ReasonIterations
		}, "NOT CONVERGED", "iteration limit, first in step 2 of 3", solution.ReasonIterations},
		"earlier step without a temperature": {func(r *Run) {
			r.Solution.Steps = with(func(s *solution.Step) {
				s.MaxK = math.NaN()
			})
		},
			"NOT CONVERGED", "breakdown, first in step 2 of 3", solution.ReasonBreakdown},
		"interrupted": {func(r *Run) {
			r.Solution.Steps = with(func(*solution.Step) {})
			r.Solution.Status.Converged, r.Solution.Status.Reason = false, solution.ReasonInterrupted
		}, "INTERRUPTED", "interrupted", solution.ReasonInterrupted},
		"interrupted after a bad step": {func(r *Run) {
			r.Solution.Steps = with(func(s *solution.Step) { s.Converged = false })
			r.Solution.Status.Converged, r.Solution.Status.Reason = false, solution.ReasonInterrupted
		}, "INTERRUPTED, NOT CONVERGED", "interrupted, first in step 2 of 3", solution.ReasonInterrupted},
	} {
		r := sampleRun(t, 2, 2)
		c.spoil(r)
		s := summarise(t, r)
		if s.Caveat() != c.caveat || s.Doubt() != c.doubt || s.Solver.Reason != c.reason ||
			s.Solver.Converged != (c.caveat == "") {
			t.Errorf("%s: caveat %q, doubt %q, %+v", name, s.Caveat(), s.Doubt(), s.Solver)
		}
		var text strings.Builder
		if err := printout.Write(&text, s, printout.Style{Details: true}); err != nil || c.caveat != "" &&
			!strings.Contains(text.String(), c.caveat+":") {
			t.Errorf("%s: %v, tables without %q:\n%s", name, err, c.caveat, text.String())
		}
	}
}
