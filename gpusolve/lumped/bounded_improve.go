package lumped

import (
	"context"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
)

// improve solves for the change of x, which is small where x is the state of the step before. A rule in the units of x
// is held by the bound.
func (s *bounded) improve(ctx context.Context, rule krylov.Rule, x, b []float64, progress func(driver.Progress)) (
	krylov.Outcome, error) {
	r := make([]float64, len(x))
	s.residual(r, x, b)
	var out krylov.Outcome
	var err error
	if rule.RTol > 0 || rule.ATol > 0 {
		out, err = s.reduce(ctx, rule, x, r, b, progress)
	} else {
		out, err = s.approach(ctx, rule, x, r, b, progress)
	}
	out.Norms.Residual, out.Norms.Source, out.ErrorK = norm(r), norm(b), s.bound(r)
	return out, err
}

// reduce solves once, to what a rule in residuals leaves to do.
func (s *bounded) reduce(ctx context.Context, rule krylov.Rule, x, r, b []float64, progress func(driver.Progress)) (
	krylov.Outcome, error) {
	scale, remaining := norm(b), norm(r)
	if remaining == 0 || rule.ATol > 0 && remaining <= rule.ATol || rule.ATol <= 0 && remaining <= rule.RTol*scale {
		return krylov.Outcome{Converged: true, Reason: krylov.Tolerance}, nil
	}
	if rule.RTol > 0 {
		rule.RTol = math.Min(0.1, rule.RTol*scale/remaining)
	}
	return s.correct(ctx, driver.Options{RTol: rule.RTol, ATol: rule.ATol, MaxIter: rule.MaxIter, Progress: progress},
		x, r, b)
}

// mostRounds bounds the fresh starts from the true residual, idleRounds those that do not halve the bound.
const (
	mostRounds = 30
	idleRounds = 3
)

// approach solves until the bound is within the tolerance.
func (s *bounded) approach(ctx context.Context, rule krylov.Rule, x, r, b []float64, progress func(driver.Progress)) (
	out krylov.Outcome, err error) {
	best, idle := math.Inf(1), 0
	for round := 0; ; round++ {
		e := s.bound(r)
		out.Converged = false
		switch {
		case e <= rule.Tol:
			out.Converged, out.Reason = true, krylov.Tolerance
			return out, nil
		case e <= 4*s.rounding(x, b):
			out.Converged, out.Reason = true, krylov.Attainable
			return out, nil
		case math.IsNaN(e) || math.IsInf(e, 0):
			out.Reason = krylov.Breakdown
			return out, nil
		case out.Iterations >= rule.MaxIter:
			out.Reason = krylov.Limit
			return out, nil
		case round == mostRounds || idle == idleRounds:
			out.Reason = krylov.Stagnation
			return out, nil
		}
		o := driver.Options{RTol: math.Max(1e-9, math.Min(0.1, rule.Tol/e/4)), MaxIter: rule.MaxIter - out.Iterations,
			Progress: progress}
		change, err := s.correct(ctx, o, x, r, b)
		change.Iterations += out.Iterations
		if out = change; err != nil || out.Reason == krylov.Interrupted {
			return out, err
		}
		idle++
		if now := s.bound(r); now <= best/2 {
			best, idle = now, 0
		}
	}
}

// correct adds the solution for the residual r of x to x, and makes r the residual again.
func (s *bounded) correct(ctx context.Context, o driver.Options, x, r, b []float64) (krylov.Outcome, error) {
	sol, err := s.Solve(ctx, r, o)
	if sol == nil {
		return krylov.Outcome{}, err
	}
	if sol.Outcome.Reason == krylov.Interrupted {
		err = nil // as the outcome says
	}
	if err != nil {
		return sol.Outcome, err
	}
	for i, v := range sol.X {
		x[i] += v
	}
	s.residual(r, x, b)
	return sol.Outcome, nil
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}
