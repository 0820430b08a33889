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
// and w need not be exact. A cycle and some smoothing find it, for one of two right-hand sides. In a steady state that
// is the residual's magnitude, raised by a part of the diagonal so that d becomes positive everywhere, once the
// residual is expected to be small enough: the bound is then little more than the largest |A^-1| |r|. Otherwise it is
// the diagonal, until d is at least half of it everywhere, and w serves many solves. Where A changes from solve to
// solve, because it depends on temperature, A w is formed and checked in each solve. Where the check fails, w is found
// again.
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
	if s.spent == 0 {
		return "error bounded"
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
	if !s.upwind() {
		return s.exhaust(ctx, rule, b, x, 0)
	}
	if s.once() {
		return s.approach(ctx, rule, b, x)
	}
	bounded, none := s.weigh(ctx)
	if none {
		return krylov.Outcome{ErrorK: math.NaN(), Reason: krylov.Breakdown,
			Start: krylov.Start{ErrorK: math.NaN(), PlainK: math.NaN()}}
	}
	if bounded {
		return s.approach(ctx, rule, b, x)
	}
	return s.exhaust(ctx, rule, b, x, 0)
}

// once says that a weight serves few solves, so that it may be made for a residual.
func (s *Solver) once() bool { return !s.follows && s.sys.TimeStep() == 0 }

// exhaust goes on until the residual is down to rounding errors, after some iterations of the same solve.
func (s *Solver) exhaust(ctx context.Context, rule krylov.Rule, b ops.Source, x ops.Vector, before int) krylov.Outcome {
	out := s.reduce(ctx, krylov.Rule{RTol: 1e-15, MaxIter: rule.MaxIter - before, Reduction: rule.Reduction}, b, x)
	out.Iterations += before
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
	z := s.parts().largest(s.Correction(s.small))
	at.ErrorK = caution * z
	if bounded {
		at.ErrorK = s.bound()
	}
	at.PlainK = math.Min(at.ErrorK, z/plainly)
	return at
}

// What the bound comes to, over the part of the largest temperature rise that the residual is of the source, in porous
// cavities and in channels, between which residuals alternate. The time of the first look at the bound depends on it.
const expectedPorous, expectedChannels = 1, 10

// sharpenings is the number of weights for residuals that a solve may make before that for the diagonal.
const sharpenings = 2

// approaching is the state of a solve to a tolerance in K.
type approaching struct {
	*Solver
	rule     krylov.Rule
	b        ops.Source
	x        ops.Vector
	out      krylov.Outcome
	top      float64 // the largest temperature rise
	expected float64 // see expectedPorous
	tries    int     // weights made
}

// approach solves until the bound is within the tolerance.
func (s *Solver) approach(ctx context.Context, rule krylov.Rule, b ops.Source, x ops.Vector) krylov.Outcome {
	a := approaching{Solver: s, rule: rule, b: b, x: x, top: math.NaN(), expected: expectedPorous}
	if !s.once() {
		a.tries = sharpenings + 1
	}
	if slices.ContainsFunc(s.sys.Mesh().Cavities, func(v *mesh.Cavity) bool { return v.Wall == v.Fluid }) {
		a.expected = expectedChannels
	}
	best, idle, out := math.Inf(1), 0, &a.out
	for round := 0; ; round++ {
		norms := s.sys.Residual(s.work, s.small, b, x)
		out.Norms = norms
		if round == 0 {
			out.Start.Norms = norms
		}
		if !a.judge(ctx) {
			return s.exhaust(ctx, rule, b, x, out.Iterations)
		}
		if round == 0 {
			a.begin()
		}
		why, done := krylov.Tolerance, true
		switch {
		case s.sys.Err() != nil:
			why = krylov.Failed
		case out.ErrorK <= rule.Tol, round > 0 && norms.Residual <= rule.Reduction*out.Start.Norms.Residual:
		case math.IsNaN(norms.Residual) || math.IsInf(norms.Residual, 0) || math.IsInf(out.ErrorK, 0):
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
			return *out
		}
		if idle++; norms.Residual <= best/2 {
			best, idle = norms.Residual, 0
		}
		before := out.Iterations
		s.offset(before)
		out.Iterations += s.Improve(ctx, rule.MaxIter-before, norms, s.work, x, a.right)
	}
}

// begin notes what the solve starts with.
func (a *approaching) begin() {
	a.out.Start.ErrorK, a.out.Start.PlainK = a.out.ErrorK, a.out.ErrorK
	if a.follows {
		z := a.parts().largest(a.Correction(a.small))
		a.out.Start.PlainK = math.Min(a.out.ErrorK, z/plainly)
	}
}

