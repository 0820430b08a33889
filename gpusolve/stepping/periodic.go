package stepping

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

// PeriodicOptions describe the state that powers which repeat themselves lead to.
type PeriodicOptions struct {
	// Tol is the error in K that is left of the transient into that state; DefaultPeriodicTol where 0.
	Tol float64
	// StepTol is that of a step in time: AdaptiveOptions.Tol.
	StepTol float64
	// At, OnStep and Regions are those of AdaptiveOptions, over one period.
	At      []float64
	OnStep  func(step solution.Step, f solution.Field) error
	Regions *reduction.Regions
}

// DefaultPeriodicTol is the error in K that is left of the transient into a periodic state by default.
const DefaultPeriodicTol = 1e-6

// ErrPeriod is returned where powers have no period.
var ErrPeriod = errors.New("the powers are not periodic: a periodic state needs power traces with repeat = " +
	"true, whose periods have a common multiple, and no schedule that changes a power")

// mostPeriods that are stepped to find a periodic state.
const mostPeriods = 60

// Plan checks the options, and returns the plan of the steps.
func (p *PeriodicOptions) Plan(m *mesh.Mesh) (*AdaptiveOptions, error) {
	if p.Tol == 0 {
		p.Tol = DefaultPeriodicTol
	}
	period := m.Power.Period()
	switch {
	case !(p.Tol > 0) || math.IsInf(p.Tol, 0):
		return nil, fmt.Errorf("%w: a periodic state within %g K; it must be positive", solution.ErrOption, p.Tol)
	case !m.Grounded():
		return nil, solution.ErrSingular
	case period == 0:
		return nil, ErrPeriod
	}
	plan := &AdaptiveOptions{Tol: p.StepTol, Until: period, At: p.At, OnStep: p.OnStep, Regions: p.Regions}
	return plan, plan.Check(m)
}

// Periodic is a checked run.
//
// The way there is Newton's method on P(x) - x = 0, P being a step through the period. For a mode that decays by u in a
// period P' is exp(-u), and
//
//	1/(1 - exp(-u)) = 1/u + 1 - (1/2)/(1 + u/6) + e(u),   0 <= e(u) < 0.09
//
// It has the right values at both ends. The correction of x therefore takes a steady solve with the capacities times
// (P(x) - x)/T, and a stage of T/6. Each leaves a tenth of the error, whether the stack follows within a period or
// takes a million of them. Steps are those of the second period from then on, so that P does not change.
func Periodic(ctx context.Context, m *mesh.Mesh, o driver.Job, plan *AdaptiveOptions, tol float64) (*solution.Solution,
	error) {
	r := newMarch(m, o, plan, cycleStates)
	r.opts.Tol = math.Min(r.opts.Tol, closing*tol)
	e, err := Open(m, &r.opts, mostMoments, stageShare*r.ladder.step())
	if err != nil {
		return nil, err
	}
	defer e.Dev.Bind()()
	start := time.Now()
	if err := r.open(e, nil); err != nil {
		e.Close()
		return nil, err
	}
	c := &cycle{march: r, period: plan.Until, begin: marchStates, mean: marchStates + 1, change: marchStates + 2}
	err = c.find(ctx, tol)
	if err == nil {
		err = c.show(ctx)
	}
	e.Timing.Solve = time.Since(start)
	if err != nil && c.shown == 0 { // there is nothing to see yet
		e.Close()
		return nil, err
	}
	return r.conclude(ctx, err)
}

// cycleStates is the number of states in addition to those of a march.
const cycleStates = 3

// closing is the part of the error of a periodic state that is allowed for a solve.
const closing = 1e-3

// lasting is how many times longer than a period, and than the time constant of the stack, a step is that counts as
// steady.
const lasting = 1e6

// cycle is a march through periods.
type cycle struct {
	*march
	period float64 // s
	// states: that at the start, the steady one under the mean power, and what is added to the start
	begin, mean, change int
	shown               int
}

