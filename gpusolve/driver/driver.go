// Package driver sets up an operator and its method on a device, according to the options of a solve.
package driver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"thermsim/gpusolve/device"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/snapshot"
	"thermsim/gpusolve/solution"
	"thermsim/powermap"
)

// Driver is an operator on a device with its method and solver: what meshes, matrices and networks are solved with. It
// is for one goroutine at a time.
type Driver struct {
	Dev    ops.Device
	Op     ops.Operator
	Kept   kept
	Pre    *precond.Instance
	Solver krylov.Solver
	X      ops.Vector
	Info   solution.DeviceInfo
	Timing solution.Timing
	Line   line
}

// kept is what a driver holds on its device: the operator, or a replacement for it.
type kept interface {
	Err() error
	Free()
}

// ErrSlowLink makes multigrid solve a steady state: the size of its messages grows with the edge of the grid, not with
// its area.
var ErrSlowLink = errors.New("the GPUs communicate through host memory")

// Open opens a device, calls setup for the operator and the method, and ready for other preparations of the first
// solve. If auto chose a GPU and that fails, it repeats them on the processor.
func (o *Job) Open(need device.Demand, setup, ready func(*Driver) error) (*Driver, error) {
	start := time.Now()
	where := o.Opening()
	dev, info, err := where.Open(need)
	if err != nil {
		return nil, err
	}
	d, err := o.driverOn(dev, info, time.Since(start), setup, ready)
	if err == nil || o.Team != nil || !where.Auto() || info.Kind != "gpu" || !errors.Is(err, solution.ErrDevice) {
		return d, err
	}
	dev, info = where.InsteadOfGPU(fmt.Errorf("%s: %w", info.Name, err))
	return o.driverOn(dev, info, time.Since(start), setup, ready)
}

// driverOn sets everything up on an open device, which it closes where that fails.
func (o *Job) driverOn(dev ops.Device, info solution.DeviceInfo, opening time.Duration, setup,
	ready func(*Driver) error) (*Driver, error) {
	start := time.Now()
	defer dev.Bind()()
	if o.Team != nil {
		on, err := o.Team.Join(dev, info, o.Notice)
		if err != nil {
			dev.Close()
			return nil, err
		}
		dev = on
	}
	d := &Driver{Dev: dev, Info: info, Timing: solution.Timing{Device: opening}}
	err := setup(d)
	if err != nil {
		err = methods.Blame(err)
	} else {
		err = ready(d)
	}
	if err != nil {
		if o.Executor == nil || !errors.Is(err, ErrSlowLink) { // an executor is tried again with another method
			d.Close()
		}
		return nil, err
	}
	if o.Team != nil {
		d.Info.Ranks, d.Info.Transport = o.Ranks.Size(), "MPI"
		if o.Opening().Sharing > 1 {
			d.Info.Transport = "the memory of one process"
		}
		if text := o.Team.Transport(d.Dev, o.Notice); text != "" {
			d.Info.Transport = text
		}
	}
	d.Timing.Setup = time.Since(start)
	return d, nil
}

// Setup makes the operator and sets a method up on it.
func (d *Driver) Setup(method string, assemble func(ops.Device) (ops.Operator, error)) (err error) {
	if d.Op, err = assemble(d.Dev); d.Op != nil {
		d.Kept = d.Op
	}
	if err != nil {
		return err
	}
	if d.Solver, d.Pre, err = methods.SetUp(d.Op, method); err != nil {
		return err
	}
	d.X, err = d.Op.New64()
	return err
}

// Prepare readies the iteration for a rule.
func (d *Driver) Prepare(rule krylov.Rule) error {
	d.Solver.Prepare(rule, d.X)
	return d.Failure()
}

// Improve improves x. The error is a failure of the device; how the solve ended is in the outcome.
func (d *Driver) Improve(ctx context.Context, rule krylov.Rule, b ops.Source, progress Watch) (krylov.Outcome, error) {
	d.Solver.Watch(progress)
	out := d.Solver.Solve(ctx, rule, b, d.X)
	return out, d.Failure()
}

// Failure is the device's first failure, nil while all is well.
func (d *Driver) Failure() error {
	if err := d.Kept.Err(); err != nil {
		return fmt.Errorf("%w: %w", solution.ErrDevice, err)
	}
	return nil
}

