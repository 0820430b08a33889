package meshed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/device"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/guess"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/downstream"
	"thermsim/gpusolve/solution"
)

// outer is the fixed-point iteration for temperature-dependent properties and leakage. With A(x) and b(x) formed at the
// state x,
//
//	x' = G(x) = A(x)^-1 b(x)
//
// solved only as far as the change of A makes worth while. Every A(x) is symmetric positive definite, as all
// conductivities are positive; with coolant it is an M-matrix, except with central differences.
//
// A solve begins with the nonlinear residual b(x) - A(x) x, and the preconditioned residual estimates the error in K,
// as it does for a linear system. The iteration contracts by some factor rho near its end, so that the error of x is
// that estimate over 1 - rho.
type outer struct {
	system   ops.System
	old      func() ops.Vector // the state before the step; nil in a steady state
	mixer    *guess.Anderson   // nil without temperature-dependent properties
	*Leakage                   // nil without leakage

	settledAt float64 // largest rise in K when the method was last made for A
	made      bool    // the method was made for temperatures at all
	rho       float64 // contraction seen in the last system, that of mixing, 0 while unknown
	plain     float64 // contraction without mixing, which the last system of a step has, 0 while unknown
	since     int     // steps since it was measured
	again     bool    // this step measures it again: its first system is solved for good and not mixed
	firstK    float64 // how far the first linear system of the last step went
	best      float64 // shortest way of a system of this step, and how many since have not been half as long
	idle      int

	solution.Nonlinear
}

// Bounds of the iteration.
const (
	mostOuter = 60
	firstCut  = 0.03 // part of the residual that a linear system leaves while rho is unknown
	leastCut  = 0.15 // the same where rho is small
	mostCut   = 0.3
	lastCut   = 1e-9 // none
	leastRho  = 1e-3 // that a guess may count on
	worstRho  = 0.9  // beyond which an estimate says nothing
	slow      = 0.02 // plain contraction from which on mixing is worth its passes over memory
	drifts    = 10.0 // K by which the hottest cell may change until the method is made again
	mostIdle  = 4    // systems that bring nothing, from which on the iteration goes round in circles
	measures  = 32   // steps between two measurements of the plain contraction
)

// settleProperties improves x until the error of the nonlinear system meets the rule.
func (s *System) settleProperties(ctx context.Context, o *driver.Options, rule krylov.Rule,
	watch driver.Watch) (krylov.Outcome, error) {
	s.Outer.Systems++
	out, err := s.iterate(ctx, o, rule, watch)
	if s.Outer.Leakage == nil || err != nil {
		return out, err
	}
	if out.Reason == krylov.Breakdown && !s.Outer.cautious {
		if out, err = s.again(ctx, o, rule, out, watch); err != nil {
			return out, err
		}
	}
	return s.judgeLeakage(ctx, o, rule, out)
}

// again solves the system once more, cautiously. A steady state is sought from the temperatures without leakage, below
// which no solution lies; a step starts from its beginning, where it also stays if its matrix is not positive definite.
func (s *System) again(ctx context.Context, o *driver.Options, rule krylov.Rule, spent krylov.Outcome,
	watch driver.Watch) (krylov.Outcome, error) {
	s.Outer.cautious, s.Outer.rho, s.Outer.plain = true, 0, 0
	var start krylov.Outcome
	var err error
	if s.dt > 0 {
		s.Sys.Combine(s.X, 1, s.old, 0, s.old)
	} else {
		s.Sys.Fill(s.X, 0)
		if start, err = s.settleCold(ctx, o, rule); err != nil {
			return start, err
		}
	}
	out, err := s.iterate(ctx, o, rule, watch)
	out.Iterations += spent.Iterations + start.Iterations
	return out, err
}

// settleCold solves for the temperatures without leakage. As no law is negative and the inverse of an M-matrix is not
// either, every solution with leakage is at least as hot everywhere, whatever the boundaries and the ambient
// temperature are.
func (s *System) settleCold(ctx context.Context, o *driver.Options, rule krylov.Rule) (krylov.Outcome, error) {
	s.Outer.Outer = 1
	if err := errors.Join(s.Outer.form(s), s.Sys.Unleak()); err != nil {
		return krylov.Outcome{}, methods.Blame(err)
	}
	return s.settleLinear(ctx, o, rule, nil)
}

