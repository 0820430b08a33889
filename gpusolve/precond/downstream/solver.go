package downstream

import (
	"context"
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/mesh"
)

// Solver is BiCGSTAB with a bound on the error in K, for rules in K. With upwind differences A is an M-matrix: no entry
// beside its diagonal is positive, so its inverse has no negative one (Berman and Plemmons, Nonnegative Matrices in the
// Mathematical Sciences, chapter 6). For any w > 0 with d = A w > 0
//
//	|A^-1 r| <= max |r_i|/d_i  max w
//
// w is solved for once, with the diagonal for a right-hand side, until d is at least half of it everywhere; so w itself
// need not be exact. Where A changes from solve to solve, because it depends on temperature, A w is formed and checked
// in each solve. Where the check fails, w is solved for again.
//
// Central differences give no M-matrix. The solve then goes on until the residual is down to rounding errors, and the
// error is estimated: ten times the largest value of the preconditioned residual.
type Solver struct {
	*krylov.BiCGSTAB
	sys         ops.System
	pre         *precond.Instance
	work, small ops.Vector // a residual in FP64 and FP32
	weight, d   ops.Vector // w, and A w over the largest w, which a residual is compared with
	bounded     bool
	follows     bool // A changes from solve to solve, with or without a refresh of the method
	leaks       bool // with power that takes its slope off the diagonal
	operator    int  // refreshes when the weight was found
	spent       int  // iterations for the weight
	watch       func(iteration int, errorK float64)
	fromZero    bool
}

