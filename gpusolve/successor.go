package gpusolve

import (
	"context"
	"fmt"

	"thermsim/gpusolve/krylov"
)

// successors are the methods that take over, in this order, where the default one makes no headway. They depend on no
// geometry, so what multigrid is blind to does not stop them.
var successors = []string{"ic", "cmg", "jacobi"}

// settle improves x until the options' rule for one of a number of systems is met.
func (s *meshed) settle(ctx context.Context, o *Options, systems int, watch func(iteration int, errorK float64)) (
	krylov.Outcome, error) {
	rule := s.rule(o, systems)
	if s.outer != nil {
		return s.settleProperties(ctx, o, rule, watch)
	}
	return s.settleLinear(ctx, o, rule, watch)
}

// settleLinear improves x until a rule is met. Where the default method stalls, its successors take over, and stay. A
// method that the user named is left to its fate, and so is one that ends at a limit of iterations that the user set.
func (s *meshed) settleLinear(ctx context.Context, o *Options, rule krylov.Rule,
	watch func(iteration int, errorK float64)) (krylov.Outcome, error) {
	if o.Preconditioner != "" || !s.op.Symmetric() { // the successors need a symmetric operator
		return s.solve(ctx, rule, s.source, watch)
	}
	attempt := s.solve
	if len(s.line.tried) == 0 {
		attempt = s.attempt
	}
	out, err := attempt(ctx, rule, s.source, watch)
	start := out.Start
	spent := out.Iterations
	for ; err == nil && s.line.next < len(successors) && stalled(ctx, o, out) && !s.indefinite(out); s.line.next++ {
		name := successors[s.line.next]
		if !s.fits(name) || !s.succeed(name, out) {
			continue
		}
		if !(out.Norms.Residual < out.Norms.Source) {
			// What a failed method leaves is worse than nothing.
			s.sys.Fill(s.x, 0)
		}
		rule.MaxIter = s.rule(o, 1).MaxIter // that of the method
		out, err = s.solve(ctx, rule, s.source, watch)
		spent += out.Iterations
	}
	out.Iterations, out.Start = spent, start
	return out, err
}

// indefinite says that A itself may be at fault: leakage makes it so where there is no stable state, and no method
// helps.
func (s *meshed) indefinite(out krylov.Outcome) bool {
	return out.Reason == krylov.Breakdown && s.mesh.Leakage != nil
}

// stalled says that another method may do better than the one that ended so.
func stalled(ctx context.Context, o *Options, out krylov.Outcome) bool {
	switch {
	case out.Converged || out.Reason == krylov.Failed || ctx.Err() != nil:
		return false
	case out.Reason == krylov.Limit:
		return o.MaxIter == 0
	}
	return true
}

// fits says whether the device has the memory for a successor, with its Krylov solver, beside the method that gave up.
func (s *meshed) fits(name string) bool {
	dev, ok := s.dev.(limited)
	if !ok {
		return true
	}
	free, multiprocessors, err := memoryOf(dev)
	if err != nil {
		return false
	}
	shape := shapeOf(s.mesh, s.old != nil, true)
	shape.Multiprocessors = multiprocessors
	return needOf(shape, name, 0).Peak() <= free
}

// succeed sets a successor up in place of the method that gave up; false where it cannot be, and the former stays.
func (s *meshed) succeed(name string, out krylov.Outcome) bool {
	if s.mesh.Leakage != nil { // methods are made without it
		if err := s.sys.Unleak(); err != nil {
			return false
		}
	}
	solver, pre, err := newSolver(s.op, name)
	if err != nil {
		return false
	}
	if s.mesh.Leakage != nil {
		if err := s.outer.put(s.x); err != nil {
			return false
		}
	}
	s.line.tried = append(s.line.tried, fmt.Sprintf("%s gave up after %d iterations (%s)", s.pre.Name(), out.Iterations,
		reasonText(out.Reason)))
	s.solver.Close()
	s.pre.Close()
	s.solver, s.pre = solver, pre
	return true
}