func (s *System) iterate(ctx context.Context, o *driver.Options, rule krylov.Rule, watch driver.Watch) (
	krylov.Outcome, error) {
	n := s.Outer
	if n.mixer != nil {
		n.mixer.Begin()
	}
	n.since++
	n.again = rule.InTime && n.plain > 0 && n.since >= measures
	total, last := 0, math.NaN()
	var out krylov.Outcome
	for n.Outer = 1; ; n.Outer++ {
		n.OuterTotal++
		if err := n.form(s); err != nil {
			return out, err
		}
		inner := n.inner(s, rule, last)
		mix := n.mixer != nil && (n.plain == 0 || n.plain >= slow) && !n.careful() && !(n.again && n.Outer == 1)
		if mix {
			n.mixer.Before(s.X)
		}
		var err error
		out, err = s.settleLinear(ctx, o, inner, func(iteration int, errorK float64) {
			if watch != nil {
				watch(total+iteration, errorK)
			}
		})
		total += out.Iterations
		if err != nil {
			return out, err
		}
		spent := out
		out.Iterations = total
		if n.done(s, rule, &out, &spent, last) {
			return out, s.Failure()
		}
		if mix {
			n.mixer.After(s.X, spent.Start.PlainK > last)
		}
		n.measure(mix && !n.mixer.Rested, rule.InTime)
		last = spent.Start.PlainK
	}
}

// careful says that no state may pass the solution.
func (n *outer) careful() bool { return n.Leakage != nil && n.cautious }

// form makes A that of the state, and the method where the state has moved far since that was made. The method is made
// for A without leakage.
func (n *outer) form(s *System) error {
	if n.mixer == nil || s.dt == 0 && n.Outer == 1 && !n.made {
		return n.put(s.X) // otherwise A is that of 300 K, and x is zero: as good a guess as any
	}
	if err := n.system.RefreshAt(s.X, n.before()); err != nil {
		return s.Failure()
	}
	if top := n.system.Max(s.X); !n.made || math.Abs(top-n.settledAt) > drifts || s.holdsCopies() {
		n.made, n.settledAt = true, top
		if err := s.Pre.Refresh(); err != nil {
			return methods.Blame(err)
		}
	}
	if err := n.put(s.X); err != nil {
		return err
	}
	return s.Failure()
}

func (n *outer) before() ops.Vector {
	if n.old == nil {
		return nil
	}
	return n.old()
}

// inner is the rule of the next linear system: no further than the change of A is worth, or than the rule of the whole
// asks. Where the last systems indicate that it will be the last one, it must meet the rule itself.
func (n *outer) inner(s *System, rule krylov.Rule, last float64) krylov.Rule {
	rule.Continued = n.Outer > 1
	if !endsEarly(s.Solver) {
		return rule
	}
	expected := n.rho * last
	if n.Outer == 1 {
		expected = n.firstK
	}
	rule.Reduction = firstCut
	switch {
	case n.careful():
		rule.Reduction = cautiousCut
	case n.again && n.Outer == 1, rule.InKelvin() && n.plain > 0 && expected > 0 && n.left(expected) <= rule.Tol/2:
		rule.Reduction = lastCut
	case n.rho > 0:
		rule.Reduction = math.Min(mostCut, math.Max(leastCut, n.rho))
	}
	rule.Tol /= 3
	rule.ATol /= 3
	rule.RTol /= 3
	return rule
}

// endsEarly says whether a solver can end at a given part of the residual, and reports the residual at its start.
func endsEarly(s krylov.Solver) bool {
	switch s.(type) {
	case *krylov.PCG, *downstream.Solver:
		return true
	}
	return false
}

