package stepping

import (
	"fmt"

	"thermsim/gpusolve/snapshot"
	"thermsim/gpusolve/solution"
)

// methodEuler is the method of steps of one length.
const methodEuler = "backward Euler"

// start takes the initial field, or goes on from a checkpoint.
func (r *stepper) start() error {
	p := r.plan.Checkpoints
	if p == nil {
		return r.Begin(r.plan.Initial)
	}
	if err := r.keepable(); err != nil {
		return err
	}
	if p.From == nil {
		return r.Begin(r.plan.Initial)
	}
	r.steps = append(r.steps, p.Told...)
	return p.load(r.Engine, methodEuler, r.snapshot)
}

// due says that a state is to be kept after so many steps.
func (p *Checkpoints) due(steps int) bool { return p != nil && p.Due != nil && p.Due(steps) }

// keepState keeps the present state.
func (r *stepper) keepState() error {
	return r.plan.Checkpoints.save(r.Engine, len(r.steps), methodEuler, r.snapshot)
}

func (r *stepper) snapshot(c *snapshot.Coder) {
	taken := len(r.steps)
	if c.Int(&taken); c.Err() == nil && taken != len(r.steps) {
		c.Fail(fmt.Errorf("%w: a state after %d steps, of which %d are known", snapshot.ErrFormat, taken, len(r.steps)))
	}
	snapshotOutcome(c, &r.out)
	snapshotOutcome(c, &r.firstFailure)
	c.Int(&r.iterations)
	c.Float(&r.errorK)
	c.Bool(&r.allConverged)
}

// start takes the initial field, or goes on from a checkpoint.
func (r *march) start(initial solution.Field) error {
	p := r.plan.Checkpoints
	if p != nil {
		if err := r.keepable(); err != nil {
			return err
		}
	}
	if p == nil || p.From == nil {
		return r.Begin(initial)
	}
	return nil
}

// goOn takes a checkpoint up.
func (r *march) goOn() error {
	p := r.plan.Checkpoints
	if p == nil || p.From == nil {
		return nil
	}
	r.steps = append(r.steps, p.Told...)
	if err := p.load(r.Engine, solution.MethodTRBDF2, r.snapshot); err != nil {
		return err
	}
	r.resumed = true
	r.System.Show(r.now, r.driven)
	return r.Failure()
}

// keepState keeps the present state where it is due.
func (r *march) keepState() error {
	if p := r.plan.Checkpoints; p.due(r.Steps) {
		return p.save(r.Engine, r.Steps, solution.MethodTRBDF2, r.snapshot)
	}
	return nil
}

func (r *march) snapshot(c *snapshot.Coder) {
	told, asked := len(r.steps), len(r.moments)
	c.Int(&told, &asked)
	if c.Err() == nil && (told != len(r.steps) || asked < 0 || asked > len(r.moments)) {
		c.Fail(fmt.Errorf("%w: a state after %d moments, of which %d are known", snapshot.ErrFormat, told,
			len(r.steps)))
		return
	}
	r.moments = r.moments[len(r.moments)-asked:]
	c.Int(&r.now, &r.mid, &r.end, &r.ahead, &r.driven, &r.spare, &r.steady, &r.line, &r.since, &r.iterations)
	dt := r.dt
	c.Float(&r.time, &r.lastStep, &dt, &r.power, &r.errorK)
	c.Bool(&r.last, &r.ready, &r.grow, &r.fresh, &r.allConverged)
	snapshotOutcome(c, &r.out)
	snapshotOutcome(c, &r.firstFailure)
	r.ladder.snapshot(c)
	r.endFlows.snapshot(c)
	r.midFlows.snapshot(c)
	q := &r.heat
	c.Float(&q.in, &q.stored, &q.leaked)
	c.Values(q.faces[:])
	c.Floats(&q.coolant, mostCavities)
	s := &r.Stepping
	c.Int(&s.Steps, &s.Rejected, &s.Solves, &s.Setups, &s.Changes)
	c.Float(&s.LargestErrorK, &s.ShortestS, &s.LongestS, &s.PeakK, &s.PeakS, &s.RestK)
	c.Bool(&s.Steady)
	if c.Err() != nil || !c.Reading() {
		return
	}
	for _, n := range []int{r.now, r.mid, r.end, r.ahead, r.driven, r.spare} {
		if n < 0 || n >= marchStates {
			c.Fail(fmt.Errorf("%w: state %d of %d", snapshot.ErrFormat, n, marchStates))
			return
		}
	}
	if dt != r.dt {
		r.dt = dt
		if err := r.System.Retime(dt); err != nil {
			c.Fail(err)
		}
	}
}

// mostCavities bounds what a checkpoint may say of coolant.
const mostCavities = 1 << 20

func (f *flows) snapshot(c *snapshot.Coder) {
	c.Float(&f.leaking, &f.held)
	c.Values(f.faces[:])
	c.Floats(&f.coolant, mostCavities)
}

func (l *ladder) snapshot(c *snapshot.Coder) {
	c.Float(&l.unit, &l.start, &l.end, &l.own, &l.at)
	c.Int(&l.rung, &l.first)
}
