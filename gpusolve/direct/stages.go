package direct

import (
	"context"
	"errors"
	"math"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/precond/fourier"
)

func (s *System) Hold(n int) error {
	s.states = []*state{s.X, s.old}
	for len(s.states) < n {
		v, err := s.newState()
		if err != nil {
			return err
		}
		s.states = append(s.states, v)
	}
	return s.Failure()
}

func (s *System) Combine(dst int, a float64, x int, b float64, y int) {
	to := s.states[dst]
	to.solved++
	s.fourier.Combine(to.Modes, a, s.states[x].Modes, b, s.states[y].Modes)
}

func (s *System) Largest(x int) float64 {
	all := make([]bool, len(s.powered))
	for k := range all {
		all[k] = true
	}
	top := s.Planes.max(s.states[x], all)
	s.Combine(x, -1, x, 0, x)
	return math.Max(top, s.Planes.max(s.states[x], all))
}

func (s *System) Retime(dt float64) error {
	l, err := fourier.Of(s.mesh, dt)
	if err != nil {
		return err
	}
	s.dt = dt
	copy(s.layered.Capacity, l.Capacity)
	s.gain = s.layered.Gain()
	s.fourier.Refresh()
	return s.Failure()
}

func (s *System) Load(t0, t1 float64) (float64, error) {
	watts, err := s.power.Load(t0, t1)
	return watts, errors.Join(err, s.Failure())
}

// Stage is not interrupted: it takes no longer than a look at the state does.
func (s *System) Stage(_ context.Context, _ *driver.Options, dst, from int, watch driver.Watch) (
	krylov.Outcome, error) {
	if watch != nil {
		watch(0, math.NaN())
	}
	s.Show(dst, from)
	s.X.solved++
	s.fourier.Solve(s.X.Modes, s.old.Modes, 1)
	err := s.Failure()
	return krylov.Outcome{Converged: err == nil, Reason: krylov.Direct}, err
}

// Show knows no bound from the states before: between and after stages a state may pass them by as much as the error of
// the steps.
func (s *System) Show(x, from int) {
	s.X, s.old = s.states[x], s.states[from]
	s.ceiling = math.Inf(1)
}

func (s *System) Held() float64 { return s.Stored() }