// measure finds the contraction without mixing: as seen, or from the last two systems of a steady state or of a first
// step, where mixing hides it.
func (n *outer) measure(mixed, inTime bool) {
	switch {
	case !mixed:
		if n.Outer > 1 {
			n.plain, n.since = n.rho, 0
		}
	case !inTime || n.plain == 0:
		if rho, ok := n.mixer.Contraction(); ok {
			n.plain, n.since = math.Max(rho, leastRho), 0
		}
	}
}

// left is the error in K that the change of A leaves in the solution of a linear system that went so far.
func (n *outer) left(went float64) float64 {
	rho := math.Max(n.plain, leastRho)
	return 2 * rho / (1 - math.Min(rho, worstRho)) * went
}

// done evaluates the state before and after the last linear system.
func (n *outer) done(s *System, rule krylov.Rule, out, spent *krylov.Outcome, last float64) bool {
	start := spent.Start
	n.ResidualW = start.Norms.Residual
	if last > 0 && start.PlainK >= 0 {
		n.Contraction = start.PlainK / last
		n.rho = math.Max(n.Contraction, leastRho)
		if n.again && n.Outer == 2 {
			n.plain, n.since = n.rho, 0
		}
	}
	if n.Outer == 1 {
		n.firstK = start.PlainK
	}
	end := func(why krylov.Reason) bool {
		out.Converged, out.Reason = why == krylov.Tolerance || why == krylov.Attainable, why
		return true
	}
	if !spent.Converged {
		return end(spent.Reason)
	}
	if n.met(rule, spent, out) {
		return end(krylov.Tolerance)
	}
	if start.Raised {
		start.ErrorK, out.ErrorK = math.NaN(), math.NaN()
	}
	switch {
	case start.Norms.Residual <= krylov.FloorFactor*start.Norms.Floor, n.rounded(s, &start):
		if !math.IsNaN(start.ErrorK) {
			// what a linear system would correct, and those after it
			out.ErrorK = start.ErrorK / (1 - math.Min(n.rho, worstRho))
		}
		return end(krylov.Attainable)
	case n.Outer >= mostOuter:
		if out.ErrorK = math.NaN(); n.rho < worstRho {
			out.ErrorK = start.ErrorK / (1 - n.rho)
		}
		return end(krylov.Unsettled)
	}
	return false
}

// rounded detects an iteration that cycles because A holds conductances in FP32. Where a conductance lies between two
// FP32 values, its rounding changes with the last digits of x, and moves the solution by a part of 2^-24. With coolant
// the heat that is carried exceeds the power, and moves it by more. The residual shows this: such roundings change it
// by 2^-24 of |A||x|, while its own floor is 2^-53 of that.
func (n *outer) rounded(s *System, start *krylov.Start) bool {
	n.idle++
	if n.Outer == 1 || start.PlainK <= n.best/2 {
		n.best, n.idle = start.PlainK, 0
	}
	if n.Outer < 4 || !(n.Contraction > 0.5) {
		return false
	}
	_, largest := n.system.Inner(s.X, s.X)
	return start.PlainK <= 0x1p-23*largest || s.mesh.Cooled() && n.idle >= mostIdle &&
		start.Norms.Residual <= 0x1p29*start.Norms.Floor
}

// met applies the rule to the nonlinear system.
func (n *outer) met(rule krylov.Rule, spent, out *krylov.Outcome) bool {
	start := spent.Start
	switch {
	case rule.ATol > 0:
		return start.Norms.Residual <= rule.ATol
	case rule.RTol > 0:
		return start.Norms.Residual <= rule.RTol*start.Norms.Source
	}
	if n.plain == 0 || n.plain >= worstRho || math.IsNaN(start.ErrorK) {
		return false
	}
	if n.Outer == 1 && (!rule.InTime || n.again) {
		return false // the contraction must be measured
	}
	// Either the solve has met the rule, or the state that it began with did.
	out.ErrorK = math.Min(spent.ErrorK+n.left(start.PlainK), start.ErrorK/(1-n.plain))
	return out.ErrorK <= rule.Tol
}

