package netsolve

import (
	"context"
	"math"

	"thermsim/gpusolve"
)

// ruler bounds errors in K by residuals in W. The matrix A of a network has no positive entry beside its diagonal, so its inverse has no negative one
// (Berman and Plemmons, Nonnegative Matrices in the Mathematical Sciences, chapter 6): for any w > 0 with d = A w > 0, -r <= t d and r <= t d for
// t = max |r_i|/d_i, hence |A^-1 r| <= t w. Here the largest w is 1, and the bound is t.
type ruler struct{ d []float64 }

// sure is the part of the diagonal from which on a sum over a row is no rounding, firm the part that w is solved for.
const (
	sure = 0.1
	firm = 0.5
)

// newRuler takes w = 1 where every node is tied firmly to the ambient or to its own past, and otherwise solves for the response to a source at each
// node as strong as its diagonal.
func newRuler(ctx context.Context, s *solver) (*ruler, error) {
	w, d := make([]float64, len(s.diagonal)), make([]float64, len(s.diagonal))
	for i := range w {
		w[i] = 1
	}
	if s.matrix.Multiply(d, w); least(d, s.diagonal) >= sure {
		return &ruler{d}, nil
	}
	for _, rtol := range []float64{1e-3, 1e-6, 1e-9, 1e-12} {
		sol, err := s.open.Solve(ctx, s.diagonal, gpusolve.Options{RTol: rtol})
		if err != nil {
			return nil, err
		}
		s.opened += sol.Timing.Device
		if s.matrix.Multiply(d, sol.X); !(least(d, s.diagonal) >= firm && least(sol.X, s.diagonal) > 0) {
			continue
		}
		largest := 0.0
		for _, v := range sol.X {
			largest = math.Max(largest, v)
		}
		for i := range d {
			d[i] /= largest
		}
		return &ruler{d}, nil
	}
	return &ruler{}, nil
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

// bound on the largest error in K that leaves the residual r; NaN where there is none.
func (u *ruler) bound(r []float64) float64 {
	if u.d == nil {
		return math.NaN()
	}
	t := 0.0
	for i, v := range r {
		if q := math.Abs(v) / u.d[i]; !(q <= t) {
			t = q
		}
	}
	return t
}

// mostRounds bounds the fresh starts from the true residual, idleRounds those that do not halve the bound.
const (
	mostRounds = 30
	idleRounds = 3
)

// solve improves x until its error is within tol kelvin. The residual r of x and the right-hand side b are given; r becomes that of the result.
func (s *solver) solve(ctx context.Context, x, r, b []float64, tol float64) (*gpusolve.MatrixSolution, error) {
	out := s.unsolved()
	end := func(converged bool, why string) (*gpusolve.MatrixSolution, error) {
		out.Status.Converged, out.Status.Reason = converged, why
		return out, nil
	}
	best, idle := math.Inf(1), 0
	for round := 0; ; round++ {
		e := s.ruler.bound(r)
		switch {
		case e <= tol:
			return end(true, gpusolve.ReasonTolerance)
		case e <= 4*s.rounding(x, b):
			return end(true, gpusolve.ReasonAttainable)
		case math.IsNaN(e) || math.IsInf(e, 0):
			return end(false, gpusolve.ReasonBreakdown)
		case out.Status.Iterations >= s.maxIter():
			return end(false, gpusolve.ReasonIterations)
		case round == mostRounds || idle == idleRounds:
			return end(false, gpusolve.ReasonStagnation)
		}
		o := gpusolve.Options{RTol: math.Max(1e-9, math.Min(0.1, tol/e/4)), MaxIter: s.maxIter() - out.Status.Iterations, Progress: s.watch}
		sol, err := s.open.Solve(ctx, r, o)
		if err != nil {
			return nil, err
		}
		s.opened += sol.Timing.Device
		sol.Status.Iterations += out.Status.Iterations
		*out = *sol
		for i, v := range sol.X {
			x[i] += v
		}
		s.residual(r, x, b)
		idle++
		if now := s.ruler.bound(r); now <= best/2 {
			best, idle = now, 0
		}
	}
}

// unsolved is the outcome of a system whose start is good enough.
func (s *solver) unsolved() *gpusolve.MatrixSolution {
	return &gpusolve.MatrixSolution{Status: s.open.Status(), Device: s.open.Device()}
}

// rounding is the bound on the error that the rounding of a residual stands for.
func (s *solver) rounding(x, b []float64) float64 {
	const unit = 0x1p-53
	v := make([]float64, len(x))
	for i := range v {
		v[i] = unit * (2*s.diagonal[i]*math.Abs(x[i]) + math.Abs(b[i]))
	}
	return s.ruler.bound(v)
}

func (s *solver) maxIter() int {
	if s.options.MaxIter > 0 {
		return s.options.MaxIter
	}
	return 50000
}

// residual sets r = b - A x.
func (s *solver) residual(r, x, b []float64) {
	s.matrix.Multiply(r, x)
	for i := range r {
		r[i] = b[i] - r[i]
	}
}
