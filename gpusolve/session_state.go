package gpusolve

import (
	"fmt"
	"math"

	"thermsim/gpusolve/guess"
	"thermsim/powermap"
)

// PowerControls are the powers of a session, or of a transient in which somebody sets them: Options.Power.
type PowerControls = powermap.Controls

// PowerSetting is what an input of a session is set to.
type PowerSetting = powermap.Setting

// SessionState is a state of a session, put aside on the host: temperatures, time and what the powers are set to.
type SessionState struct {
	of    setting
	past  guess.Past
	power []powermap.Setting
	time  float64
	begun float64
	taken int
	steps int
	last  Step
	moved bool
	stale bool // powers were set since the last step
}

// setting tells states of one set-up from those of another.
type setting struct {
	session *Session
	dt      float64
	direct  bool
}

func (s *Session) setting() setting {
	return setting{s, s.dt, s.engine.Direct != nil}
}

// Time is that of the state in s.
func (k *SessionState) Time() float64 { return k.time }

// Steps is the number of steps that led to it.
func (k *SessionState) Steps() int { return k.steps }

// Bytes is the memory that it takes.
func (k *SessionState) Bytes() int64 {
	n := len(k.power) * 2
	for _, v := range k.past.Values {
		n += len(v)
	}
	return 8 * int64(n)
}

// StateBytes is the memory that Save takes.
func (s *Session) StateBytes() int64 {
	return 8 * int64(s.mesh.Cells()*s.engine.System.Vectors()+2*s.power.Count())
}

// Save puts the state aside. The session goes on as if nothing had happened.
func (s *Session) Save() (*SessionState, error) {
	defer s.engine.Dev.Bind()()
	k := &SessionState{of: s.setting(), power: s.power.Settings(), stale: s.power.Stale(), time: s.time, begun: s.begun,
		taken: s.taken, steps: s.steps, last: s.last, moved: s.moved}
	on := s.engine.System
	for range on.Vectors() {
		k.past.Values = append(k.past.Values, make([]float64, s.mesh.Cells()))
	}
	on.Keep(&k.past)
	return k, s.engine.Failure()
}

// Restore takes a state of this session up again, powers included. With the same length of steps, and where nothing
// follows the temperature, what follows has the bits of what followed before; otherwise it is the same within the
// tolerance. A length of steps that has changed since is taken back.
func (s *Session) Restore(k *SessionState) error {
	if k.of.session != s {
		return fmt.Errorf("%w: the state is one of another session", ErrOption)
	}
	if k.of.dt != s.dt {
		if err := s.SetDt(k.of.dt); err != nil {
			return err
		}
	}
	if s.setting() != k.of {
		return fmt.Errorf("%w: the state was saved with another method", ErrOption)
	}
	defer s.engine.Dev.Bind()()
	s.power.SetAll(k.power)
	layers, err := s.power.Over(max(0, k.time-s.dt), max(k.time, s.dt)) // what the step before was taken with
	if err != nil {
		return err
	}
	on := s.engine.System
	on.Redraw(layers)
	on.Resume(&k.past)
	if s.stepped = true; k.stale {
		s.power.Touch()
	}
	s.time, s.begun, s.taken, s.steps, s.last, s.moved = k.time, k.begun, k.taken, k.steps, k.last, k.moved
	return s.engine.Failure()
}

// Resume goes on with the temperatures of a field that was reached by so many steps at a time in s; without one with
// the stack's uniform initial temperature.
func (s *Session) Resume(f Field, time float64, steps int) error {
	if !(time >= 0) || math.IsInf(time, 0) || steps < 0 {
		return fmt.Errorf("%w: a state after %d steps at %g s", ErrOption, steps, time)
	}
	if err := s.place(s.orInitial(f)); err != nil {
		return err
	}
	s.power.Touch()
	s.time, s.begun, s.taken, s.steps = time, time, 0, steps
	return nil
}
