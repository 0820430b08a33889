package stepping

import (
	"context"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/solution"
)

// mostDoubts bounds the solves that follow because the heat balance contradicts the one before; slightest is the
// relative imbalance from which on it is asked.
const (
	mostDoubts = 4
	slightest  = 1e-8
)

// settleSteady settles a steady state until the heat balance bears out the estimate of the error. Conjugate gradients
// with a weak preconditioner may not have seen the slowest mode of a stack with hardly any cooling, and then take a
// residual for small that the balance shows to be large. The next solve has to be stricter by as much as the estimate
// was too small, and its own estimate is raised by as much.
func (e *Engine) settleSteady(ctx context.Context, o driver.Options, power float64, watch driver.Watch) (krylov.Outcome,
	solution.Energy, error) {
	var before krylov.Outcome
	raised := 1.0
	for doubts := 0; ; doubts++ {
		out, err := e.Settle(ctx, &o, 1, watch)
		if err != nil {
			return out, solution.Energy{}, err
		}
		out.Iterations += before.Iterations
		balance := e.Balance(e.scaled(power), e.leaking(), 0)
		short := e.short(&o, out, balance)
		if !(short > 1) || doubts == mostDoubts {
			if out.Reason == krylov.Tolerance {
				out.ErrorK *= raised
			}
			return out, balance, nil
		}
		o.Tol = out.ErrorK / (2 * short)
		raised *= 2 * short
		before = out
	}
}

// short is by what factor the heat balance shows the estimate of a linear solve to be too small, or the imbalance is
// above its limit; 0 where there is nothing to improve.
func (e *Engine) short(o *driver.Options, out krylov.Outcome, balance solution.Energy) float64 {
	if e.meshed == nil || e.meshed.Outer != nil || out.Reason != krylov.Tolerance || o.RTol > 0 || o.ATol > 0 ||
		!(out.ErrorK > 0) || !(balance.ImbalanceRel > slightest) {
		return 0
	}
	s := &solution.Solution{Status: solution.Status{EstimatedErrorK: out.ErrorK}, Energy: balance}
	return math.Max(solution.LeastErrorK(e.Mesh, s)/out.ErrorK, balance.ImbalanceRel/solution.ImbalanceLimit(e.Mesh, s))
}