// judge bounds the error that leaves the residual in work, if there is a weight or it is time to make one. ok is false
// where none is to be had; work is then overwritten.
func (a *approaching) judge(ctx context.Context) (ok bool) {
	norms := a.out.Norms
	a.out.ErrorK = math.NaN()
	switch {
	case norms.Residual == 0:
		a.out.ErrorK = 0
	case a.weighed():
		a.out.ErrorK = a.bound()
	}
	last := norms.Residual <= krylov.FloorFactor*norms.Floor || a.out.Iterations >= a.rule.MaxIter
	if a.tries > sharpenings || a.out.ErrorK <= a.rule.Tol || a.sys.Err() != nil {
		return true
	}
	if !last && !a.near(norms.Residual) {
		return true
	}
	if a.tries++; a.tries <= sharpenings && a.sharpen() {
		a.out.ErrorK = a.bound()
		if a.out.ErrorK <= a.rule.Tol || !last {
			a.expected = a.out.ErrorK / a.top * (norms.Source / norms.Residual)
			return true
		}
	}
	a.tries, a.operator = sharpenings+1, -1
	if bounded, _ := a.weigh(ctx); !bounded {
		return false
	}
	a.sys.Residual(a.work, a.small, a.b, a.x)
	a.out.ErrorK = a.bound()
	return true
}

// near says that a residual of this norm is expected to meet the rule.
func (a *approaching) near(size float64) bool {
	source := a.out.Norms.Source
	if !(size < 1e-2*source) {
		return false
	}
	if math.IsNaN(a.top) {
		_, a.top = a.sys.Inner(a.x, a.x)
	}
	return a.expected*a.top*size <= a.rule.Tol*source
}

// change is the factor by which the largest |r|/d may differ from what the norm of the residual says.
const change = 10

// right looks at a recursive residual: whether it is time for a weight, or whether the bound by that for the diagonal
// is within the tolerance, if it can be.
func (a *approaching) right(r ops.Vector, size float64) bool {
	if size <= a.rule.Reduction*a.out.Start.Norms.Residual {
		return true
	}
	if a.tries <= sharpenings {
		return a.near(size)
	}
	return a.out.ErrorK*size <= change*a.rule.Tol*a.out.Norms.Residual && a.parts().most(r, a.d) <= a.rule.Tol
}

// offset makes Watch count iterations on from those of the same solve before.
func (s *Solver) offset(before int) {
	s.BiCGSTAB.Watch(nil)
	if s.watch != nil {
		s.BiCGSTAB.Watch(func(n int, errorK float64) { s.watch(before+n, errorK) })
	}
}

// part runs BiCGSTAB after some iterations of the same solve.
func (s *Solver) part(ctx context.Context, rule krylov.Rule, b ops.Source, x ops.Vector, before int) krylov.Outcome {
	s.offset(before)
	return s.BiCGSTAB.Solve(ctx, rule, b, x)
}

// parts are the operations of the method.
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
	if s.dominates() || s.cycleForDiagonal() {
		s.bounded = true
		return true, false
	}
	solved := false
	for _, rtol := range []float64{1e-2, 1e-4, 1e-6, 1e-8, 1e-10} {
		s.parts().diagonal(s.d)
		source := s.sys.SourceOf(s.d)
		out := s.part(ctx, krylov.Rule{RTol: rtol, MaxIter: 200}, source, s.weight, 0)
		source.Close()
		s.spent += out.Iterations
		solved = out.Converged
		if s.dominates() {
			s.bounded = true
			return true, false
		}
	}
	return false, s.leaks && solved && ctx.Err() == nil
}

// cycleForDiagonal makes the weight from one cycle for the diagonal, if that does.
func (s *Solver) cycleForDiagonal() bool {
	s.parts().diagonal(s.d)
	s.parts().raised(s.small, s.d, s.d, 0)
	return s.cycle(s.dominates)
}

// raised is the part of the diagonal, times the largest |r| over it, by which |r| is raised for a weight. Less would
// make a sharper bound, but A w might not be positive after one cycle.
const raised = 0.03

// sharpen makes the weight from one cycle for the residual in work, if that does.
func (s *Solver) sharpen() bool {
	p := s.parts()
	p.diagonal(s.d)
	p.raised(s.small, s.work, s.d, raised*p.most(s.work, s.d))
	s.operator, s.bounded = -1, false
	if s.cycle(func() bool {
		s.sys.Apply(s.d, s.weight)
		return p.dominates(s.d, s.d, s.weight, 0)
	}) {
		p.scale(s.d, s.weight, s.d)
		s.operator, s.bounded = s.pre.Refreshes(), true
	}
	return s.bounded
}

// cycle sets the weight to the result of a cycle for the right-hand side in small, smoothed until it will do: what
// interpolation from coarse grids leaves is rough, and A w would not be positive everywhere.
func (s *Solver) cycle(do func() bool) bool {
	method := s.pre.Unwrap().(*Preconditioner)
	z := s.Correction(s.small)
	for range 6 {
		method.Smooth(z, s.small)
		s.Widen(s.weight, z)
		if do() {
			return true
		}
	}
	return false
}

// weighed says whether there is a weight for the operator.
func (s *Solver) weighed() bool { return s.bounded && s.operator == s.pre.Refreshes() }

// dominates says whether the weight is one for the operator as it is, and if so sets d.
func (s *Solver) dominates() bool {
	p := s.parts()
	p.diagonal(s.d)
	s.sys.Apply(s.work, s.weight)
	if !p.dominates(s.work, s.d, s.weight, firm) {
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
	return caution * s.parts().largest(s.Correction(s.small))
}
