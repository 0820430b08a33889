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
		return newOnHost(on.NewSpace(l.NX*l.NY*l.NZ, 0), l, p)
	case *cuda.Device:
		return newOnGPU(on, l, loads, p)
	}
	return nil, precond.Lacks("fourier")
}

// onOperator makes operations where an operator lives.
func onOperator(s ops.Operator, l *Layered) (Operations, error) {
	if on, ok := host.SpaceOf(s); ok {
		e, err := newOnHost(on, l, whole(l))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", precond.ErrRefused, err)
		}
		e.rough = e.newModes()
		return e, nil
	}
	if on, ok := cuda.SpaceOf(s); ok {
		return newRough(on, l)
	}
	return nil, precond.Lacks("fourier")
}

// newRough makes the operations of a preconditioner on a GPU.
func newRough(on *cuda.Space, l *Layered) (Operations, error) {
	shared, err := on.Attribute(cudriver.MaxSharedMemoryPerBlockOptin)
	if err != nil {
		return nil, err
	}
	x, y := axesOf(l, shared)
	g, err := newOnSpace(on.NewIteration(), l, whole(l), x, y, tablesInBackground(x, y))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", precond.ErrRefused, err)
	}
	g.rough = g.newModes()
	return g, on.Err()
}

// Runs says whether the method has operations for a device.
func Runs(d ops.Device) bool {
	switch ops.Innermost(d).(type) {
	case *host.Device, *cuda.Device:
		return true
	}
	return false
}
