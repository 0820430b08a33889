package direct

import (
	"fmt"

	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// spectralField makes planes of a state when they are read.
type spectralField struct {
	*System
	of *state
}

// Plane copies the temperatures of plane k into dst.
func (f spectralField) Plane(k int, dst []float64) error {
	if err := fields.CheckPlane(f.mesh, k, dst); err != nil {
		return err
	}
	defer f.Dev.Bind()()
	f.Planes.read(f.of, k, dst)
	if err := f.Failure(); err != nil {
		return err
	}
	ambient := f.mesh.Stack.Ambient
	for i := range dst {
		dst[i] += ambient
	}
	return nil
}

var _ solution.Reducer = spectralField{}

// Reduce takes statistics on the device, of the planes that the regions read.
func (f spectralField) Reduce(r *reduction.Regions) (v *reduction.Values, err error) {
	if err := fields.CheckRegions(f.mesh, r); err != nil {
		return nil, err
	}
	defer f.Dev.Bind()()
	on, err := fields.Prepared(f.fourier, f.reductions, r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", solution.ErrDevice, err)
	}
	if on == nil || !f.Planes.Reduce(f.of, r.Planes(), func(p ops.Vector) { v = on.Of(p, f.mesh.Stack.Ambient) }) {
		return solution.ReducePlanes(f, r)
	}
	return v, f.Failure()
}

// Quantise counts quanta on the device.
func (f spectralField) Quantise(q reduction.Quanta, counts []int32) (done bool, err error) {
	if err := fields.CheckCounts(f.mesh, q, counts); err != nil {
		return false, err
	}
	defer f.Dev.Bind()()
	f.Planes.Reduce(f.of, f.Planes.all, func(p ops.Vector) {
		done = f.fourier.Quantise(p, f.mesh.Stack.Ambient, q, counts)
	})
	return done, f.Failure()
}

var _ solution.Binner = spectralField{}

// Maxima shows planes in bins on the device.
func (f spectralField) Maxima(m *reduction.Maxima, dst []float64) (done bool, err error) {
	on, ok := f.fourier.(reduction.Binning)
	if err := fields.CheckBins(f.mesh, m, dst); err != nil || !ok {
		return false, err
	}
	defer f.Dev.Bind()()
	f.Planes.Reduce(f.of, f.Planes.all[m.Planes[0]:m.Planes[1]], func(p ops.Vector) {
		done = on.Maxima(p, f.mesh.Stack.Ambient, m, dst)
	})
	return done, f.Failure()
}
