package downstream

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// solver is BiCGSTAB with a bound on the error in K, for rules in K. With upwind differences A is an M-matrix: no entry beside its diagonal is positive, so
// its inverse has no negative one (Berman and Plemmons, Nonnegative Matrices in the Mathematical Sciences, chapter 6). For any w > 0 with d = A w > 0
//
//	|A^-1 r| <= max |r_i|/d_i  max w
//
// w is solved for once, with the diagonal for a right side, until d is at least half of it everywhere; so w itself need not be exact.
//
// Central differences give no M-matrix. The solve then goes on until the residual is down to rounding errors, and the error is estimated: ten times the
// largest value of the preconditioned residual.
type solver struct {
	*krylov.BiCGSTAB
	sys         ops.System
	pre         *precond.Method
	work, small ops.Vector // a residual in FP64 and FP32
	weight, b   ops.Vector // w, then d max w, which a residual is compared with
	bounded     bool
	operator    int // refreshes when the weight was found
	spent       int // iterations for the weight
	watch       func(iteration int, errorK float64)
	fromZero    bool
}

var _ krylov.Solver = (*solver)(nil)

func newSolver(s ops.System, m *precond.Method) (*solver, error) {
	inner, err := krylov.NewBiCGSTAB(s, m)
	if err != nil {
		return nil, err
	}
	v := &solver{BiCGSTAB: inner, sys: s, pre: m, operator: -1}
	if v.small, err = s.New32(); err != nil {
		return nil, err
	}
	for _, x := range []*ops.Vector{&v.work, &v.weight, &v.b} {
		if *x, err = s.New64(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Close gives the vectors back.
func (s *solver) Close() {
	s.BiCGSTAB.Close()
	s.sys.Release(s.work, s.small, s.weight, s.b)
}

// StartFromZero tells the next Solve that x is zero.
func (s *solver) StartFromZero() { s.fromZero = true }

// Watch has f told of every iteration.
func (s *solver) Watch(f func(iteration int, errorK float64)) { s.watch = f }

// Details of the bound.
func (s *solver) Details() string {
	if !s.bounded {
		return "error estimated"
	}
	return fmt.Sprintf("error bounded, with %d iterations for the bound", s.spent)
}

// Fresh starts from the true residual, and how many of them may leave more than half of the bound.
const mostRounds, idleRounds = 20, 3

// Solve improves x until the rule is met.
func (s *solver) Solve(ctx context.Context, rule krylov.Rule, b ops.Source, x ops.Vector) krylov.Outcome {
	fromZero := s.fromZero
	s.fromZero = false
	if !rule.InKelvin() {
		out := s.part(ctx, rule, b, x, fromZero, 0)
		out.ErrorK = s.estimate(b, x)
		return out
	}
	if !s.weigh(ctx) {
		out := s.part(ctx, krylov.Rule{RTol: 1e-15, MaxIter: rule.MaxIter}, b, x, fromZero, 0)
		out.ErrorK = s.estimate(b, x)
		// Rounding of the coolant's own equations may end the recursion a little above the estimate of its errors.
		if !out.Converged && out.ErrorK <= rule.Tol {
			out.Converged, out.Reason = true, krylov.Tolerance
		}
		return out
	}
	return s.approach(ctx, rule, b, x, fromZero)
}

// approach solves until the bound is within the tolerance.
func (s *solver) approach(ctx context.Context, rule krylov.Rule, b ops.Source, x ops.Vector, fromZero bool) (out krylov.Outcome) {
	if fromZero {
		s.sys.Fill(x, 0)
	}
	best, idle := math.Inf(1), 0
	for round := 0; ; round++ {
		norms := s.sys.Residual(s.work, s.small, b, x)
		out.Norms, out.ErrorK = norms, s.bound()
		if round == 0 {
			out.Start = krylov.Start{Norms: norms, ErrorK: out.ErrorK, PlainK: out.ErrorK}
		}
		why, done := krylov.Tolerance, true
		switch {
		case s.sys.Err() != nil:
			why = krylov.Failed
		case out.ErrorK <= rule.Tol:
		case math.IsNaN(out.ErrorK) || math.IsInf(out.ErrorK, 0):
			why = krylov.Breakdown
		case norms.Residual <= krylov.FloorFactor*norms.Floor:
			why = krylov.Attainable
		case ctx.Err() != nil:
			why = krylov.Interrupted
		case out.Iterations >= rule.MaxIter:
			why = krylov.Limit
		case round == mostRounds || idle == idleRounds:
			why = krylov.Stagnation
		default:
			done = false
		}
		if done {
			out.Converged, out.Reason = why == krylov.Tolerance || why == krylov.Attainable, why
			return out
		}
		if idle++; out.ErrorK <= best/2 {
			best, idle = out.ErrorK, 0
		}
		cut := math.Max(1e-9, math.Min(0.1, rule.Tol/out.ErrorK/2))
		inner := s.part(ctx, krylov.Rule{ATol: math.Max(norms.Residual*cut, math.SmallestNonzeroFloat64), MaxIter: rule.MaxIter - out.Iterations}, b, x, false, out.Iterations)
		out.Iterations += inner.Iterations
	}
}

// part runs BiCGSTAB after some iterations of the same solve.
func (s *solver) part(ctx context.Context, rule krylov.Rule, b ops.Source, x ops.Vector, fromZero bool, before int) krylov.Outcome {
	s.BiCGSTAB.Watch(nil)
	if s.watch != nil {
		s.BiCGSTAB.Watch(func(n int, errorK float64) { s.watch(before+n, errorK) })
	}
	if fromZero {
		s.BiCGSTAB.StartFromZero()
	}
	return s.BiCGSTAB.Solve(ctx, rule, b, x)
}

// parts are the operations of the method.
func (s *solver) parts() operations { return s.pre.Unwrap().(*Preconditioner).parts }

// weigh finds the weight where there is none for the operator as it is; false where there can be none.
func (s *solver) weigh(ctx context.Context) bool {
	p := s.parts()
	for _, v := range s.sys.Mesh().Cavities {
		if v.Of.Central {
			return false
		}
	}
	if s.operator == s.pre.Refreshes() {
		return s.bounded
	}
	s.operator, s.bounded, s.spent = s.pre.Refreshes(), false, 0
	p.diagonal(s.b)
	source := s.sys.SourceOf(s.b)
	s.sys.Fill(s.weight, 1)
	for _, rtol := range []float64{0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10} {
		if rtol > 0 {
			s.spent += s.part(ctx, krylov.Rule{RTol: rtol, MaxIter: 200}, source, s.weight, false, 0).Iterations
		}
		s.sys.Apply(s.work, s.weight)
		if p.dominates(s.work, s.b, s.weight) {
			p.scale(s.weight, s.work)
			s.bounded = true
			return true
		}
	}
	return false
}

// bound on the error that leaves the residual in work.
func (s *solver) bound() float64 { return s.parts().most(s.work, s.weight) }

// estimate is the error in K that a solution leaves: a bound where there is a weight, and otherwise an estimate.
func (s *solver) estimate(b ops.Source, x ops.Vector) float64 {
	s.sys.Residual(s.work, s.small, b, x)
	if s.bounded && s.operator == s.pre.Refreshes() {
		return s.bound()
	}
	const caution = 10
	s.pre.Apply(s.small, s.small)
	return caution * s.parts().largest(s.small)
}
