package meshed

import (
	"fmt"

	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// field reads the rise from the device and adds the ambient.
type field struct {
	dev ops.Device
	sys ops.System
	x   ops.Vector
	// reductions are what the device keeps of regions, for all fields of the system; nil where planes have to be read.
	reductions map[*reduction.Regions]reduction.Reduction
}

var _ solution.Reducer = field{}

// Plane copies the temperatures of plane k into dst.
func (f field) Plane(k int, dst []float64) error {
	m := f.sys.Mesh()
	if err := fields.CheckPlane(m, k, dst); err != nil {
		return err
	}
	defer f.dev.Bind()()
	f.sys.Plane(k, f.x, dst)
	if err := f.failure(); err != nil {
		return err
	}
	ambient := m.Stack.Ambient
	for i := range dst {
		dst[i] += ambient
	}
	return nil
}

// Reduce takes statistics on the device.
func (f field) Reduce(r *reduction.Regions) (*reduction.Values, error) {
	m := f.sys.Mesh()
	if err := fields.CheckRegions(m, r); err != nil {
		return nil, err
	}
	defer f.dev.Bind()()
	on, err := fields.Prepared(f.sys, f.reductions, r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", solution.ErrDevice, err)
	}
	if on == nil {
		return solution.ReducePlanes(f, r)
	}
	v := on.Of(f.x, m.Stack.Ambient)
	return v, f.failure()
}

// Quantise counts quanta on the device.
func (f field) Quantise(q reduction.Quanta, counts []int32) (bool, error) {
	m := f.sys.Mesh()
	if err := fields.CheckCounts(m, q, counts); err != nil {
		return false, err
	}
	s, ok := f.sys.(reduction.Reducer)
	if !ok {
		return false, nil
	}
	defer f.dev.Bind()()
	done := s.Quantise(f.x, m.Stack.Ambient, q, counts)
	return done, f.failure()
}

var _ solution.Binner = field{}

// Maxima shows planes in bins on the device.
func (f field) Maxima(m *reduction.Maxima, dst []float64) (bool, error) {
	if err := fields.CheckBins(f.sys.Mesh(), m, dst); err != nil {
		return false, err
	}
	s, ok := f.sys.(reduction.Binning)
	if !ok {
		return false, nil
	}
	defer f.dev.Bind()()
	done := s.Maxima(f.x, f.sys.Mesh().Stack.Ambient, m, dst)
	return done, f.failure()
}

func (f field) failure() error {
	if err := f.sys.Err(); err != nil {
		return fmt.Errorf("%w: %w", solution.ErrDevice, err)
	}
	return nil
}
