package summary

import (
	"fmt"
	"math"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/report/quantity"
)

// Runaway is the caveat of powers without a steady state.
const Runaway = "THERMAL RUNAWAY"

// Caveat is what a reader must know before the figures, in capitals for tables and titles of maps; empty for a run that
// converged. A transient that was interrupted is told apart, for the steps it finished are as good as any.
func (s *Summary) Caveat() string {
	switch {
	case s.Solver.Converged:
		return ""
	case s.Solver.Reason == solution.ReasonRunaway:
		return Runaway
	case s.Solver.Reason == solution.ReasonInterrupted && s.FirstBadStep() == 0 && s.Temperature.NonFiniteCells == 0:
		return "INTERRUPTED"
	case s.Solver.Reason == solution.ReasonInterrupted:
		return "INTERRUPTED, NOT CONVERGED"
	}
	return "NOT CONVERGED"
}

// Marked puts the caveat before a title.
func Marked(caveat, title string) string {
	if caveat == "" {
		return title
	}
	return caveat + ": " + title
}

// Ended says how the solve ended, without words that stand beside it already.
func (s *Summary) Ended() string {
	caveat, doubt := s.Caveat(), s.Doubt()
	switch v := &s.Solver; {
	case v.Converged && v.Reason == solution.ReasonDirect:
		return "converged"
	case v.Converged:
		return "converged: " + v.Reason
	case doubt == solution.ReasonInterrupted:
		return caveat
	}
	return Marked(caveat, strings.TrimPrefix(doubt, solution.ReasonInterrupted+", "))
}

// Iterations counts those of all steps.
func (s *Summary) Iterations(unit string) string {
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

// ErrorText is the estimated error, with what it was taken from.
func (s *Summary) ErrorText() string {
	if math.IsNaN(s.Solver.EstimatedErrorK) {
		return "not known"
	}
	text := quantity.Relative(s.Solver.EstimatedErrorK) + " K"
	if s.Steps > 1 && s.Solver.Method == solution.MethodDirect {
		text += ", the last step's times their number"
	}
	return text
}

// FirstBadStep is the number of the first step of a transient that did not converge or has no finite temperature, 0
// without any.
func (s *Summary) FirstBadStep() int {
	for n := range s.StepMaxima {
		if !s.StepMaxima[n].Converged {
			return n + 1
		}
	}
	return 0
}

// Doubt is why the temperatures of a run cannot be relied on, in a few words; empty where nothing speaks against them.
func (s *Summary) Doubt() string {
	if s.Solver.Converged {
		return ""
	}
	why := s.Solver.Reason
	if n := s.Solver.Nonlinear; n != nil && n.Leakage.Verdict() != "" {
		return n.Leakage.Verdict()
	}
	if n := s.FirstBadStep(); n > 0 {
		why += fmt.Sprintf(", first in step %d of %d", n, s.Steps)
	}
	switch n := s.Temperature.NonFiniteCells; {
	case n == 1:
		why += ", 1 cell without a finite temperature"
	case n > 1:
		why += fmt.Sprintf(", %d cells without a finite temperature", n)
	}
	return why
}

// hottest is the temperature in K beyond which a field is refused: nothing is solid far below it, and its numbers only
// show that an input is wrong.
const hottest = 1e6

// Implausible says that a run gets hotter than any solid, at its end or in a step, whatever the solver reached; empty
// where it does not.
func (s *Summary) Implausible() string {
	top := s.Temperature.MaxK
	for n := range s.StepMaxima {
		top = max(top, s.StepMaxima[n].MaxK)
	}
	if !(top > hottest) {
		return ""
	}
	return fmt.Sprintf("the hottest cell is at %.3g K, above %g K, where no model of heat in solids holds; check the "+
		"units of powers, conductivities and films", top, hottest)
}
