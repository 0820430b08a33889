package mixed

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/solution"
)

// Iterations between two looks at the true residual in the early stage (section IV-D): time steps start close to their
// end.
const steadyInterval, transientInterval = 20, 5

// What the true residual may do before the early stage ends: fall by less in an interval, or differ by more from the
// recursive one.
const slowest, widest = 0.9, 0.5

// patience is how many iterations a solve in fixed low precision may go on without a new least recursive residual, and
// wild by what factor it may grow.
const patience, wild = 500, 1e4

// iterate runs conjugate gradients from the residual in r until the recursive residual meets the rule. stop is true
// when the solve must end.
func (s *run) iterate(ctx context.Context) (why krylov.Reason, stop bool) {
	interval := steadyInterval
	if s.rule.InTime {
		interval = transientInterval
	}
	if !s.late && s.below(s.out.Norms.Residual) {
		s.enter(solution.Switch{Reason: solution.NearEnd, Recursive: s.out.Norms.Residual, True: s.out.Norms.Residual})
	}
	first := true
	for since := 1; ; since++ {
		if first {
			s.step(s.x, s.late, true)
		} else {
			s.iteration(s.x, s.late)()
		}
		sc := s.sys.Scalars()
		s.estimate(sc, first)
		first = false
		s.count(sc.MaxZ / s.lift)
		r := math.Sqrt(sc.RR) / s.lift
		switch {
		case s.sys.Err() != nil:
			return krylov.Failed, true
		case sc.RZ == 0 || r <= s.target || r <= s.out.Norms.Floor/4 || s.rule.InKelvin() && s.out.ErrorK <= s.claim:
			return 0, false
		case !finite(sc.RZ) || !finite(sc.PQ) || !finite(r) || s.low() && r > wild*s.start:
			return krylov.Divergence, true
		case !(sc.RZ > 0) || !(sc.PQ > 0):
			return krylov.Breakdown, true
		case s.stalls(r):
			return krylov.Stagnation, true
		case s.out.Iterations >= s.rule.MaxIter:
			return krylov.Limit, true
		case ctx.Err() != nil:
			return krylov.Interrupted, true
		}
		if !s.late && s.leave(r, since%interval == 0) {
			s.sys.Convert(s.r, s.exact, 1)
			s.sys.Convert(s.rIn, s.single, 1)
			first = true
		}
	}
}

// estimate takes the scalars of an iteration: z belongs to the residual before it, so that x is one iteration better
// than reported.
func (s *run) estimate(sc ops.Scalars, first bool) {
	s.error.Residual(sc.MaxZ/s.lift, sc.RZ, first)
	s.error.Moved(sc.PQ)
	s.out.ErrorK = s.error.Value()
}

// low says that the whole iteration runs below FP64.
func (s *run) low() bool { return s.mode >= FixedSingle }

// count notes an iteration, whose preconditioned residual was at most maxZ.
func (s *run) count(maxZ float64) {
	s.out.Iterations++
	if s.late {
		s.log.Late++
	} else {
		s.log.Early++
	}
	if s.watch != nil {
		s.watch(s.out.Iterations, s.error.Plain(maxZ))
	}
}

// stalls ends solves in fixed low precision whose recursive residual no longer falls.
func (s *run) stalls(r float64) bool {
	if r < s.least {
		s.least, s.leastAt = r, s.out.Iterations
	}
	return s.low() && s.out.Iterations-s.leastAt > patience
}

// near a tolerance in K are residuals below this share of the source, and estimates below that multiple of the
// tolerance.
const nearShare, nearMultiple = 1e-4, 100

// below is the first condition: half of the way to the tolerance is done, counted in digits (equation 14a).
func (s *run) below(r float64) bool {
	switch {
	case s.rule.ATol > 0:
		return r <= math.Sqrt(s.rule.ATol)
	case s.rule.InKelvin():
		return r <= nearShare*s.out.Norms.Source || s.out.ErrorK <= nearMultiple*s.rule.Tol
	}
	return r <= math.Sqrt(s.rule.RTol)*s.out.Norms.Source
}

// leave decides whether the early stage ends with the recursive residual r, and forms the true one if it does or if it
// is time to look.
func (s *run) leave(r float64, look bool) bool {
	near := s.below(r)
	if !near && !look {
		return false
	}
	exact := s.operator.Residual(s.exact, s.single, s.b, s.x).Residual
	gap := s.sys.Gap(s.exact, s.r)
	change := solution.Switch{Iteration: s.out.Iterations, Recursive: r, True: exact, Gap: gap}
	switch {
	case near:
		change.Reason = solution.NearEnd
	case exact > slowest*s.checked:
		change.Reason = solution.Slow
	case gap >= widest*exact:
		change.Reason = solution.Drifting
	default:
		s.checked = exact
		return false
	}
	s.enter(change)
	return true
}

// enter begins the late stage.
func (s *run) enter(change solution.Switch) {
	s.late = true
	s.log.Switches++
	s.log.Last = change
}

// errorReached estimates the error of what a solve in fixed low precision leaves.
func (s *run) errorReached() bool {
	if !finite(s.out.Norms.Residual) {
		return false
	}
	s.out.Norms = s.operator.Residual(s.exact, s.single, s.b, s.x)
	return s.trueErrorMet()
}

// finish brings x back from fixed low precision. x stays as it was where the result is worse or no number.
func (s *run) finish(reason krylov.Reason, stop bool) krylov.Outcome {
	before := s.out.Norms
	s.sys.Convert(s.trial, s.Solver.x, 1/s.lift)
	n := s.operator.Residual(s.exact, s.single, s.b, s.trial)
	if finite(n.Residual) && n.Residual < before.Residual {
		s.sys.Convert(s.x, s.trial, 1)
		s.out.Norms = n
	}
	switch {
	case s.sys.Err() != nil:
		s.out.Reason = krylov.Failed
	case reached(s.rule, s.out.Norms) || s.errorReached():
		s.out.Converged, s.out.Reason = true, krylov.Tolerance
	case stop:
		s.out.Reason = reason
	case !finite(n.Residual) || n.Residual >= before.Residual:
		s.out.Reason = krylov.Divergence
	default:
		s.out.Reason = krylov.Drift
	}
	return s.error.Supported(s.out)
}

// PrecisionLog of all solves so far.
func (c *Solver) PrecisionLog() solution.PrecisionLog { return c.log }

// Details describes the precision and the last switch, for people.
func (c *Solver) Details() string {
	l := c.log
	text := "precision " + l.Mode
	if l.Switches == 0 {
		return text
	}
	last := fmt.Sprintf("to FP64 after %d iterations as %s (recursive %.2g W, true %.2g W, gap %.2g W)",
		l.Last.Iteration, l.Last.Reason, l.Last.Recursive, l.Last.True, l.Last.Gap)
	if l.Solves == 1 {
		return text + ", " + last
	}
	return fmt.Sprintf("%s, %d of %d solves went to FP64 (%d iterations before, %d behind), the last %s", text,
		l.Switches, l.Solves, l.Early, l.Late, last)
}
