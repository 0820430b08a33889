package gpusolve

import (
	"context"
	"fmt"
	"math"
	"strings"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
)

// successors are the methods that take over, in this order, where the default one makes no headway. They depend on no geometry, so what
// multigrid is blind to does not stop them. The last needs next to no memory.
var successors = []string{"ic", "cmg", "jacobi"}

// headway notices when the estimate of the error no longer falls: multigrid that brings it down by less than half in window iterations is slower than
// any of its successors.
type headway struct {
	best [window]float64 // the least estimate up to an iteration, of the last ones
	n    int
}

const window = 20

// lost takes the estimate of the next iteration.
func (h *headway) lost(errorK float64) bool {
	now := errorK
	if h.n > 0 {
		now = math.Min(now, h.best[(h.n-1)%window])
	}
	before := h.best[h.n%window]
	h.best[h.n%window] = now
	h.n++
	return h.n > window && now > before/2
}

// solve improves x until the options' rule for one of a number of systems is met. Where the default method stalls, its successors take over,
// and stay. A method that the user named is left to its fate, and so is one that ends at a limit of iterations that the user set.
func (e *engine) solve(ctx context.Context, o *Options, systems int, old ops.Vector) krylov.Outcome {
	if o.Preconditioner != "" {
		return e.run(ctx, o, systems, old)
	}
	var out krylov.Outcome
	if len(e.tried) == 0 {
		out = e.attempt(ctx, o, systems, old)
	} else {
		out = e.run(ctx, o, systems, old)
	}
	spent := out.Iterations
	for ; e.successor < len(successors) && stalled(ctx, o, out) && e.sys.Err() == nil; e.successor++ {
		name := successors[e.successor]
		if !e.fits(name) || !e.succeed(name, out) {
			continue
		}
		if !(out.Norms.Residual < out.Norms.Source) {
			// What a failed method leaves is worse than nothing.
			e.sys.Fill(e.x, 0)
		}
		out = e.run(ctx, o, systems, old)
		spent += out.Iterations
	}
	out.Iterations = spent
	return out
}

// run solves by the present method, come what may.
func (e *engine) run(ctx context.Context, o *Options, systems int, old ops.Vector) krylov.Outcome {
	e.solver.Watch(e.watch)
	return e.solver.Solve(ctx, o.rule(e.pre, systems), e.x, old)
}

// attempt runs the default method until it is done or makes no headway.
func (e *engine) attempt(ctx context.Context, o *Options, systems int, old ops.Vector) krylov.Outcome {
	watched, stop := context.WithCancel(ctx)
	defer stop()
	var h headway
	e.solver.Watch(func(n int, errorK float64) {
		if e.watch != nil {
			e.watch(n, errorK)
		}
		if h.lost(errorK) {
			stop()
		}
	})
	out := e.solver.Solve(watched, o.rule(e.pre, systems), e.x, old)
	if out.Reason == krylov.Interrupted && ctx.Err() == nil {
		out.Reason = krylov.Stagnation
	}
	return out
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

// fits says whether the device has the memory for a method.
func (e *engine) fits(name string) bool {
	d, ok := e.dev.(interface {
		MemInfo() (free, total int64, err error)
	})
	if !ok {
		return true
	}
	free, _, err := d.MemInfo()
	return err == nil && methodBytes(name, e.x.Len()) <= free
}

// succeed sets a successor up; false where it cannot be. It goes on with the vectors that are there.
func (e *engine) succeed(name string, out krylov.Outcome) bool {
	pcg, ok := e.solver.(*krylov.PCG)
	m, set, err := findMethod(name)
	if !ok || err != nil {
		return false
	}
	pre, err := m.new(e.sys, set)
	if err != nil {
		return false
	}
	e.tried = append(e.tried, fmt.Sprintf("%s gave up after %d iterations (%s)", e.pre.Name(), out.Iterations, reasonText(out.Reason)))
	e.solver, e.pre = pcg.With(pre), pre
	return true
}

// fallback tells what stalled, in the order it was tried.
func (e *engine) fallback() string {
	if len(e.tried) == 0 {
		return ""
	}
	return strings.Join(e.tried, ", ") + "; " + e.pre.Name() + " took over"
}
