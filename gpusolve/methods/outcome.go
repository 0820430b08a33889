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

func ReasonText(r krylov.Reason) string {
	switch r {
	case krylov.Tolerance:
		return solution.ReasonTolerance
	case krylov.Direct:
		return solution.ReasonDirect
	case krylov.Attainable:
		return solution.ReasonAttainable
	case krylov.Limit:
		return solution.ReasonIterations
	case krylov.Stagnation:
		return solution.ReasonStagnation
	case krylov.Interrupted:
		return solution.ReasonInterrupted
	case krylov.Divergence:
		return solution.ReasonDivergence
	case krylov.Drift:
		return solution.ReasonDrift
	case krylov.Unsettled:
		return solution.ReasonUnsettled
	case krylov.Runaway:
		return solution.ReasonRunaway
	}
	return solution.ReasonBreakdown
}
