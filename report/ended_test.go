package report

import (
	"strings"
	"testing"

	"thermsim/gpusolve/solution"
	"thermsim/report/printout"
	"thermsim/report/summary"
)

// How a run ended is told once: neither the method nor the caveat is repeated as a reason.
func TestEnded(t *testing.T) {
	none := 0
	for want, s := range map[string]summary.Summary{
		"converged":                      {Solver: summary.Solver{Converged: true, Reason: solution.ReasonDirect}},
		"converged: tolerance reached":   {Solver: summary.Solver{Converged: true, Reason: solution.ReasonTolerance}},
		"INTERRUPTED":                    {Solver: summary.Solver{Reason: solution.ReasonInterrupted}},
		"NOT CONVERGED: stagnation":      {Solver: summary.Solver{Reason: solution.ReasonStagnation}},
		"NOT CONVERGED: iteration limit": {Solver: summary.Solver{Reason: solution.ReasonIterations}},
		"INTERRUPTED, NOT CONVERGED: first in step 1 of 1": {
			Solver: summary.Solver{Reason: solution.ReasonInterrupted}, Steps: 1, IterationsTotal: &none,
			StepMaxima: []summary.Step{{}},
		},
	} {
		if got := s.Ended(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A transient that is solved directly has its 0 iterations in the JSON, and says that its error is judged at the last
// step.
func TestDirectTransient(t *testing.T) {
	r := sampleRun(t, 10, 8)
	r.Solution.Status = solution.Status{Method: solution.MethodDirect, Preconditioner: "fourier", Converged: true,
		Reason: solution.ReasonDirect, EstimatedErrorK: 2e-9}
	r.Solution.Steps = []solution.Step{{Time: 1, MaxK: 310, PowerW: 16, Converged: true},
		{Time: 2, MaxK: 311, PowerW: 16, Converged: true}}
	r.Solution.Dt = 1
	s := summarise(t, r)
	var b strings.Builder
	if err := s.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"iterations_total": 0,`) {
		t.Error("no iterations_total")
	}
	for _, want := range []string{"fourier, direct: 0 iterations in 2 steps, converged\n",
		"estimated maximum error 2.0e-09 K (last-step estimate x number of steps)"} {
		if got := text(t, s, printout.Style{Details: true}); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
