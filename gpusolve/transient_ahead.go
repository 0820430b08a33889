package gpusolve

import (
	"context"
	"time"

	"thermsim/gpusolve/reduction"
)

// deferring is a thermal system whose device takes steps one after the other, and leaves their statistics to be read together.
type deferring interface {
	thermal
	// series has room for the statistics of so many steps; nil where each has to be waited for.
	series(r *reduction.Regions, places int) (reduction.Series, error)
	// leave takes those of the state into a place.
	leave(s reduction.Series, place int)
}

const (
	// mostAhead is how many steps are taken before the first of them is looked at.
	mostAhead = 64
	// longestAhead is how long that may take: an interrupt, and OnStep's error, end a run no later.
	longestAhead = 50 * time.Millisecond
)

// ahead is a stepper that takes steps while those before wait to be looked at.
type ahead struct {
	*stepper
	system  deferring
	series  reduction.Series
	pending []Step
	most    int // steps to take together
}

// aheadOf is the stepper ahead, nil where steps are looked at one by one.
func (r *stepper) aheadOf() (*ahead, error) {
	d, ok := r.thermal.(deferring)
	if !ok || r.plan.OnStep == nil || r.plan.Reads == nil || r.plan.Regions == nil {
		return nil, nil
	}
	s, err := d.series(r.plan.Regions, min(mostAhead, r.plan.Steps))
	if s == nil || err != nil {
		return nil, err
	}
	return &ahead{stepper: r, system: d, series: s, most: 1}, nil
}

func (a *ahead) run(ctx context.Context) error {
	for n := 0; n < a.plan.Steps; {
		start := time.Now()
		took, err := a.take(ctx, n)
		all, failed := a.read(took)
		if failed != nil {
			return failed
		}
		// Next as many as the time allows, at the rate of these.
		a.most = max(1, min(mostAhead, 2*a.most, int(float64(took)*float64(longestAhead)/float64(max(1, time.Since(start))))))
		if err := a.look(all); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		n += took
	}
	return nil
}

// take leaves steps from n on behind, up to one whose field is read.
func (a *ahead) take(ctx context.Context, n int) (took int, err error) {
	for took < a.most && n+took < a.plan.Steps {
		step, err := a.solve(ctx, n+took)
		if err != nil {
			return took, err
		}
		a.system.leave(a.series, took)
		a.pending = append(a.pending, step)
		if took++; a.plan.Reads(n + took) {
			break
		}
	}
	return took, a.failure()
}

// read waits for the statistics of the steps that were taken.
func (a *ahead) read(took int) ([]*reduction.Values, error) {
	if took == 0 {
		return nil, nil
	}
	all := a.series.Read(took)
	return all, a.failure()
}

// look tells of the steps that were taken.
func (a *ahead) look(all []*reduction.Values) error {
	steps := a.pending
	a.pending = a.pending[:0]
	first := len(a.steps)
	for i := range steps {
		steps[i].MaxK = all[i].Hottest()
	}
	a.steps = append(a.steps, steps...)
	for i, step := range steps {
		f := &seen{regions: a.plan.Regions, values: all[i]}
		if i == len(steps)-1 && a.plan.Reads(first+i+1) {
			f.of = a.field()
		}
		if err := a.plan.OnStep(step, f); err != nil {
			return err
		}
	}
	return nil
}
