package gpusolve

import (
	"fmt"

	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/reduction"
)

// series has room for the statistics of steps that a GPU takes one after the other. The hottest cell comes from the
// peaks of all planes.
func (s *direct) series(r *reduction.Regions, places int) (reduction.Series, error) {
	if err := checkRegions(s.mesh, r); err != nil {
		return nil, err
	}
	if !r.PlanePeaks {
		return nil, nil
	}
	return s.later(r, places)
}

// later is series without the peaks of planes.
func (s *direct) later(r *reduction.Regions, places int) (reduction.Series, error) {
	if s.planes.Count() < s.layered.NZ {
		return nil, nil
	}
	on, err := prepared(s.fourier, s.reductions, r)
	if later, ok := on.(reduction.Deferring); ok && err == nil {
		var made reduction.Series
		made, err = later.Series(places)
		if made != nil && err == nil {
			return made, nil
		}
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrDevice, err)
	}
	return nil, err
}

// leave makes all planes of the state and takes their statistics.
func (s *direct) leave(to reduction.Series, place int) {
	s.planes.reduce(s.x, s.planes.all, s.leaving(to, place))
}

// leaving takes statistics of planes into a place.
func (s *direct) leaving(to reduction.Series, place int) func(p fourier.Planes) {
	return func(p fourier.Planes) { to.Leave(place, p, s.mesh.Stack.Ambient) }
}
