package stepping

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/meshed"
	"thermsim/gpusolve/snapshot"
	"thermsim/gpusolve/solution"
)

// Checkpoints save states of a transient, from which another run continues with the same bits.
//
// They support backward Euler and TR-BDF2, solved directly or by conjugate gradients, on any device.
// Temperature-dependent properties, leakage, coolant, mixed precision and networks are not supported: ErrNoCheckpoint.
type Checkpoints struct {
	// Due is called after every step, when all its calls of OnStep are done; steps is the number of steps so far.
	Due func(steps int) bool
	// Save saves the state by calling write. An error of either ends the run, except that Save may ignore
	// ErrNoCheckpoint of write: this state cannot be saved.
	Save func(steps int, write func(io.Writer) error) error
	// From is the state to continue from in place of the initial field, nil for a run from the start. Reported are the
	// steps that were reported to OnStep before.
	From     io.Reader
	Reported []solution.Step
}

var (
	// ErrNoCheckpoint is the error of a run whose state checkpoints do not support.
	ErrNoCheckpoint = errors.New("no checkpoints")
	// ErrOtherRun is the error of a checkpoint of a different kind of run.
	ErrOtherRun = errors.New("the checkpoint is one of another run")
)

// keepable refuses runs whose state checkpoints do not support.
func (e *Engine) keepable() error {
	if e.System == nil {
		return fmt.Errorf("%w of this kind of system", ErrNoCheckpoint)
	}
	s := e.meshed
	if s == nil {
		return nil
	}
	if s.Outer != nil {
		return fmt.Errorf("%w: properties or powers of this stack depend on temperature, and the state of the "+
			"iteration over them is not saved", ErrNoCheckpoint)
	}
	if _, ok := s.Solver.(meshed.SnapshotSolver); !ok {
		return fmt.Errorf("%w with %s; use conjugate gradients in default precision, or the direct solver",
			ErrNoCheckpoint, solution.MethodText(s.Solver.Name(), s.Pre.Name()))
	}
	return nil
}

// kind lists what the bits of a run depend on, apart from its inputs and options.
func (e *Engine) kind(stepping string) []string {
	device := e.Info.Kind
	if device == "gpu" {
		device += " " + e.Info.Name
	}
	return []string{stepping, e.MethodText(), device, runtime.GOARCH,
		fmt.Sprintf("%d x %d x %d cells", e.Mesh.NX(), e.Mesh.NY(), e.Mesh.NZ())}
}

// mostText bounds names in checkpoints.
const mostText = 1 << 12

// identify writes the kind of run, or refuses a checkpoint of a different kind.
func (e *Engine) identify(c *snapshot.Coder, stepping string) {
	for _, is := range e.kind(stepping) {
		was := is
		if c.Text(&was, mostText); c.Err() == nil && was != is {
			c.Fail(fmt.Errorf("%w: it was %s, and is %s", ErrOtherRun, was, is))
		}
	}
}

// save saves a state.
func (p *Checkpoints) save(e *Engine, steps int, stepping string, state func(c *snapshot.Coder)) error {
	return p.Save(steps, func(w io.Writer) error {
		if len(e.Line.Tried) > 0 {
			return fmt.Errorf("%w: %s; name it with --precond for a run with checkpoints", ErrNoCheckpoint,
				e.Line.String(e.Pre.Name()))
		}
		c := snapshot.NewWriter(w)
		e.identify(c, stepping)
		state(c)
		e.System.Snapshot(c)
		return errors.Join(c.Err(), e.Failure())
	})
}

// load restores a state, first the part that the function state reads.
func (p *Checkpoints) load(e *Engine, stepping string, state func(c *snapshot.Coder)) error {
	c := snapshot.NewReader(p.From)
	e.identify(c, stepping)
	if c.Err() == nil {
		state(c)
	}
	if c.Err() == nil {
		e.System.Snapshot(c)
	}
	if err := c.Err(); err != nil {
		return fmt.Errorf("reading the checkpoint: %w", err)
	}
	return e.Failure()
}

// snapshotOutcome saves or restores the outcome of a solve.
func snapshotOutcome(c *snapshot.Coder, o *krylov.Outcome) {
	reason := int(o.Reason)
	c.Int(&o.Iterations, &reason)
	o.Reason = krylov.Reason(reason)
	c.Float(&o.Norms.Residual, &o.Norms.Source, &o.Norms.Floor, &o.ErrorK)
	c.Float(&o.Start.Norms.Residual, &o.Start.Norms.Source, &o.Start.Norms.Floor, &o.Start.ErrorK, &o.Start.PlainK)
	c.Bool(&o.Converged)
}

// methodEuler is the method of fixed time steps.
const methodEuler = "backward Euler"

// begin starts from the initial field, unless there is a checkpoint to continue from.
func (e *Engine) begin(p *Checkpoints, initial solution.Field) (resumes bool, err error) {
	if p != nil {
		if err := e.keepable(); err != nil {
			return false, err
		}
		if p.From != nil {
			return true, nil
		}
	}
	return false, e.Begin(initial)
}

func (r *stepper) start() error {
	p := r.plan.Checkpoints
	resumes, err := r.begin(p, r.plan.Initial)
	if err != nil || !resumes {
		return err
	}
	r.steps = append(r.steps, p.Reported...)
	return p.load(r.Engine, methodEuler, r.snapshot)
}

// due says whether the state after a number of steps is to be saved.
func (p *Checkpoints) due(steps int) bool { return p != nil && p.Due != nil && p.Due(steps) }

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

// goOn restores the checkpoint.
func (r *march) goOn() error {
	p := r.plan.Checkpoints
	r.steps = append(r.steps, p.Reported...)
	if err := p.load(r.Engine, solution.MethodTRBDF2, r.snapshot); err != nil {
		return err
	}
	r.resumed, r.continued = true, true // a state is saved after a step
	r.System.Show(r.now, r.driven)
	return r.Failure()
}

// keepState saves the present state where it is due.
func (r *march) keepState() error {
	if p := r.plan.Checkpoints; p.due(r.Steps) {
		return p.save(r.Engine, r.Steps, solution.MethodTRBDF2, r.snapshot)
	}
	return nil
}

func (r *march) snapshot(c *snapshot.Coder) {
	reported, asked := len(r.steps), len(r.moments)
	c.Int(&reported, &asked)
	if c.Err() == nil && (reported != len(r.steps) || asked < 0 || asked > len(r.moments)) {
		c.Fail(fmt.Errorf("%w: a state after %d moments, of which %d are known", snapshot.ErrFormat, reported,
			len(r.steps)))
		return
	}
	r.moments = r.moments[len(r.moments)-asked:]
	c.Int(&r.now, &r.mid, &r.end, &r.ahead, &r.driven, &r.spare, &r.steady, &r.line, &r.since, &r.iterations)
	dt := r.dt
	c.Float(&r.time, &r.lastStep, &r.lastError, &r.trend, &dt, &r.power, &r.errorK)
	c.Bool(&r.last, &r.fresh, &r.allConverged)
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

// mostCavities limits the number of cavities in a checkpoint.
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
