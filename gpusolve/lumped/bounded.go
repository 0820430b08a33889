package lumped

import (
	"context"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/matrix"
)

// bounded improves solutions of A x = b on the host until a bound on their error is within a tolerance. A is an
// M-matrix: no entry off its diagonal is positive, so no entry of its inverse is negative (Berman and Plemmons,
// Nonnegative Matrices in the Mathematical Sciences, chapter 6). For any w > 0 with d = A w > 0, -r <= t d and r <= t d
// for t = max |r_i|/d_i, hence |A^-1 r| <= t w. Here the largest w is 1, and the bound is t.
type bounded struct {
	*matrix.Solver
	matrix   *matrix.Matrix
	diagonal []float64
	d        []float64 // nil where no w was found
}

// sure is the part of the diagonal from which on a sum over a row is no rounding, firm the part that w is solved for.
const (
	sure = 0.1
	firm = 0.5
)

// newBounded takes w = 1 where every row's sum is sure, and otherwise solves for the response to a right-hand side as
// large as the diagonal.
func newBounded(ctx context.Context, m *matrix.Solver, a *matrix.Matrix) (*bounded, error) {
	s := &bounded{Solver: m, matrix: a, diagonal: a.Diagonal()}
	w, d := make([]float64, a.N()), make([]float64, a.N())
	for i := range w {
		w[i] = 1
	}
	if a.Multiply(d, w); least(d, s.diagonal) >= sure {
		s.d = d
		return s, nil
	}
	for _, rtol := range []float64{1e-3, 1e-6, 1e-9, 1e-12} {
		sol, err := m.Solve(ctx, s.diagonal, driver.Options{RTol: rtol})
		if err != nil {
			return nil, err
		}
		if a.Multiply(d, sol.X); !(least(d, s.diagonal) >= firm && least(sol.X, s.diagonal) > 0) {
			continue
		}
		largest := 0.0
		for _, v := range sol.X {
			largest = math.Max(largest, v)
		}
		for i := range d {
			d[i] /= largest
		}
		s.d = d
		return s, nil
	}
	return s, nil
}

// least is the smallest v_i/w_i.
func least(v, w []float64) float64 {
	low := math.Inf(1)
	for i := range v {
		if q := v[i] / w[i]; !(q >= low) {
			low = q
		}
	}
	return low
}

// bound on the largest error that leaves the residual r; NaN where there is none.
func (s *bounded) bound(r []float64) float64 {
	if s.d == nil {
		return math.NaN()
	}
	t := 0.0
	for i, v := range r {
		t = math.Max(t, math.Abs(v)/s.d[i]) // keeps what is not a number
	}
	return t
}

// rounding is the bound on the error that corresponds to the rounding of a residual.
func (s *bounded) rounding(x, b []float64) float64 {
	const unit = 0x1p-53
	v := make([]float64, len(x))
	for i := range v {
		v[i] = unit * (2*s.diagonal[i]*math.Abs(x[i]) + math.Abs(b[i]))
	}
	return s.bound(v)
}

func (s *bounded) residual(r, x, b []float64) {
	s.matrix.Multiply(r, x)
	for i := range r {
		r[i] = b[i] - r[i]
	}
}

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
