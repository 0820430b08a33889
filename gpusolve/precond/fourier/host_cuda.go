package fourier

import (
	"fmt"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// ErrNoDevice refuses devices that the method has no operations for.
var ErrNoDevice = fmt.Errorf("%w: fourier has no operations for this device", precond.ErrRefused)

// OnGPUs says whether there are kernels.
const OnGPUs = false

// New makes an executor on a device.
func New(d ops.Device, l *Layered) (Executor, error) {
	if inner, ok := d.(interface{ Unwrap() ops.Device }); ok {
		d = inner.Unwrap()
	}
	if on, ok := d.(*host.Device); ok {
		return newOnHost(on.NewSpace(l.NX*l.NY*l.NZ, 0), l), nil
	}
	return nil, ErrNoDevice
}

// onOperator makes an executor where an operator lives.
func onOperator(s ops.Operator, l *Layered) (Executor, error) {
	if on, ok := host.SpaceOf(s); ok {
		e := newOnHost(on, l)
		e.rough = e.newModes()
		return e, nil
	}
	return nil, ErrNoDevice
}

// Runs says whether the method has operations for a device.
func Runs(d ops.Device) bool {
	if inner, ok := d.(interface{ Unwrap() ops.Device }); ok {
		d = inner.Unwrap()
	}
	_, ok := d.(*host.Device)
	return ok
}
