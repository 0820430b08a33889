package gpusolve

import (
	"context"
	"fmt"
	"time"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// driver is an operator on a device with its method and solver: what meshes, matrices and networks are solved with. It is for one goroutine at a time.
type driver struct {
	dev    ops.Device
	op     ops.Operator
	pre    *precond.Method
	solver krylov.Solver
	x      ops.Vector
	info   DeviceInfo
	timing Timing
}

// openDriver opens a device, has assemble make the operator there, and sets the method of the options up on it.
func (o *Options) openDriver(need demand, assemble func(ops.Device) (ops.Operator, error)) (*driver, error) {
	start := time.Now()
	dev, info, err := o.openFor(need)
	if err != nil {
		return nil, err
	}
	d := &driver{dev: dev, info: info, timing: Timing{Device: time.Since(start)}}
	start = time.Now()
	defer dev.Bind()()
	if err := d.setup(o.Preconditioner, assemble); err != nil {
		d.close()
		return nil, blame(err)
	}
	d.timing.Setup = time.Since(start)
	return d, nil
}

func (d *driver) setup(method string, assemble func(ops.Device) (ops.Operator, error)) (err error) {
	if d.op, err = assemble(d.dev); err != nil {
		return err
	}
	if d.solver, d.pre, err = newSolver(d.op, method); err != nil {
		return err
	}
	d.x, err = d.op.New64()
	return err
}

// prepare readies the iteration for a rule. Its time counts as set-up.
func (d *driver) prepare(rule krylov.Rule) error {
	start := time.Now()
	d.solver.Prepare(rule, d.x)
	d.timing.Setup += time.Since(start)
	return d.failure()
}

// solve improves x. The error is a failure of the device; how the solve ended is in the outcome.
func (d *driver) solve(ctx context.Context, rule krylov.Rule, b ops.Source, progress func(iteration int, errorK float64)) (krylov.Outcome, error) {
	d.solver.Watch(progress)
	out := d.solver.Solve(ctx, rule, b, d.x)
	return out, d.failure()
}

// failure is the device's first failure, nil while all is well.
func (d *driver) failure() error {
	if err := d.op.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrDevice, err)
	}
	return nil
}

// close gives the operator and the device back.
func (d *driver) close() {
	if d.op != nil {
		d.op.Free()
	}
	d.dev.Close()
}