func (n *outer) Report() *solution.Nonlinear {
	r := n.Nonlinear
	r.Outside = n.system.OutOfRange()
	if n.Leakage != nil {
		leaks := n.Leakage.Leakage
		r.Leakage = &leaks
	}
	return &r
}

// successors are the methods that take over, in this order, where the default one stalls. They do not depend on the
// geometry, so they converge where multigrid does not.
var successors = []string{"ic", "cmg", "jacobi"}

// Settle improves x until the options' rule for one of a number of systems is met.
func (s *System) Settle(ctx context.Context, o *driver.Options, systems int, watch driver.Watch) (
	krylov.Outcome, error) {
	rule := s.rule(o, systems)
	if s.Outer != nil {
		return s.settleProperties(ctx, o, rule, watch)
	}
	return s.settleLinear(ctx, o, rule, watch)
}

// settleLinear improves x until a rule is met. Where the default method stalls, its successors take over, and stay. A
// method that the user has named is not replaced, nor one that reaches an iteration limit of the user.
func (s *System) settleLinear(ctx context.Context, o *driver.Options, rule krylov.Rule,
	watch driver.Watch) (krylov.Outcome, error) {
	if o.Preconditioner != "" || !s.Op.Symmetric() { // the successors need a symmetric operator
		return s.Improve(ctx, rule, s.source, watch)
	}
	attempt := s.Improve
	if len(s.Line.Tried) == 0 {
		attempt = s.Attempt
	}
	out, err := attempt(ctx, rule, s.source, watch)
	start := out.Start
	spent := out.Iterations
	for ; err == nil && s.Line.Next < len(successors) && stalled(ctx, o, out) && !s.indefinite(out); s.Line.Next++ {
		name := successors[s.Line.Next]
		if !s.fits(name) || !s.succeed(name, out) {
			continue
		}
		if !(out.Norms.Residual < out.Norms.Source) {
			// A failed method can leave a worse state than zero.
			s.Sys.Fill(s.X, 0)
		}
		rule.MaxIter = s.rule(o, 1).MaxIter // that of the method
		out, err = s.Improve(ctx, rule, s.source, watch)
		spent += out.Iterations
	}
	out.Iterations, out.Start = spent, start
	return out, err
}

// indefinite says that A itself may be indefinite, because leakage has no stable state. Then no method converges.
func (s *System) indefinite(out krylov.Outcome) bool {
	return out.Reason == krylov.Breakdown && s.mesh.Leakage != nil
}

// stalled says whether another method may succeed after this outcome.
func stalled(ctx context.Context, o *driver.Options, out krylov.Outcome) bool {
	switch {
	case out.Converged || out.Reason == krylov.Failed || ctx.Err() != nil:
		return false
	case out.Reason == krylov.Limit:
		return o.MaxIter == 0
	}
	return true
}

// fits says whether the device has the memory for a successor, with its Krylov solver, beside the method that gave up.
func (s *System) fits(name string) bool {
	dev, ok := s.Dev.(device.Limited)
	if !ok {
		return true
	}
	free, multiprocessors, err := device.MemoryOf(dev)
	if err != nil {
		return false
	}
	shape := memory.ShapeOf(s.mesh, s.old != nil, true)
	shape.Multiprocessors = multiprocessors
	return memory.Of(shape, name, 0).Peak() <= free
}

// succeed sets a successor up in place of the method that gave up; false where it cannot be, and the former stays.
func (s *System) succeed(name string, out krylov.Outcome) bool {
	if s.mesh.Leakage != nil { // methods are made without it
		if err := s.Sys.Unleak(); err != nil {
			return false
		}
	}
	solver, pre, err := methods.SetUp(s.Op, name)
	if err != nil {
		return false
	}
	if s.mesh.Leakage != nil {
		if err := s.Outer.put(s.X); err != nil {
			return false
		}
	}
	s.Line.Tried = append(s.Line.Tried, fmt.Sprintf("%s gave up after %d iterations (%s)", s.Pre.Name(), out.Iterations,
		methods.ReasonText(out.Reason)))
	s.Solver.Close()
	s.Pre.Close()
	s.Solver, s.Pre = solver, pre
	return true
}
