package main

import (
	"math"
	"strings"
	"testing"

	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/solution"
	"thermsim/report/summary"
)

// What to do about a solve that failed follows from why it did, and never names what was in use already.
func TestRemedy(t *testing.T) {
	status := func(why, precond string) solution.Status {
		return solution.Status{Method: "pcg", Preconditioner: precond, Reason: why}
	}
	direct := status(solution.ReasonStagnation, "")
	direct.Method = solution.MethodDirect
	fell := status(solution.ReasonStagnation, "multigrid")
	fell.Fallback = "cmg was tried"
	precision := func(mode string) solution.Status {
		s := status(solution.ReasonStagnation, "multigrid")
		s.Precision = &solution.PrecisionLog{Mode: mode}
		return s
	}
	stalled := "use --precond ic or cmg, accept a larger --tol, or look for extreme values in the stack with " +
		"'thermsim check'"
	for name, c := range map[string]struct {
		status solution.Status
		want   string // how it begins
	}{
		"unsettled": {status(solution.ReasonUnsettled, "multigrid"), "properties change too strongly with " +
			"temperature"},
		"out of range": {status(solution.ReasonOutOfRange, "multigrid"), "check units of currents, resistances"},
		"in vain":      {fell, "cmg was tried, in vain"},
		"iterations of another": {status(solution.ReasonIterations, "jacobi"),
			"raise --max-iter or use --precond multigrid"},
		"iterations": {status(solution.ReasonIterations, "multigrid"), "raise --max-iter, use --precond " +
			"ic or cmg, or accept a larger --tol"},
		"low precision": {precision("fixed-fp16"), "precision=fixed-fp16 is there for comparison; take " +
			"precision=adaptive"},
		"adaptive precision":    {precision("adaptive"), stalled},
		"FP64":                  {precision("fixed-fp64"), stalled},
		"stagnation":            {status(solution.ReasonStagnation, "multigrid"), stalled},
		"stagnation of another": {status(solution.ReasonStagnation, "jacobi"), "accept a larger --tol, or look for"},
		"stagnation of direct":  {direct, "use --precond multigrid, or look for"},
		"breakdown":             {status(solution.ReasonBreakdown, "multigrid"), "look for extreme values"},
		"breakdown of another":  {status(solution.ReasonBreakdown, "jacobi"), "look for extreme values"},
		"breakdown without name": {solution.Status{Method: solution.MethodDirect, Reason: solution.ReasonBreakdown},
			"look for extreme values"},
	} {
		if got := remedy(&c.status); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A limit of the whole stack is called by its flag where that set it, and by its key otherwise.
func TestLimitByItsFlag(t *testing.T) {
	l := summary.Limit{Kind: "stack", TMaxK: 350, MaxK: 351, MarginK: -1}
	if got := limitText(&l, true, nil); !strings.Contains(got, "--tmax") || strings.Contains(got, "its tmax of") {
		t.Errorf("%q", got)
	}
	if got := limitText(&l, false, nil); strings.Contains(got, "--tmax") {
		t.Errorf("%q", got)
	}
}

// Ice melts at 0 and water boils near 100 degrees Celsius.
func TestCelsius(t *testing.T) {
	if terminal.Celsius(273.15) != 0 || math.Abs(terminal.Celsius(373.15)-100) > 1e-12 {
		t.Errorf("%g and %g", terminal.Celsius(273.15), terminal.Celsius(373.15))
	}
}
