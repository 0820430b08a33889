package stepping

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// TransientOptions describe the time steps.
type TransientOptions struct {
	Steps int
	Dt    float64 // s
	// Initial is the field at the start on the planes of the mesh; nil selects the stack's uniform initial temperature.
	// Of several ranks that of rank 0 counts.
	Initial solution.Field
	// OnStep is called for every step, in order, with the field at its end; an error stops the run. May be nil.
	OnStep func(step solution.Step, f solution.Field) error
	// Regions are those whose statistics OnStep asks of every field, which then are taken with the step; may be nil.
	// Reads says whether OnStep reads more than these of the field at the end of step n, from 1; nil means every step.
	// Where it does not, a device may continue while OnStep is called for former steps, whose fields have nothing but
	// the statistics. An error of OnStep then stops the run up to a tenth of a second later.
	Regions *reduction.Regions
	Reads   func(n int) bool
	// Checkpoints keep states on the way, and may have one to go on from; may be nil.
	Checkpoints *Checkpoints
}

// Check refuses invalid options.
func (t *TransientOptions) Check() error {
	if t.Steps < 1 || !(t.Dt > 0) || math.IsInf(t.Dt, 0) {
		return fmt.Errorf("%w: %d steps of %g s; both must be positive", solution.ErrOption, t.Steps, t.Dt)
	}
	return nil
}

// Transient steps through time. The solution closes the engine; without a solution it is closed here.
func (e *Engine) Transient(ctx context.Context, o driver.Options, t TransientOptions) (*solution.Solution, error) {
	defer e.Dev.Bind()()
	start := time.Now()
	r := &stepper{course: course{Engine: e, steps: []solution.Step{}, allConverged: true}, opts: o, plan: t}
	if err := r.start(); err != nil {
		e.Close()
		return nil, err
	}
	err := r.run(ctx)
	e.lastGain(ctx, &o)
	e.Timing.Solve = time.Since(start)
	s := r.course.solution(&r.opts, t.Steps, len(r.steps), len(r.steps) < t.Steps)
	if n := len(r.steps); n > 0 {
		last := &r.steps[n-1]
		s.Energy = r.Balance(last.PowerW-last.LeakageW, last.LeakageW, r.Stored())
	} else {
		s.Energy = r.Balance(0, 0, 0)
	}
	s.Dt = t.Dt
	return r.result(s, err)
}

// stepper is a transient run in progress.
type stepper struct {
	course
	opts driver.Options
	plan TransientOptions
}

// ErrRunaway is the error of a step without a solution, because leakage grows faster than the heat flow out of the
// stack.
var ErrRunaway = errors.New("thermal runaway")

