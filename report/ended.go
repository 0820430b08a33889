package report

import (
	"fmt"
	"math"
	"strings"

	"thermsim/gpusolve/solution"
)

// ended says how the solve ended, without words that stand beside it already.
func (s *Summary) ended() string {
	caveat, doubt := s.Caveat(), s.Doubt()
	switch v := &s.Solver; {
	case v.Converged && v.Reason == solution.ReasonDirect:
		return "converged"
	case v.Converged:
		return "converged: " + v.Reason
	case doubt == solution.ReasonInterrupted:
		return caveat
	}
	return marked(caveat, strings.TrimPrefix(doubt, solution.ReasonInterrupted+", "))
}

// iterations counts those of all steps.
func (s *Summary) iterations(unit string) string {
	count := func(n int) string { return strings.TrimSpace(fmt.Sprint(n, " ", unit)) }
	if s.Steps > 0 && s.IterationsTotal != nil {
		steps := s.Steps
		if s.Stepping != nil {
			steps = s.Stepping.Steps
		}
		return fmt.Sprintf("%s in %d steps", count(*s.IterationsTotal), steps)
	}
	return count(s.Solver.Iterations)
}

// errorText is the estimated error, with what it was taken from.
func (s *Summary) errorText() string {
	if math.IsNaN(s.Solver.EstimatedErrorK) {
		return "not known"
	}
	text := relative(s.Solver.EstimatedErrorK) + " K"
	if s.Steps > 1 && s.Solver.Method == solution.MethodDirect {
		text += ", the last step's times their number"
	}
	return text
}
