package stepping

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/meshed"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/solution"
)

// march is a run of TR-BDF2 in progress.
type march struct {
	course
	opts   driver.Job
	plan   *AdaptiveOptions
	ladder ladder
	places
	interval
	script
	solution.Stepping

	time     float64 // s
	lastStep float64 // s
	dt       float64 // s, of the operator's stages
	ready    bool    // mid is solved
	grow     bool    // the last estimate allows twice the length
	endFlows flows
	midFlows flows
	heat     heat
	moments  []float64 // that are still to be told
	since    int       // iterations when the last moment was told
	telling  bool      // of moments, to whom asked for them
}

// places are numbers of states: that at the time, the stages of the step, the first of the next one, what a stage
// starts from, and room for the estimate and for fields between steps. steady is that state, -1 where nobody asks.
type places struct{ now, mid, end, ahead, driven, spare, steady int }

// interval is one of constant power.
type interval struct {
	power   float64 // W
	last    bool    // no power changes after it
	fresh   bool    // no step of it was accepted
	resumed bool    // it was entered before a checkpoint
}

// script has the rungs of the steps that were accepted while recording; otherwise the run takes these steps, where
// there are any, without asking for their error.
type script struct {
	recording bool
	rungs     []int
	line      int // that is next
}

// run takes the whole way, and tells the end.
func (r *march) run(ctx context.Context) error {
	if err := r.advance(ctx); err != nil {
		return err
	}
	return r.finish()
}

// advance takes one interval of constant power after the other.
func (r *march) advance(ctx context.Context) error {
	for r.time < r.plan.Until && !r.Steady {
		if !r.resumed {
			if err := r.enter(ctx, r.intervalEnd(r.Mesh, r.time)); err != nil {
				return err
			}
		}
		r.resumed = false
		for !r.ladder.done() && !r.Steady {
			if err := r.step(ctx); err != nil {
				return err
			}
			if r.ranAway {
				return nil
			}
		}
	}
	return nil
}

// finish tells the end, where nobody was told yet.
func (r *march) finish() error {
	if n := len(r.steps); r.Steps > 0 && (n == 0 || r.steps[n-1].Time < r.time*(1-together)) {
		r.System.Show(r.now, r.driven)
		return r.tell(r.time)
	}
	return nil
}

// enter draws the power of the interval from the present time to another.
func (r *march) enter(ctx context.Context, end float64) (err error) {
	if r.power, err = r.System.Load(r.time, end); err != nil {
		return err
	}
	if r.time > 0 {
		r.Changes++
	}
	r.ladder.enter(r.time, end)
	r.ready, r.grow, r.fresh = false, false, true
	r.last = math.IsInf(r.Mesh.Power.NextChange(r.time), 1)
	if r.plan.ToSteady > 0 && r.last {
		return r.findSteady(ctx)
	}
	return nil
}

// findSteady solves for the steady state under the present power.
func (r *march) findSteady(ctx context.Context) error {
	if err := r.retime(meshed.Eternity); err != nil {
		return err
	}
	r.System.Combine(r.steady, 1, r.now, 0, r.now)
	out, err := r.solve(ctx, r.steady, r.now)
	switch {
	case err != nil:
	case out.Reason == krylov.Runaway:
		err = fmt.Errorf("%w: there is no steady state to end at; a steady solve tells the largest power that has one",
			ErrRunaway)
	case !out.Converged:
		err = fmt.Errorf("%w: the steady state to end at was not reached: %s", ErrUnsettled,
			methods.ReasonText(out.Reason))
	}
	if err != nil {
		return err
	}
	return r.arrived()
}

// arrived looks how far the steady state is. A run takes a step at least, and so has an end to tell, even where it
// begins there.
func (r *march) arrived() error {
	if r.steady < 0 || !r.last {
		return nil
	}
	r.System.Combine(r.spare, 1, r.steady, -1, r.now)
	r.RestK = r.System.Largest(r.spare)
	r.Steady = r.Steps > 0 && r.RestK <= r.plan.ToSteady
	return r.Failure()
}

// retime sets the operator up for stages of another length.
func (r *march) retime(dt float64) error {
	if dt == r.dt {
		return nil
	}
	r.dt = dt
	r.Setups++
	return r.System.Retime(dt)
}