func (r *stepper) run(ctx context.Context) error {
	a, err := r.newLookahead()
	if err != nil {
		return err
	}
	if a != nil {
		return a.run(ctx)
	}
	for n := len(r.steps); n < r.plan.Steps; n++ {
		err := r.step(ctx, n)
		if r.ranAway && (err == nil || errors.Is(err, ErrRunaway)) {
			return nil
		}
		if err == nil && r.plan.Checkpoints.due(n+1) {
			err = r.keepState()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step takes and reports step n.
func (r *stepper) step(ctx context.Context, n int) error {
	step, err := r.solve(ctx, n)
	if err != nil {
		return err
	}
	return r.report(step, r.plan.OnStep, r.plan.Regions)
}

// solve advances from n dt to (n+1) dt. It keeps the former state until the new one is complete.
func (r *stepper) solve(ctx context.Context, n int) (solution.Step, error) {
	t0, t1 := float64(n)*r.plan.Dt, float64(n+1)*r.plan.Dt
	o := r.opts
	o.Tol = r.allowance(n)
	step, out, err := r.AdvanceBy(ctx, &o, n, r.plan.Steps, t0, t1)
	r.ranAway = out.Reason == krylov.Runaway && (err == nil || errors.Is(err, ErrRunaway))
	if err != nil {
		return solution.Step{}, err
	}
	r.out = out
	r.count(out)
	r.judge(out)
	return step, nil
}

// allowance is the tolerance in K of a run of which step n takes one of as many equal parts as there are steps. Solves
// end below their parts; later steps get the rest.
func (r *stepper) allowance(n int) float64 {
	all := r.opts.Tolerance()
	left, steps := all-r.errorK, float64(r.plan.Steps)
	if !(left > 0) {
		return all
	}
	return math.Max(all, left*steps/(steps-float64(n)))
}

// course is a run in time and its results so far.
type course struct {
	*Engine
	steps        []solution.Step // grows with the finished steps, as the run may end early
	out          krylov.Outcome
	iterations   int
	errorK       float64 // sum of the estimates
	allConverged bool
	firstFailure krylov.Outcome
	ranAway      bool // the run ends with this step
}

// count adds a solve.
func (c *course) count(out krylov.Outcome) {
	c.iterations += out.Iterations
	c.errorK += out.ErrorK
}

// judge records the first solve that did not converge.
func (c *course) judge(out krylov.Outcome) {
	if !out.Converged && c.allConverged {
		c.allConverged, c.firstFailure = false, out
	}
}

// report records a finished step, and reports it with its field, whose statistics of regions are taken before.
func (c *course) report(step solution.Step, onStep func(solution.Step, solution.Field) error,
	regions *reduction.Regions) error {
	f := c.Field()
	if c.team == nil && onStep != nil && regions != nil && solution.ReducerOf(f) != nil {
		values, err := solution.Reduce(f, regions)
		if err != nil {
			return err
		}
		step.MaxK = values.Hottest()
		f = &fields.Seen{Of: f, Regions: regions, Values: values}
	}
	if _, seen := f.(*fields.Seen); !seen || !regions.PlanePeaks {
		step.MaxK = c.Hottest() + c.Ambient
	}
	c.steps = append(c.steps, step)
	switch {
	case c.team != nil:
		return c.team.Show(onStep, step, f.(team.Shared))
	case onStep == nil:
		return nil
	}
	return onStep(step, f)
}

// solution reports the last finished step, and the first solve that failed to converge if any did. The direct solver is
// judged by its residual, as one of a number of systems, for all solves.
func (c *course) solution(o *driver.Options, systems, solves int, interrupted bool) *solution.Solution {
	out := c.out
	if d := c.Direct; d != nil && solves > 0 {
		out = d.Conclude(o, systems)
		c.errorK = out.ErrorK * float64(solves)
	}
	if !c.allConverged {
		out.Converged, out.Reason = false, c.firstFailure.Reason
	}
	s := c.Engine.solution(out)
	s.Status.IterationsTotal, s.Status.EstimatedErrorK = c.iterations, c.errorK
	switch {
	case c.ranAway:
		s.Status.Converged, s.Status.Reason = false, solution.ReasonRunaway
	case interrupted:
		s.Status.Converged, s.Status.Reason = false, solution.ReasonInterrupted
	}
	s.Steps = c.steps
	return s
}

// result is the solution with the balance of its heat, of a run that ended with an error or nil. The solution closes
// the engine; without a solution it is closed here.
func (c *course) result(s *solution.Solution, err error) (*solution.Solution, error) {
	if solution.AtRest(c.Mesh, s) {
		s.Energy.ImbalanceRel = 0
	}
	s.CheckBalance(c.Mesh)
	if failed := c.Failure(); failed != nil {
		c.Close()
		return nil, failed
	}
	return s, err
}

// AdvanceBy takes step n of steps, from t0 to t1 in s, each of which gets an equal part of the tolerance of o. Where it
// fails, or ends in a runaway without a state at its end, the state is again that before the step.
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
	if ctx.Err() == nil { // solves that end at their first iteration do not check the context
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
		e.Retreat() // the state is only partly solved
		return solution.Step{}, out, err
	}
	leaking := e.leaking()
	return solution.Step{Time: t1, Iterations: out.Iterations, Converged: out.Converged, PowerW: power + leaking,
		LeakageW: leaking}, out, nil
}

// MaxLookahead is the largest number of steps that are taken before their results are read.
const MaxLookahead = 64

// LookaheadTime limits the time of these steps, and so the delay of an interrupt or of an error of OnStep. Tests extend
// it for slow machines.
var LookaheadTime = 50 * time.Millisecond

// lookahead is a stepper that takes several steps before it reads their results.
type lookahead struct {
	*stepper
	series  reduction.Series
	pending []solution.Step
	most    int // steps to take together
}

// aheadOf is that stepper, nil where each step must be read at once.
func (r *stepper) newLookahead() (*lookahead, error) {
	if r.Direct == nil || r.team != nil || r.plan.OnStep == nil || r.plan.Reads == nil || r.plan.Regions == nil {
		return nil, nil
	}
	s, err := r.Direct.Series(r.plan.Regions, min(MaxLookahead, r.plan.Steps))
	if s == nil || err != nil {
		return nil, err
	}
	return &lookahead{stepper: r, series: s, most: 1}, nil
}

// run reports steps while the device works on the next ones, except where the field of the last one is read.
func (a *lookahead) run(ctx context.Context) error {
	var all []*reduction.Values // of the steps before
	var err error
	for n := len(a.steps); n < a.plan.Steps && err == nil; {
		start := time.Now()
		var took int
		var pending []solution.Step
		pending, err = a.take(ctx, n)
		if failed := a.look(all); failed != nil {
			if a.pending = pending; len(pending) > 0 {
				a.keep(a.series.Read(len(pending))) // they are finished, though not reported
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
		// The next steps are as many as fit into the time at this rate.
		a.most = max(1,
			min(MaxLookahead, 2*a.most, int(float64(took)*float64(LookaheadTime)/float64(max(1, time.Since(start))))))
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

// take takes steps from n on, up to one whose field is read.
func (a *lookahead) take(ctx context.Context, n int) (steps []solution.Step, err error) {
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

// look reports the pending steps, whose statistics were read.
func (a *lookahead) look(all []*reduction.Values) error {
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

// keep adds the pending steps to the finished ones.
func (a *lookahead) keep(all []*reduction.Values) {
	for i := range a.pending {
		a.pending[i].MaxK = all[i].Hottest()
	}
	a.steps = append(a.steps, a.pending...)
	a.pending = nil
}
