package stepping

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
)

// step takes one step, shorter ones where the error asks for them.
func (r *march) step(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.scripted() {
		r.follow()
	} else if r.grow && r.ladder.double() {
		r.ready = false
	}
	for {
		if r.ladder.fit() {
			r.ready = false
		}
		if r.ladder.step() < shortestShare*r.ladder.next() {
			return fmt.Errorf("%w: steps of %g s at %g s still err by more than %g K; allow more", ErrUnsettled,
				r.ladder.step(), r.time, r.plan.Tol)
		}
		errorK, err := r.attempt(ctx)
		if err != nil {
			return err
		}
		if r.ranAway || errorK <= r.plan.Tol || r.scripted() && !math.IsInf(errorK, 1) {
			return r.accept(errorK)
		}
		r.Rejected++
		r.ready, r.grow = false, false
		r.ladder.halve(shorter(errorK / r.plan.Tol))
	}
}

// scripted says that the steps are known.
func (r *march) scripted() bool { return !r.recording && r.line < len(r.rungs) }

// follow goes to the rung of the script.
func (r *march) follow() {
	for r.ladder.rung < r.rungs[r.line] && r.ladder.double() {
		r.ready = false
	}
	if above := r.ladder.rung - r.rungs[r.line]; above > 0 {
		r.ladder.halve(above)
		r.ready = false
	}
}

// estimated says that the error of a step is asked for.
func (r *march) estimated() bool { return !r.scripted() || r.telling }

// shorter is how many halves an error so many times too large asks for.
func shorter(excess float64) int {
	if math.IsNaN(excess) || math.IsInf(excess, 0) {
		return 3
	}
	return max(1, min(6, int(math.Ceil(math.Log2(excess)/3))))
}

// attempt solves the stages of a step, and the first one of the next, and estimates the error in K. It is infinite
// where a stage has no solution.
func (r *march) attempt(ctx context.Context) (errorK float64, err error) {
	h := r.ladder.step()
	if err := r.retime(stageShare * h); err != nil {
		return 0, err
	}
	s := r.System
	if !r.ready {
		s.Combine(r.mid, 1, r.now, 0, r.now)
		if ok, err := r.stage(ctx, r.mid, r.now, &r.midFlows); !ok || err != nil {
			return math.Inf(1), err
		}
		r.ready = true
	}
	s.Combine(r.driven, drivenMid, r.mid, drivenStart, r.now)
	s.Combine(r.end, 1, r.driven, 1, r.mid)
	s.Combine(r.end, 1, r.end, -1, r.now) // as if the heat went on to flow as in the first stage
	if ok, err := r.stage(ctx, r.end, r.driven, &r.endFlows); !ok || err != nil {
		return math.Inf(1), err
	}
	if r.ranAway {
		return 0, nil
	}
	if !r.estimated() {
		return 0, nil
	}
	out := r.out
	s.Combine(r.ahead, 2, r.end, -1, r.driven)
	if ok, err := r.stage(ctx, r.ahead, r.end, nil); !ok || err != nil {
		return math.Inf(1), err
	}
	r.out = out
	s.Combine(r.spare, estimateMid, r.mid, estimateAhead, r.ahead)
	s.Combine(r.spare, 1, r.spare, -estimateScale, r.now)
	s.Combine(r.spare, 1, r.spare, -estimateScale, r.end)
	return s.Largest(r.spare), r.Failure()
}

// stage solves one, and says false where there is no solution.
func (r *march) stage(ctx context.Context, dst, from int, f *flows) (bool, error) {
	out, err := r.solve(ctx, dst, from)
	if err != nil {
		return false, err
	}
	if out.Reason == krylov.Runaway && !out.Converged {
		if s := r.meshed; s != nil {
			s.Outer.Runaway = false // a shorter step may have one
		}
		return false, nil
	}
	r.ranAway = out.Reason == krylov.Runaway
	if f != nil && r.telling {
		*f = r.flows(r.System.Held())
	}
	r.out = out
	return true, r.Failure()
}

// solve counts what a solve takes.
func (r *march) solve(ctx context.Context, dst, from int) (krylov.Outcome, error) {
	if s := r.meshed; s != nil {
		s.From, s.To = r.time, r.ladder.next()
	}
	var watch driver.Watch
	if r.opts.Progress != nil {
		watch = func(it int, err float64) {
			r.opts.Progress(driver.Progress{Step: r.Steps, Iteration: it, ErrorK: err, Time: r.time,
				Until: r.plan.Until})
		}
	}
	if err := ctx.Err(); err != nil { // solves that end at their first iteration do not look at it
		return krylov.Outcome{ErrorK: math.NaN(), Reason: krylov.Interrupted}, err
	}
	out, err := r.System.Stage(ctx, &r.opts.Options, dst, from, watch)
	r.Solves++
	r.count(out)
	if err == nil && out.Reason == krylov.Interrupted {
		err = ctx.Err()
	}
	if err == nil && out.Reason != krylov.Runaway {
		r.judge(out)
	}
	return out, err
}
