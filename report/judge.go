package report

import (
	"fmt"
	"thermsim/gpusolve/solution"
)

func isFinite(v float64) bool { return v-v == 0 }

// judge withdraws what the solver says of its convergence where the temperatures tell otherwise: at the end, or after
// an earlier step of a transient.
func (s building) judge() {
	v := &s.Solver
	if s.Temperature.NonFiniteCells == 0 && s.firstBadStep() == 0 {
		return
	}
	v.Converged = false
	if v.Reason == solution.ReasonTolerance || v.Reason == solution.ReasonAttainable {
		v.Reason = solution.ReasonBreakdown
	}
}

// firstBadStep is the number of the first step of a transient that did not converge or has no finite temperature, 0
// without any.
func (s *Summary) firstBadStep() int {
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
	if n := s.firstBadStep(); n > 0 {
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
