package meshed

import (
	"context"
	"fmt"

	"thermsim/gpusolve/device"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
)

// successors are the methods that take over, in this order, where the default one makes no headway. They depend on no
// geometry, so what multigrid is blind to does not stop them.
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
// method that the user named is left to its fate, and so is one that ends at a limit of iterations that the user set.
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
			// What a failed method leaves is worse than nothing.
			s.Sys.Fill(s.X, 0)
		}
		rule.MaxIter = s.rule(o, 1).MaxIter // that of the method
		out, err = s.Improve(ctx, rule, s.source, watch)
		spent += out.Iterations
	}
	out.Iterations, out.Start = spent, start
	return out, err
}

// indefinite says that A itself may be at fault: leakage makes it so where there is no stable state, and no method
// helps.
func (s *System) indefinite(out krylov.Outcome) bool {
	return out.Reason == krylov.Breakdown && s.mesh.Leakage != nil
}

// stalled says that another method may do better than the one that ended so.
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
