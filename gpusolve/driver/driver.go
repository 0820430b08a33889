// Package driver sets an operator and its method up on a device, as the options of a solve ask.
package driver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/device"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/solution"
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

// kept is what a driver has on its device: the operator, or what stands in for it.
type kept interface {
	Err() error
	Free()
}

// ErrSlowLink leaves a steady state to multigrid, whose messages grow with the edge of the grid and not with its area.
var ErrSlowLink = errors.New("the GPUs are joined through the memory of their hosts or by TCP")

// Open opens a device, has setup make the operator and the method there, and has ready do what else belongs
// before the first solve. Where auto chose a GPU on which that fails, the processor does it again.
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
		d.Info.Ranks, d.Info.Transport = o.Ranks.Size(), "TCP"
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

// Close gives the operator and the device back.
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
