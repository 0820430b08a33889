package report

import (
	"strings"
	"testing"

	"thermsim/gpusolve/solution"
)

// How a run ended is told once: neither the method nor the caveat is repeated as a reason.
func TestEnded(t *testing.T) {
	none := 0
	for want, s := range map[string]Summary{
		"converged":                      {Solver: SolverSummary{Converged: true, Reason: solution.ReasonDirect}},
		"converged: tolerance reached":   {Solver: SolverSummary{Converged: true, Reason: solution.ReasonTolerance}},
		"INTERRUPTED":                    {Solver: SolverSummary{Reason: solution.ReasonInterrupted}},
		"NOT CONVERGED: stagnation":      {Solver: SolverSummary{Reason: solution.ReasonStagnation}},
		"NOT CONVERGED: iteration limit": {Solver: SolverSummary{Reason: solution.ReasonIterations}},
		"INTERRUPTED, NOT CONVERGED: first in step 1 of 1": {
			Solver: SolverSummary{Reason: solution.ReasonInterrupted}, Steps: 1, IterationsTotal: &none,
			StepMaxima: []StepSummary{{}},
		},
	} {
		if got := s.ended(); got != want {
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
		"estimated largest error 2.0e-09 K, the last step's times their number"} {
		if got := text(t, s, Style{}); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
