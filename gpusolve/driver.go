package gpusolve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// driver is an operator on a device with its method and solver: what meshes, matrices and networks are solved with. It
// is for one goroutine at a time.
type driver struct {
	dev    ops.Device
	op     ops.Operator
	kept   kept
	pre    *precond.Method
	solver krylov.Solver
	x      ops.Vector
	info   DeviceInfo
	timing Timing
	line   line
}

// kept is what a driver has on its device: the operator, or what stands in for it.
type kept interface {
	Err() error
	Free()
}

// errSlowLink leaves a steady state to multigrid, whose messages grow with the edge of the grid and not with its area.
var errSlowLink = errors.New("the GPUs are joined through the memory of their hosts or by TCP")

// openDriver opens a device, has setup make the operator and the method there, and has ready do what else belongs
// before the first solve. Where auto chose a GPU on which that fails, the processor does it again.
func (o *job) openDriver(need demand, setup, ready func(*driver) error) (*driver, error) {
	start := time.Now()
	where := o.Opening()
	dev, info, err := where.openFor(need)
	if err != nil {
		return nil, err
	}
	d, err := o.driverOn(dev, info, time.Since(start), setup, ready)
	if err == nil || o.team != nil || !where.auto() || info.Kind != "gpu" || !errors.Is(err, ErrDevice) {
		return d, err
	}
	dev, info = where.insteadOfGPU(fmt.Errorf("%s: %w", info.Name, err))
	return o.driverOn(dev, info, time.Since(start), setup, ready)
}

// driverOn sets everything up on an open device, which it closes where that fails.
func (o *job) driverOn(dev ops.Device, info DeviceInfo, opening time.Duration, setup, ready func(*driver) error) (
	*driver, error) {
	start := time.Now()
	defer dev.Bind()()
	if o.team != nil {
		on, err := o.team.join(dev, info, o.Notice)
		if err != nil {
			dev.Close()
			return nil, err
		}
		dev = on
	}
	d := &driver{dev: dev, info: info, timing: Timing{Device: opening}}
	err := setup(d)
	if err != nil {
		err = blame(err)
	} else {
		err = ready(d)
	}
	if err != nil {
		if o.Executor == nil || !errors.Is(err, errSlowLink) { // an executor is tried again with another method
			d.Close()
		}
		return nil, err
	}
	if o.team != nil {
		d.info.Ranks, d.info.Transport = o.Ranks.Size(), "TCP"
		if o.Opening().Sharing > 1 {
			d.info.Transport = "the memory of one process"
		}
		if text := o.team.transport(d.dev, o.Notice); text != "" {
			d.info.Transport = text
		}
	}
	d.timing.Setup = time.Since(start)
	return d, nil
}

// setup makes the operator and sets a method up on it.
func (d *driver) setup(method string, assemble func(ops.Device) (ops.Operator, error)) (err error) {
	if d.op, err = assemble(d.dev); d.op != nil {
		d.kept = d.op
	}
	if err != nil {
		return err
	}
	if d.solver, d.pre, err = newSolver(d.op, method); err != nil {
		return err
	}
	d.x, err = d.op.New64()
	return err
}

// prepare readies the iteration for a rule.
func (d *driver) prepare(rule krylov.Rule) error {
	d.solver.Prepare(rule, d.x)
	return d.failure()
}

// solve improves x. The error is a failure of the device; how the solve ended is in the outcome.
func (d *driver) solve(ctx context.Context, rule krylov.Rule, b ops.Source,
	progress func(iteration int, errorK float64)) (krylov.Outcome, error) {
	d.solver.Watch(progress)
	out := d.solver.Solve(ctx, rule, b, d.x)
	return out, d.failure()
}

// failure is the device's first failure, nil while all is well.
func (d *driver) failure() error {
	if err := d.kept.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
	return nil
}

// Close gives the operator and the device back.
func (d *driver) Close() {
	if d.kept != nil {
		d.kept.Free()
	}
	d.dev.Close()
}

// exchange is what leaves and enters through faces, in W.
func exchange(heat [6]float64) float64 {
	sum := 0.0
	for _, w := range heat {
		sum += math.Abs(w)
	}
	return sum
}
