package direct

import (
	"fmt"

	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
)

// Series has room for the statistics of steps that a GPU takes one after the other. The hottest cell comes from the
// peaks of all planes.
func (s *System) Series(r *reduction.Regions, places int) (reduction.Series, error) {
	if err := fields.CheckRegions(s.mesh, r); err != nil {
		return nil, err
	}
	if !r.PlanePeaks {
		return nil, nil
	}
	return s.Later(r, places)
}

// Later is series without the peaks of planes.
func (s *System) Later(r *reduction.Regions, places int) (reduction.Series, error) {
	if s.Planes.room() < s.layered.NZ {
		return nil, nil
	}
	on, err := fields.Prepared(s.fourier, s.reductions, r)
	if later, ok := on.(reduction.Deferring); ok && err == nil {
		var made reduction.Series
		made, err = later.Series(places)
		if made != nil && err == nil {
			return made, nil
		}
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", solution.ErrDevice, err)
	}
	return nil, err
}

// Leave makes all planes of the state and takes their statistics.
func (s *System) Leave(to reduction.Series, place int) {
	s.Planes.Reduce(s.X, s.Planes.all, s.Leaving(to, place))
}

// Leaving takes statistics of planes into a place.
func (s *System) Leaving(to reduction.Series, place int) func(p ops.Vector) {
	return func(p ops.Vector) { to.Leave(place, p, s.mesh.Stack.Ambient) }
}
