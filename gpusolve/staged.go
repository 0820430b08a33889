package gpusolve

import (
	"context"
	"errors"
	"math"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/fourier"
)

// staged is a thermal system in time with several states, by number, whose steps may change in length. A step of
// backward Euler is one stage.
type staged interface {
	thermal
	// hold makes room for so many states. Number 0 is the present one.
	hold(n int) error
	// combine sets a state to a x + b y; dst may be x or y.
	combine(dst int, a float64, x int, b float64, y int)
	// largest is the largest |x|, which it may turn to -x.
	largest(x int) float64
	// retime makes the operator that of stages of dt in s.
	retime(dt float64) error
	// load draws the mean power from t0 to t1, and returns it in W.
	load(t0, t1 float64) (power float64, err error)
	// stage takes a stage from a state. dst holds what the solve starts from.
	stage(ctx context.Context, o *Options, dst, from int, watch func(iteration int, errorK float64)) (krylov.Outcome,
		error)
	// show makes x the state and from the former one, for all that reads these.
	show(x, from int)
	// held is what the capacities took up in the stage that is shown, as its operator has it, in W.
	held() float64
}

var (
	_ staged = (*meshed)(nil)
	_ staged = (*direct)(nil)
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
	s.sys.(mixing).Combine(s.states[dst], a, s.states[x], b, s.states[y])
}

func (s *meshed) largest(x int) float64 {
	_, top := s.sys.(mixing).Inner(s.states[x], s.states[x])
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

func (s *meshed) load(t0, t1 float64) (power float64, err error) {
	if s.power, err = s.sequence.MeanWatts(t0, t1); err != nil {
		return 0, err
	}
	return s.power, s.draw(t0, t1)
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

func (s *direct) load(t0, t1 float64) (power float64, err error) {
	if s.power, err = s.sequence.MeanWatts(t0, t1); err != nil {
		return 0, err
	}
	if err := s.draw(t0, t1); err != nil {
		return 0, err
	}
	return s.power, s.failure()
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
