package fourier

import (
	"fmt"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/ranks"
)

// ErrNoDevice refuses devices that the method has no operations for.
var ErrNoDevice = fmt.Errorf("%w: fourier has no operations for this device", precond.ErrRefused)

// OnGPUs says whether there are kernels.
const OnGPUs = true

// New makes operations on a device, with room for the loads that it is going to get first. Where a group is not nil,
// each of its ranks makes one for its part of the grid: all ask the same of theirs, in the same order, and get the same
// numbers.
func New(d ops.Device, l *Layered, loads []Load, g ranks.Group) (Operations, error) {
	p, err := newPart(l, g)
	if err != nil {
		return nil, err
	}
	switch on := ops.Innermost(d).(type) {
	case *host.Device:
		return newOnHost(on.NewSpace(l.NX*l.NY*l.NZ, 0), l, p), nil
	case *cuda.Device:
		return newOnGPU(on, l, loads, p)
	}
	return nil, ErrNoDevice
}

// onOperator makes operations where an operator lives.
func onOperator(s ops.Operator, l *Layered) (Operations, error) {
	if on, ok := host.SpaceOf(s); ok {
		e := newOnHost(on, l, whole(l))
		e.rough = e.newModes()
		return e, nil
	}
	if on, ok := cuda.SpaceOf(s); ok {
		shared, err := on.Attribute(cudriver.MaxSharedMemoryPerBlockOptin)
		if err != nil {
			return nil, err
		}
		px, py := planFor(l.NX, shared), planFor(l.NY, shared)
		g, err := newOnSpace(on.NewIteration(), l, whole(l), px, py, tablesAhead(l, px, py))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", precond.ErrRefused, err)
		}
		g.rough = g.newModes()
		return g, on.Err()
	}
	return nil, ErrNoDevice
}

// Runs says whether the method has operations for a device.
func Runs(d ops.Device) bool {
	switch ops.Innermost(d).(type) {
	case *host.Device, *cuda.Device:
		return true
	}
	return false
}