func (d *Driver) Close() {
	if d.Kept != nil {
		d.Kept.Free()
	}
	d.Dev.Close()
}

// Exchange is what leaves and enters through faces, in W.
func Exchange(heat [6]float64) float64 {
	sum := 0.0
	for _, w := range heat {
		sum += math.Abs(w)
	}
	return sum
}

// headway detects an error estimate that no longer decreases: multigrid that reduces it by less than half in window
// iterations is slower than any of its successors.
type headway struct {
	best [window]float64 // the least estimate up to an iteration, of the last ones
	n    int
}

const window = 20

// lost adds the estimate of the next iteration. NaN, where there is no estimate yet, counts as no headway.
func (h *headway) lost(errorK float64) bool {
	now := errorK
	if math.IsNaN(now) {
		now = math.Inf(1)
	}
	if h.n > 0 {
		now = math.Min(now, h.best[(h.n-1)%window])
	}
	before := h.best[h.n%window]
	h.best[h.n%window] = now
	h.n++
	return h.n > window && now > before/2
}

// line lists the methods that tried to solve a system before the present one.
type line struct {
	Tried []string // each with why it gave up
	Next  int      // of the successors
}

// String lists the methods that stalled, in order.
func (l *line) String(now string) string {
	if len(l.Tried) == 0 {
		return ""
	}
	return strings.Join(l.Tried, ", ") + "; " + now + " took over"
}

// Attempt runs the default method until it is done or makes no headway.
func (d *Driver) Attempt(ctx context.Context, rule krylov.Rule, b ops.Source, watch Watch) (krylov.Outcome, error) {
	watched, stop := context.WithCancel(ctx)
	defer stop()
	var h headway
	out, err := d.Improve(watched, rule, b, func(n int, errorK float64) {
		if watch != nil {
			watch(n, errorK)
		}
		if h.lost(errorK) {
			stop()
		}
	})
	if out.Reason == krylov.Interrupted && ctx.Err() == nil {
		out.Reason = krylov.Stagnation
	}
	return out, err
}

// Powers are the powers of the steps of a time stepper.
type Powers struct {
	Supply powermap.Supply                 // nil in a steady state
	Put    func(layers []powermap.Drawing) // makes the right-hand side of them
	Watts  float64                         // of the current step
	Drawn  [2]float64                      // s, the time that was drawn last
}

// Draw puts the mean power from t0 to t1 into the right-hand side.
func (p *Powers) Draw(t0, t1 float64) error {
	layers, err := p.Supply.Over(t0, t1)
	if err == nil {
		p.Put(layers)
		p.Drawn = [2]float64{t0, t1}
	}
	return err
}

// Load draws the mean power from t0 to t1, and returns it in W.
func (p *Powers) Load(t0, t1 float64) (float64, error) {
	watts, err := p.Supply.MeanWatts(t0, t1)
	if err == nil {
		err = p.Draw(t0, t1)
	}
	if err != nil {
		return 0, err
	}
	p.Watts = watts
	return watts, nil
}

// Step draws the power of step n from t0 to t1, unless it equals that of the step of dt before it. The power of the
// first step has been drawn already.
func (p *Powers) Step(n int, dt, t0, t1 float64) (changed bool, err error) {
	switch {
	case n == 0:
		p.Watts, err = p.Supply.MeanWatts(t0, t1)
		return false, err
	case !p.Supply.Changed(t0-dt, t0, t0, t1):
		return false, nil
	}
	_, err = p.Load(t0, t1)
	return true, err
}

// Snapshot saves or restores the time of the drawn power and the settings. After reading it draws the power again.
func (p *Powers) Snapshot(c *snapshot.Coder) {
	c.Values(p.Drawn[:])
	controls, set := p.Supply.(*powermap.Controls)
	stale := false
	if set {
		settings := controls.Settings()
		for n := range settings {
			c.Float(&settings[n].Watts, &settings[n].Factor)
		}
		stale = controls.Stale()
		c.Bool(&stale)
		if c.Err() == nil && c.Reading() {
			controls.SetAll(settings)
		}
	}
	if c.Err() == nil && c.Reading() {
		if err := p.Draw(p.Drawn[0], p.Drawn[1]); err != nil {
			c.Fail(err)
		}
		if stale {
			controls.Touch()
		}
	}
	c.Float(&p.Watts)
}
