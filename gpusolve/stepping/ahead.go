package stepping

import (
	"context"
	"time"

	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// MostAhead is how many steps are taken before the first of them is looked at.
const MostAhead = 64

// LongestAhead is how long that may take: an interrupt, and OnStep's error, end a run no later. Tests wait longer, so
// that steps go ahead on slow machines too.
var LongestAhead = 50 * time.Millisecond

// ahead is a stepper that takes steps while those before wait to be looked at.
type ahead struct {
	*stepper
	series  reduction.Series
	pending []solution.Step
	most    int // steps to take together
}

// aheadOf is the stepper ahead, nil where steps are looked at one by one.
func (r *stepper) aheadOf() (*ahead, error) {
	if r.Direct == nil || r.team != nil || r.plan.OnStep == nil || r.plan.Reads == nil || r.plan.Regions == nil {
		return nil, nil
	}
	s, err := r.Direct.Series(r.plan.Regions, min(MostAhead, r.plan.Steps))
	if s == nil || err != nil {
		return nil, err
	}
	return &ahead{stepper: r, series: s, most: 1}, nil
}

// run tells of steps while the device is at the next ones, but where the field of the last of them is read.
func (a *ahead) run(ctx context.Context) error {
	var all []*reduction.Values // of the steps before
	var err error
	for n := len(a.steps); n < a.plan.Steps && err == nil; {
		start := time.Now()
		var took int
		var pending []solution.Step
		pending, err = a.take(ctx, n)
		if failed := a.look(all); failed != nil {
			if a.pending = pending; len(pending) > 0 {
				a.keep(a.series.Read(len(pending))) // they are finished, though nobody is told
			}
			return failed
		}
		all, a.pending, took = nil, pending, len(pending)
		if took > 0 {
			all = a.series.Read(took)
		}
		if failed := a.Failure(); failed != nil {
			return failed
		}
		// Next as many as the time allows, at the rate of these.
		a.most = max(1,
			min(MostAhead, 2*a.most, int(float64(took)*float64(LongestAhead)/float64(max(1, time.Since(start))))))
		n += took
		due := took > 0 && err == nil && a.plan.Checkpoints.due(n)
		if took > 0 && a.plan.Reads(n) || due {
			if failed := a.look(all); failed != nil {
				return failed
			}
			all = nil
		}
		if due {
			err = a.keepState()
		}
	}
	if failed := a.look(all); failed != nil {
		return failed
	}
	return err
}

// take leaves steps from n on behind, up to one whose field is read.
func (a *ahead) take(ctx context.Context, n int) (steps []solution.Step, err error) {
	for len(steps) < a.most && n+len(steps) < a.plan.Steps {
		step, err := a.solve(ctx, n+len(steps))
		if err != nil {
			return steps, err
		}
		a.Direct.Leave(a.series, len(steps))
		if steps = append(steps, step); a.plan.Reads(n + len(steps)) {
			break
		}
	}
	return steps, a.Failure()
}

// look tells of the pending steps, whose statistics were read.
func (a *ahead) look(all []*reduction.Values) error {
	first := len(a.steps)
	a.keep(all)
	steps := a.steps[first:]
	for i, step := range steps {
		f := &fields.Seen{Regions: a.plan.Regions, Values: all[i]}
		if i == len(steps)-1 && a.plan.Reads(first+i+1) {
			f.Of = a.Field()
		}
		if err := a.plan.OnStep(step, f); err != nil {
			return err
		}
	}
	return nil
}

// keep lists the pending steps among those that are finished.
func (a *ahead) keep(all []*reduction.Values) {
	for i := range a.pending {
		a.pending[i].MaxK = all[i].Hottest()
	}
	a.steps = append(a.steps, a.pending...)
	a.pending = nil
}
