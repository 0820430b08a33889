package report

import "thermsim/gpusolve/solution"

const runaway = "THERMAL RUNAWAY"

// Caveat is what a reader must know before the figures, in capitals for tables and titles of maps; empty for a run that
// converged. A transient that was interrupted is told apart, for the steps it finished are as good as any.
func (s *Summary) Caveat() string {
	switch {
	case s.Solver.Converged:
		return ""
	case s.Solver.Reason == solution.ReasonRunaway:
		return runaway
	case s.Solver.Reason == solution.ReasonInterrupted && s.firstBadStep() == 0 && s.Temperature.NonFiniteCells == 0:
		return "INTERRUPTED"
	case s.Solver.Reason == solution.ReasonInterrupted:
		return "INTERRUPTED, NOT CONVERGED"
	}
	return "NOT CONVERGED"
}

// marked puts the caveat before a title.
func marked(caveat, title string) string {
	if caveat == "" {
		return title
	}
	return caveat + ": " + title
}
