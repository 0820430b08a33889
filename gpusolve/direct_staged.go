package gpusolve

import (
	"context"
	"errors"
	"math"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/precond/fourier"
)

func (s *direct) hold(n int) error {
	s.states = []*state{s.x, s.old}
	for len(s.states) < n {
		v, err := s.newState()
		if err != nil {
			return err
		}
		s.states = append(s.states, v)
	}
	return s.failure()
}

func (s *direct) combine(dst int, a float64, x int, b float64, y int) {
	to := s.states[dst]
	to.solved++
	s.fourier.Combine(to.Modes, a, s.states[x].Modes, b, s.states[y].Modes)
}

func (s *direct) largest(x int) float64 {
	all := make([]bool, len(s.powered))
	for k := range all {
		all[k] = true
	}
	top := s.planes.max(s.states[x], all)
	s.combine(x, -1, x, 0, x)
	return math.Max(top, s.planes.max(s.states[x], all))
}

func (s *direct) retime(dt float64) error {
	l, err := fourier.Of(s.mesh, dt)
	if err != nil {
		return err
	}
	s.dt = dt
	copy(s.layered.Capacity, l.Capacity)
	s.gain = s.layered.Gain()
	s.fourier.Refresh()
	return s.failure()
}

func (s *direct) load(t0, t1 float64) (float64, error) {
	watts, err := s.power.load(t0, t1)
	return watts, errors.Join(err, s.failure())
}

// stage is not interrupted: it takes no longer than a look at the state does.
func (s *direct) stage(_ context.Context, _ *Options, dst, from int, watch func(iteration int, errorK float64)) (
	krylov.Outcome, error) {
	if watch != nil {
		watch(0, math.NaN())
	}
	s.show(dst, from)
	s.x.solved++
	s.fourier.Solve(s.x.Modes, s.old.Modes, 1)
	err := s.failure()
	return krylov.Outcome{Converged: err == nil, Reason: krylov.Direct}, err
}

// show knows no bound from the states before: between and after stages a state may pass them by as much as the error of
// the steps.
func (s *direct) show(x, from int) {
	s.x, s.old = s.states[x], s.states[from]
	s.ceiling = math.Inf(1)
}

func (s *direct) held() float64 { return s.stored() }
