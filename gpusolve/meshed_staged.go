package gpusolve

import (
	"context"
	"errors"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
)

func (s *meshed) hold(n int) error {
	s.states = []ops.Vector{s.x, s.old}
	for len(s.states) < n {
		v, err := s.sys.New64()
		if err != nil {
			return err
		}
		s.states = append(s.states, v)
	}
	if s.outer != nil {
		s.outer.old = nil // capacities are those of the stage: a stage does not start from a state of the past
	}
	return s.failure()
}

func (s *meshed) combine(dst int, a float64, x int, b float64, y int) {
	s.sys.Combine(s.states[dst], a, s.states[x], b, s.states[y])
}

func (s *meshed) largest(x int) float64 {
	_, top := s.sys.Inner(s.states[x], s.states[x])
	return top
}

func (s *meshed) retime(dt float64) error {
	s.dt = dt
	err := s.sys.Refresh(dt)
	if s.outer != nil && s.outer.mixer != nil {
		s.outer.made = false // the method is made with the properties at the state
	} else {
		err = errors.Join(err, s.pre.Refresh())
	}
	if err != nil {
		return blame(err)
	}
	return s.failure()
}

func (s *meshed) load(t0, t1 float64) (float64, error) {
	return s.power.load(t0, t1)
}

func (s *meshed) stage(ctx context.Context, o *Options, dst, from int, watch func(iteration int, errorK float64)) (
	krylov.Outcome, error) {
	s.show(dst, from)
	return s.settle(ctx, o, 1, watch)
}

func (s *meshed) show(x, from int) {
	s.x, s.old = s.states[x], s.states[from]
	s.source.SetOld(s.old)
}

func (s *meshed) held() float64 { return s.sys.Stored(s.x, s.old) }