func newSolver(s ops.System, m *precond.Instance) (*Solver, error) {
	inner, err := krylov.NewBiCGSTAB(s, m)
	if err != nil {
		return nil, err
	}
	v := &Solver{BiCGSTAB: inner, sys: s, pre: m, operator: -1, follows: s.Mesh().Stack.Nonlinear(),
		leaks: s.Mesh().Leakage != nil}
	if v.small, err = s.New32(); err != nil {
		return nil, err
	}
	for _, x := range []*ops.Vector{&v.work, &v.weight, &v.d} {
		if *x, err = s.New64(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Close gives the vectors back.
func (s *Solver) Close() {
	s.BiCGSTAB.Close()
	s.sys.Release(s.work, s.small, s.weight, s.d)
}

// StartFromZero declares that x is zero in the next Solve.
func (s *Solver) StartFromZero() { s.fromZero = true }

// Watch calls f after every iteration.
func (s *Solver) Watch(f func(iteration int, errorK float64)) { s.watch = f }

// Details of the bound.
func (s *Solver) Details() string {
	if !s.bounded {
		return "error estimated"
	}
	return fmt.Sprintf("error bounded, with %d iterations for the bound", s.spent)
}

// Fresh starts from the true residual, and how many of them may leave more than half of the bound.
const mostRounds, idleRounds = 20, 3

// Solve improves x until the rule is met, or ends at a part of the residual as that asks.
func (s *Solver) Solve(ctx context.Context, rule krylov.Rule, b ops.Source, x ops.Vector) krylov.Outcome {
	if s.fromZero {
		s.sys.Fill(x, 0)
		s.fromZero = false
	}
	if rule.ATol > 0 || rule.RTol > 0 {
		return s.reduce(ctx, rule, b, x)
	}
	bounded, none := s.weigh(ctx)
	if none {
		return krylov.Outcome{ErrorK: math.NaN(), Reason: krylov.Breakdown,
			Start: krylov.Start{ErrorK: math.NaN(), PlainK: math.NaN()}}
	}
	if bounded {
		return s.approach(ctx, rule, b, x)
	}
	out := s.reduce(ctx, krylov.Rule{RTol: 1e-15, MaxIter: rule.MaxIter, Reduction: rule.Reduction}, b, x)
	// Rounding of the coolant's own equations may end the recursion a little above the estimate of its errors.
	if !out.Converged && out.ErrorK <= rule.Tol {
		out.Converged, out.Reason = true, krylov.Tolerance
	}
	return out
}

// reduce solves to a rule in residuals.
func (s *Solver) reduce(ctx context.Context, rule krylov.Rule, b ops.Source, x ops.Vector) krylov.Outcome {
	var start krylov.Start
	if s.follows {
		start = s.start(b, x)
		if target := math.Max(rule.ATol, rule.Reduction*start.Norms.Residual); rule.Reduction > 0 &&
			target > rule.RTol*start.Norms.Source {
			rule.ATol = math.Max(target, math.SmallestNonzeroFloat64)
		}
	}
	out := s.part(ctx, rule, b, x, 0)
	out.ErrorK = s.estimate(b, x)
	if s.follows {
		out.Start = start
	}
	return out
}

// plainly is the part of the error that a cycle takes away, at least: 1 over it times the preconditioned residual is an
// estimate without caution.
const plainly = 0.5

// start is what a solve begins with.
func (s *Solver) start(b ops.Source, x ops.Vector) krylov.Start {
	bounded := s.holds()
	at := krylov.Start{Norms: s.sys.Residual(s.work, s.small, b, x)}
	s.pre.Apply(s.small, s.small)
	z := s.parts().largest(s.small)
	at.ErrorK = caution * z
	if bounded {
		at.ErrorK = s.bound()
	}
	at.PlainK = math.Min(at.ErrorK, z/plainly)
	return at
}

// approach solves until the bound is within the tolerance.
func (s *Solver) approach(ctx context.Context, rule krylov.Rule, b ops.Source, x ops.Vector) (out krylov.Outcome) {
	best, idle := math.Inf(1), 0
	for round := 0; ; round++ {
		norms := s.sys.Residual(s.work, s.small, b, x)
		out.Norms, out.ErrorK = norms, s.bound()
		if round == 0 {
			out.Start = krylov.Start{Norms: norms, ErrorK: out.ErrorK, PlainK: out.ErrorK}
			if s.follows {
				s.pre.Apply(s.small, s.small)
				out.Start.PlainK = math.Min(out.ErrorK, s.parts().largest(s.small)/plainly)
			}
		}
		why, done := krylov.Tolerance, true
		switch {
		case s.sys.Err() != nil:
			why = krylov.Failed
		case out.ErrorK <= rule.Tol, round > 0 && norms.Residual <= rule.Reduction*out.Start.Norms.Residual:
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
		target := math.Max(norms.Residual*cut, rule.Reduction*out.Start.Norms.Residual)
		inner := s.part(ctx, krylov.Rule{ATol: math.Max(target, math.SmallestNonzeroFloat64), MaxIter: rule.MaxIter -
			out.Iterations}, b, x, out.Iterations)
		out.Iterations += inner.Iterations
	}
}

// part runs BiCGSTAB after some iterations of the same solve.
func (s *Solver) part(ctx context.Context, rule krylov.Rule, b ops.Source, x ops.Vector, before int) krylov.Outcome {
	s.BiCGSTAB.Watch(nil)
	if s.watch != nil {
		s.BiCGSTAB.Watch(func(n int, errorK float64) { s.watch(before+n, errorK) })
	}
	return s.BiCGSTAB.Solve(ctx, rule, b, x)
}

// hostOperations are the operations of the method.
func (s *Solver) parts() operations { return s.pre.Unwrap().(*Preconditioner).parts }

// upwind says that all differences are, so that A without leakage is an M-matrix.
func (s *Solver) upwind() bool {
	return !slices.ContainsFunc(s.sys.Mesh().Cavities, func(v *mesh.Cavity) bool { return v.Of.Central })
}

// weigh finds the weight where there is none for the operator as it is. none says that there can be none: leakage has
// made A something else than an M-matrix, which is so where the solution for a positive right-hand side has an entry
// that is not positive.
func (s *Solver) weigh(ctx context.Context) (bounded, none bool) {
	if !s.upwind() {
		return false, false
	}
	if s.operator == s.pre.Refreshes() && (!s.follows || s.holds()) {
		return s.bounded, false
	}
	if s.operator != s.pre.Refreshes() {
		s.spent = 0
	}
	if !s.bounded {
		s.sys.Fill(s.weight, 1)
	}
	s.operator, s.bounded = s.pre.Refreshes(), false
	solved := false
	for _, rtol := range []float64{0, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10} {
		if rtol > 0 {
			s.parts().diagonal(s.d)
			source := s.sys.SourceOf(s.d)
			out := s.part(ctx, krylov.Rule{RTol: rtol, MaxIter: 200}, source, s.weight, 0)
			source.Close()
			s.spent += out.Iterations
			solved = out.Converged
		}
		if s.dominates() {
			s.bounded = true
			return true, false
		}
	}
	return false, s.leaks && solved && ctx.Err() == nil
}

// dominates says whether the weight is one for the operator as it is, and if so sets d.
func (s *Solver) dominates() bool {
	p := s.parts()
	p.diagonal(s.d)
	s.sys.Apply(s.work, s.weight)
	if !p.dominates(s.work, s.d, s.weight) {
		return false
	}
	p.scale(s.d, s.weight, s.work)
	return true
}

// holds says whether there is a weight that is one for the operator as it is.
func (s *Solver) holds() bool {
	if !s.bounded || s.operator != s.pre.Refreshes() && !s.follows {
		return false
	}
	return !s.follows || s.dominates()
}

// bound on the error that leaves the residual in work.
func (s *Solver) bound() float64 { return s.parts().most(s.work, s.d) }

// caution is what the largest preconditioned residual is taken times where there is no bound.
const caution = 10

// estimate is the error in K that a solution leaves: a bound where there is a weight, and otherwise an estimate.
func (s *Solver) estimate(b ops.Source, x ops.Vector) float64 {
	bounded := s.holds()
	s.sys.Residual(s.work, s.small, b, x)
	if bounded {
		return s.bound()
	}
	s.pre.Apply(s.small, s.small)
	return caution * s.parts().largest(s.small)
}
