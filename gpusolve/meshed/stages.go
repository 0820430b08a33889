package meshed

import (
	"context"
	"errors"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
)

func (s *System) Hold(n int) error {
	s.states = []ops.Vector{s.X, s.old}
	for len(s.states) < n {
		v, err := s.Sys.New64()
		if err != nil {
			return err
		}
		s.states = append(s.states, v)
	}
	if s.Outer != nil {
		s.Outer.old = nil // capacities are those of the stage: a stage does not start from a state of the past
	}
	return s.Failure()
}

func (s *System) Combine(dst int, a float64, x int, b float64, y int) {
	s.Sys.Combine(s.states[dst], a, s.states[x], b, s.states[y])
}

func (s *System) Largest(x int) float64 {
	_, top := s.Sys.Inner(s.states[x], s.states[x])
	return top
}

func (s *System) Retime(dt float64) error {
	s.dt = dt
	err := s.Sys.Refresh(dt)
	if s.Outer != nil && s.Outer.mixer != nil {
		s.Outer.made = false // the method is made with the properties at the state
	} else {
		err = errors.Join(err, s.Pre.Refresh())
	}
	if err != nil {
		return methods.Blame(err)
	}
	return s.Failure()
}

func (s *System) Load(t0, t1 float64) (float64, error) {
	return s.power.Load(t0, t1)
}

func (s *System) Stage(ctx context.Context, o *driver.Options, dst, from int, watch driver.Watch) (
	krylov.Outcome, error) {
	s.Show(dst, from)
	return s.Settle(ctx, o, 1, watch)
}

func (s *System) Show(x, from int) {
	s.X, s.old = s.states[x], s.states[from]
	s.source.SetOld(s.old)
}

func (s *System) Held() float64 { return s.Sys.Stored(s.X, s.old) }
