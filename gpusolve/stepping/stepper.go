package stepping

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// TransientOptions describe the time steps.
type TransientOptions struct {
	Steps int
	Dt    float64 // s
	// Initial is the field at the start on the planes of the mesh; nil stands for the stack's uniform initial
	// temperature. Of several ranks that of rank 0 counts.
	Initial solution.Field
	// OnStep is called for every step, in order, with the field at its end; an error stops the run. May be nil.
	OnStep func(step solution.Step, f solution.Field) error
	// Regions are those whose statistics OnStep asks of every field, which then are taken with the step; may be nil.
	// Reads says whether OnStep reads more than these of the field at the end of step n, from 1; nil stands for every
	// step. Where it does not, a device may go on while OnStep is told of former steps, whose fields have nothing but
	// the statistics. An error of OnStep then stops the run up to a tenth of a second later.
	Regions *reduction.Regions
	Reads   func(n int) bool
	// Checkpoints keep states on the way, and may have one to go on from; may be nil.
	Checkpoints *Checkpoints
}

// Check refuses steps that lead nowhere.
func (t *TransientOptions) Check() error {
	if t.Steps < 1 || !(t.Dt > 0) || math.IsInf(t.Dt, 0) {
		return fmt.Errorf("%w: %d steps of %g s; both must be positive", solution.ErrOption, t.Steps, t.Dt)
	}
	return nil
}

// Transient steps through time. The engine is closed with the solution, or where there is none.
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

// ErrRunaway ends a step in which leakage grows faster than the heat that leaves, so that it has no end.
var ErrRunaway = errors.New("thermal runaway")

func (r *stepper) run(ctx context.Context) error {
	a, err := r.aheadOf()
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

// step takes step n and looks at what it came to.
func (r *stepper) step(ctx context.Context, n int) error {
	step, err := r.solve(ctx, n)
	if err != nil {
		return err
	}
	return r.tell(step, r.plan.OnStep, r.plan.Regions)
}

// solve advances from n dt to (n+1) dt. The state before the step is kept until the new one is complete.
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
// end below their parts; what they leave is for those behind.
func (r *stepper) allowance(n int) float64 {
	all := r.opts.Tolerance()
	left, steps := all-r.errorK, float64(r.plan.Steps)
	if !(left > 0) {
		return all
	}
	return math.Max(all, left*steps/(steps-float64(n)))
}
