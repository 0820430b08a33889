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
	return precond.On(ops.Innermost(d), "fourier", func(d ops.Device) (Operations, bool, error) {
		on, ok := d.(*host.Device)
		if !ok {
			return nil, false, nil
		}
		return newOnHost(on.NewSpace(l.NX*l.NY*l.NZ, 0), l, p), true, nil
	}, func(d ops.Device) (Operations, bool, error) {
		on, ok := d.(*cuda.Device)
		if !ok {
			return nil, false, nil
		}
		e, err := newOnGPU(on, l, loads, p)
		return e, true, err
	})
}

// onOperator makes operations where an operator lives.
func onOperator(s ops.Operator, l *Layered) (Operations, error) {
	return precond.On(s, "fourier", func(s ops.Operator) (Operations, bool, error) {
		on, ok := host.SpaceOf(s)
		if !ok {
			return nil, false, nil
		}
		e := newOnHost(on, l, whole(l))
		e.rough = e.newModes()
		return e, true, nil
	}, func(s ops.Operator) (Operations, bool, error) {
		on, ok := cuda.SpaceOf(s)
		if !ok {
			return nil, false, nil
		}
		e, err := newRough(on, l)
		return e, true, err
	})
}

// newRough makes the operations of a preconditioner on a GPU.
func newRough(on *cuda.Space, l *Layered) (Operations, error) {
	shared, err := on.Attribute(cudriver.MaxSharedMemoryPerBlockOptin)
	if err != nil {
		return nil, err
	}
	x, y := axesOf(l, shared)
	g, err := newOnSpace(on.NewIteration(), l, whole(l), x, y, tablesAhead(x, y))
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