// find finds the state at the start of the period, and stores it in begin.
func (c *cycle) find(ctx context.Context, tol float64) error {
	s := c.System
	c.reporting = false
	if err := c.steadyMean(ctx); err != nil {
		return err
	}
	s.Combine(c.begin, 1, c.mean, 0, c.mean)
	last, left := 0.0, math.Inf(1)
	for n := 1; left > tol/4; n++ {
		if n > mostPeriods || n > 5 && !(left < 1e6) {
			return fmt.Errorf("%w: no periodic state was found in %d periods: the last correction is %g K",
				ErrUnsettled, n-1, last)
		}
		if c.recording = n <= 2; c.recording {
			c.rungs = nil
		}
		if err := c.lap(ctx); err != nil {
			return err
		}
		moved, err := c.correct(ctx)
		if err != nil {
			return err
		}
		ratio := 0.3
		if last > 0 {
			ratio = math.Min(0.9, moved/last)
		}
		last, left = moved, moved*ratio/(1-ratio)
		if n < 3 && moved > 0 {
			left = math.Inf(1)
		}
		c.Periods = n
	}
	return nil
}

// lap steps from begin through a period.
func (c *cycle) lap(ctx context.Context) error {
	c.System.Combine(c.now, 1, c.begin, 0, c.begin)
	c.pass++
	c.restart()
	err := c.advance(ctx)
	if err == nil && c.ranAway {
		err = fmt.Errorf("%w: there is no periodic state", ErrRunaway)
	}
	return err
}

// steadyMean solves for the steady state under the mean power.
func (c *cycle) steadyMean(ctx context.Context) error {
	if err := c.loadMean(); err != nil {
		return err
	}
	c.System.Combine(c.mean, 0, c.now, 0, c.now)
	c.System.Combine(c.driven, 0, c.now, 0, c.now)
	if err := c.within(ctx, c.long(), c.mean, c.driven); err != nil {
		return err
	}
	c.System.Combine(c.driven, 1, c.mean, 0, c.mean)
	return c.within(ctx, c.long(), c.mean, c.driven) // off by the square of what lasting leaves
}

func (c *cycle) loadMean() error {
	_, err := c.System.Load(0, c.period)
	return err
}

// long is a step that counts as steady.
func (c *cycle) long() float64 {
	return lasting * math.Max(c.period, relaxation(c.Mesh))
}

// within solves a stage of another length under the mean power.
func (c *cycle) within(ctx context.Context, dt float64, dst, from int) error {
	if err := c.retime(dt); err != nil {
		return err
	}
	ok, err := c.stage(ctx, dst, from, nil)
	if err == nil && (!ok || c.ranAway) {
		err = fmt.Errorf("%w: there is no periodic state", ErrRunaway)
	}
	return err
}

// correct applies Newton's method to the difference between the ends of the last period. It returns the largest
// correction of the state at the start, in K.
func (c *cycle) correct(ctx context.Context) (float64, error) {
	s := c.System
	if err := c.loadMean(); err != nil {
		return 0, err
	}
	s.Combine(c.change, 1, c.now, -1, c.begin)
	s.Combine(c.spare, 1, c.change, 0, c.change)
	c.ClosureK = s.Largest(c.spare)
	s.Combine(c.driven, 1, c.mean, 1, c.change)
	s.Combine(c.mid, 1, c.mean, 0, c.mean)
	if err := c.within(ctx, c.period/6, c.mid, c.driven); err != nil {
		return 0, err
	}
	long := c.long()
	s.Combine(c.driven, 1, c.mean, long/c.period, c.change)
	s.Combine(c.end, 1, c.mean, 0, c.mean)
	if err := c.within(ctx, long, c.end, c.driven); err != nil {
		return 0, err
	}
	// (end - mean) + change - (mid - mean)/2
	s.Combine(c.change, 1, c.change, 1, c.end)
	s.Combine(c.change, 1, c.change, -0.5, c.mid)
	s.Combine(c.change, 1, c.change, -0.5, c.mean)
	s.Combine(c.begin, 1, c.begin, 1, c.change)
	return s.Largest(c.change), c.Failure()
}

// show steps through the period once more, and reports its steps.
func (c *cycle) show(ctx context.Context) error {
	c.reporting = true
	c.Period = c.period
	c.Steps, c.Changes, c.LargestErrorK, c.ShortestS, c.LongestS, c.PeakK = 0, 0, 0, 0, 0, 0
	c.heat, c.errorK = heat{}, 0
	err := c.lap(ctx)
	if err == nil {
		err = c.finish()
	}
	c.shown = len(c.steps)
	if err == nil {
		c.System.Combine(c.spare, 1, c.now, -1, c.begin)
		c.ClosureK = c.System.Largest(c.spare)
		c.System.Show(c.now, c.driven)
	}
	return err
}
