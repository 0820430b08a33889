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

// Checkpoints keep states of a transient on its way, from which another run goes on with the bits that this one would
// have had.
//
// They know runs by backward Euler and by TR-BDF2 that are solved directly or by conjugate gradients, on any device.
// Where properties or powers follow the temperature, with coolant, in mixed precision and on networks there are none:
// ErrNoCheckpoint.
type Checkpoints struct {
	// Due is asked after every step that was taken, when OnStep has been told of all that it is to be told: steps is
	// how many were.
	Due func(steps int) bool
	// Save keeps the state, which write writes. An error of either ends the run; ErrNoCheckpoint of write says that
	// this state cannot be kept, and need not be returned.
	Save func(steps int, write func(io.Writer) error) error
	// From is the state to go on from, in place of the initial field, nil for a run from the start. Told are the steps
	// that OnStep was told of before.
	From io.Reader
	Told []solution.Step
}

// Errors of checkpoints.
var (
	// ErrNoCheckpoint is that of a run whose state is more than checkpoints hold.
	ErrNoCheckpoint = errors.New("no checkpoints")
	// ErrOtherRun is that of a checkpoint which another kind of run has left.
	ErrOtherRun = errors.New("the checkpoint is one of another run")
)

// keepable refuses runs whose state is more than checkpoints hold.
func (e *Engine) keepable() error {
	if e.System == nil {
		return fmt.Errorf("%w of this kind of system", ErrNoCheckpoint)
	}
	s := e.meshed
	if s == nil {
		return nil
	}
	if s.Outer != nil {
		return fmt.Errorf("%w: properties or powers of this stack follow the temperature, and the iteration over "+
			"them goes by more than its states", ErrNoCheckpoint)
	}
	if _, ok := s.Solver.(meshed.SnapshotSolver); !ok {
		return fmt.Errorf("%w with %s: conjugate gradients in the usual precision and the direct solver have them",
			ErrNoCheckpoint, solution.MethodText(s.Solver.Name(), s.Pre.Name()))
	}
	return nil
}

// kind names what the bits of a run depend on beside its inputs and options.
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

// identify writes what kind of run it is, or refuses a checkpoint of another.
func (e *Engine) identify(c *snapshot.Coder, stepping string) {
	for _, is := range e.kind(stepping) {
		was := is
		if c.Text(&was, mostText); c.Err() == nil && was != is {
			c.Fail(fmt.Errorf("%w: it was %s, and is %s", ErrOtherRun, was, is))
		}
	}
}

// save keeps a state where it is due.
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

// load reads a state back, first what state takes.
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

// snapshotOutcome takes how a solve ended.
func snapshotOutcome(c *snapshot.Coder, o *krylov.Outcome) {
	reason := int(o.Reason)
	c.Int(&o.Iterations, &reason)
	o.Reason = krylov.Reason(reason)
	c.Float(&o.Norms.Residual, &o.Norms.Source, &o.Norms.Floor, &o.ErrorK)
	c.Float(&o.Start.Norms.Residual, &o.Start.Norms.Source, &o.Start.Norms.Floor, &o.Start.ErrorK, &o.Start.PlainK)
	c.Bool(&o.Converged)
}
