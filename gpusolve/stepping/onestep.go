package stepping

import (
	"context"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/solution"
)

// AdvanceBy takes step n of so many, from t0 to t1 in s, each of which gets an equal part of the tolerance of o. Where
// it fails, or ends in a runaway without a state at its end, the state is again that before the step.
func (e *Engine) AdvanceBy(ctx context.Context, o *driver.Options, n, steps int, t0, t1 float64) (solution.Step,
	krylov.Outcome, error) {
	power, err := e.Advance(n, t0, t1)
	if err != nil {
		return solution.Step{}, krylov.Outcome{}, err
	}
	var watch driver.Watch
	if o.Progress != nil {
		watch = func(it int, err float64) {
			o.Progress(driver.Progress{Step: n, Steps: steps, Iteration: it, ErrorK: err, Time: t0})
		}
	}
	out := krylov.Outcome{ErrorK: math.NaN(), Reason: krylov.Interrupted}
	if ctx.Err() == nil { // solves that end at their first iteration do not look at it
		out, err = e.Settle(ctx, o, steps, watch)
	}
	switch {
	case err != nil:
	case out.Reason == krylov.Interrupted:
		err = ctx.Err()
	case out.Reason == krylov.Runaway && !out.Converged:
		err = ErrRunaway
	}
	if err != nil {
		e.Retreat() // the state is half solved
		return solution.Step{}, out, err
	}
	leaking := e.leaking()
	return solution.Step{Time: t1, Iterations: out.Iterations, Converged: out.Converged, PowerW: power + leaking,
		LeakageW: leaking}, out, nil
}
