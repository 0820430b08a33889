package report

import (
	"strings"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/printout"
	"thermsim/report/summary"
)

func TestCaveat(t *testing.T) {
	for _, c := range []struct {
		converged bool
		reason    string
		want      string
	}{
		{true, solution.ReasonTolerance, ""},
		{true, solution.ReasonAttainable, ""},
		{false, solution.ReasonIterations, "NOT CONVERGED"},
		{false, solution.ReasonStagnation, "NOT CONVERGED"},
		{false, solution.ReasonInterrupted, "INTERRUPTED"},
	} {
		s := summary.Summary{Solver: summary.Solver{Converged: c.converged, Reason: c.reason}}
		if got := s.Caveat(); got != c.want {
			t.Errorf("%v, %s: caveat %q, want %q", c.converged, c.reason, got, c.want)
		}
	}
	if got := summary.Marked("NOT CONVERGED", "chip"); got != "NOT CONVERGED: chip" {
		t.Errorf("title %q", got)
	}
	if got := summary.Marked("", "chip"); got != "chip" {
		t.Errorf("title %q", got)
	}
}

// The steps that an interrupted transient finished are good; its tables must not call them otherwise.
func TestTextOfInterruptedRun(t *testing.T) {
	r := sampleRun(t, 10, 8)
	r.Solution.Status.Converged, r.Solution.Status.Reason = false, solution.ReasonInterrupted
	got := text(t, summarise(t, r), printout.Style{Details: true})
	if !strings.Contains(got, "INTERRUPTED: the run ended before its last step.") ||
		strings.Contains(got, "NOT CONVERGED") {
		t.Error(got)
	}
}
