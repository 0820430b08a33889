package methods

import (
	"math"
	"strings"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/chebyshev"
	"thermsim/gpusolve/solution"
)

func Status(out krylov.Outcome, solver krylov.Solver, pre *precond.Instance) solution.Status {
	s := solution.Status{
		Method:          solver.Name(),
		Preconditioner:  pre.Name(),
		Details:         pre.Details(),
		Iterations:      out.Iterations,
		IterationsTotal: out.Iterations,
		ResidualW:       out.Norms.Residual,
		EstimatedErrorK: out.ErrorK,
		Converged:       out.Converged,
		Reason:          ReasonText(out.Reason),
	}
	switch out.Reason {
	case krylov.Breakdown, krylov.Divergence, krylov.Drift:
		s.EstimatedErrorK = math.NaN() // the estimate holds for what these have shown not to be so
	}
	if d, ok := solver.(interface{ Details() string }); ok {
		s.Details = strings.Trim(s.Details+"; "+d.Details(), "; ")
	}
	if t, ok := pre.Unwrap().(interface{ Timings() string }); ok {
		s.Timings = t.Timings()
	}
	if m, ok := solver.(*mixed.Solver); ok {
		log := m.PrecisionLog()
		s.Precision = &log
	}
	if c, ok := pre.Unwrap().(*chebyshev.Preconditioner); ok {
		bounds := c.Bounds()
		s.Spectrum = &bounds
	}
	if out.Norms.Source > 0 {
		s.RelativeResidual = out.Norms.Residual / out.Norms.Source
	}
	return s
}

// reasonTexts are those of the reports.
var reasonTexts = map[krylov.Reason]string{
	krylov.Tolerance:   solution.ReasonTolerance,
	krylov.Direct:      solution.ReasonDirect,
	krylov.Attainable:  solution.ReasonAttainable,
	krylov.Limit:       solution.ReasonIterations,
	krylov.Stagnation:  solution.ReasonStagnation,
	krylov.Interrupted: solution.ReasonInterrupted,
	krylov.Divergence:  solution.ReasonDivergence,
	krylov.Drift:       solution.ReasonDrift,
	krylov.Unsettled:   solution.ReasonUnsettled,
	krylov.Runaway:     solution.ReasonRunaway,
	krylov.Breakdown:   solution.ReasonBreakdown,
	krylov.Failed:      solution.ReasonBreakdown,
}

func ReasonText(r krylov.Reason) string { return reasonTexts[r] }
