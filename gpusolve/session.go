package gpusolve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/device"
	"thermsim/gpusolve/direct"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/guess"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/meshed"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
	"thermsim/powermap"
)

// sessionSteps is the number of steps among which the tolerance in K is divided, as Transient does for its steps. The
// actual number is not known in advance.
const sessionSteps = 1000

// ErrNotConverged is the error of a step whose solve did not reach its tolerance. The state is then the one before the
// step.
var ErrNotConverged = errors.New("the step did not converge")

// Session holds the temperatures of a mesh in time for a client that sets powers and requests steps of backward Euler
// one by one, such as a simulator of the software on the chip or a controller. The device stays open between the steps.
// A Session is for one goroutine at a time.
type Session struct {
	mesh   *mesh.Mesh
	opts   Options
	device *device.Shared
	power  *powermap.Controls
	engine *stepping.Engine
	dt     float64 // s, of the engine

	time    float64 // s
	begun   float64 // s, when the engine's steps began
	taken   int     // steps since then
	steps   int     // in all since the start
	last    Step
	out     krylov.Outcome
	moved   bool // the last step led to the state
	stepped bool // the engine has taken a step, so that other powers may be drawn than those of its setup
	// OpenedIn is how long opening the device took.
	OpenedIn time.Duration
}

// OpenSession opens a device for a mesh and sets up steps of dt in s. The initial temperatures are those of a field, or
// the stack's uniform initial temperature if it is nil. Options are those of Transient; powers are set through Power;
// Options.Power is ignored.
func OpenSession(m *mesh.Mesh, o Options, dt float64, start Field) (*Session, error) {
	if err := checkDt(dt); err != nil {
		return nil, err
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	s := &Session{mesh: m, opts: o, power: m.Power.Controls()}
	s.opts.Power = s.power
	if err := s.openDevice(dt); err != nil {
		return nil, err
	}
	where := o.Opening()
	err := s.setUp(dt)
	if errors.Is(err, ErrDevice) && where.Auto() && s.device.Info.Kind == "gpu" {
		_ = s.device.Release() // its failure is known already
		dev, info := where.InsteadOfGPU(err)
		s.device = &device.Shared{Device: dev, Info: info, Open: s.OpenedIn}
		s.opts.Executor = s.device
		err = s.setUp(dt)
	}
	if err == nil {
		err = s.Start(start)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func checkDt(dt float64) error {
	if !(dt > 0) || math.IsInf(dt, 0) {
		return fmt.Errorf("%w: steps of %g s; give a positive time", ErrOption, dt)
	}
	return nil
}

// openDevice opens the device, once for all lengths of steps.
func (s *Session) openDevice(dt float64) error {
	o := &driver.Job{Options: s.opts}
	need := meshed.Demand(o, s.mesh, sessionSteps)
	if stepping.Directly(s.mesh, o, dt) != nil {
		need = direct.Demand(o, s.mesh, sessionSteps)
	}
	start := time.Now()
	dev, info, err := s.opts.Opening().Open(need)
	if err != nil {
		return err
	}
	s.OpenedIn = time.Since(start)
	s.device = &device.Shared{Device: dev, Info: info, Open: s.OpenedIn}
	s.opts.Executor = s.device
	return nil
}

func (s *Session) setUp(dt float64) error {
	e, err := stepping.Open(s.mesh, &driver.Job{Options: s.opts}, sessionSteps, dt)
	if err != nil {
		return err
	}
	e.Info = s.device.Info
	s.engine, s.dt, s.stepped = e, dt, false
	return nil
}

func (s *Session) Close() {
	if s.engine != nil {
		s.engine.Close()
		s.engine = nil
	}
	if s.device != nil {
		_ = s.device.Release() // nothing was written
		s.device = nil
	}
}

// Power sets the powers of the steps to come.
func (s *Session) Power() *powermap.Controls { return s.power }

func (s *Session) Mesh() *mesh.Mesh { return s.mesh }

// Time is that of the state in s, Steps how many have been taken to it since the start, and Dt the length of the next
// in s.
func (s *Session) Time() float64 { return s.time }

// Steps is the number of steps from the start to the state.
func (s *Session) Steps() int { return s.steps }

func (s *Session) Dt() float64 { return s.dt }

func (s *Session) Device() DeviceInfo { return s.device.Info }

// SetDt changes the length of the steps to come. The operator is set up again, which takes as long as opening the
// session did, except for opening the device.
func (s *Session) SetDt(dt float64) error {
	if err := checkDt(dt); err != nil || dt == s.dt {
		return err
	}
	field, err := fields.Hold(s.mesh, s.engine.Field())
	if err != nil {
		return err
	}
	former := s.dt
	s.engine.Close()
	s.engine = nil
	err = s.setUp(dt)
	if err != nil {
		if again := s.setUp(former); again != nil {
			return errors.Join(err, again)
		}
	}
	if wrong := s.setState(field); wrong != nil {
		return wrong
	}
	s.power.Touch()
	s.begun, s.taken = s.time, 0
	return err
}

// Start begins at time 0 with the temperatures of a field, or without one with the stack's uniform initial temperature.
// Powers stay as they are set.
func (s *Session) Start(f Field) error {
	if err := s.setState(s.orInitial(f)); err != nil {
		return err
	}
	s.time, s.begun, s.taken, s.steps = 0, 0, 0, 0
	return nil
}

// orInitial returns a field, or that of the stack's initial temperature if it is nil.
func (s *Session) orInitial(f Field) Field {
	if f == nil {
		return fields.Evenly(s.mesh.Stack.Ambient + fields.Uniform(s.mesh))
	}
	return f
}

// setState makes a field the state, without former states.
func (s *Session) setState(f Field) error {
	defer s.engine.Dev.Bind()()
	s.moved = false
	s.engine.System.Forget()
	if s.stepped {
		s.power.Touch()
	}
	if err := s.engine.Begin(f); err != nil {
		return err
	}
	return s.engine.Failure()
}

// Step takes one step. After an error the state is the one before the step: see ErrRunaway and ErrNotConverged. On
// cancellation the error is that of the context.
func (s *Session) Step(ctx context.Context) (Step, error) {
	if err := ctx.Err(); err != nil {
		return Step{}, err
	}
	defer s.engine.Dev.Bind()()
	n := s.taken
	if n == 0 && s.power.Stale() {
		n++ // the power drawn during setup is no longer valid
	}
	t0, t1 := s.time, s.begun+float64(s.taken+1)*s.dt
	step, out, err := s.engine.AdvanceBy(ctx, &s.opts, n, sessionSteps, t0, t1)
	s.stepped = true
	if err == nil && !out.Converged {
		s.engine.Retreat()
		s.engine.System.Forget() // former states are only partly solved
		err = fmt.Errorf("%w: %s after %d iterations", ErrNotConverged, methods.ReasonText(out.Reason), out.Iterations)
	}
	if err == nil {
		err = s.engine.Failure()
	}
	if err != nil {
		return Step{}, err
	}
	s.time, s.moved = t1, true
	s.taken++
	s.steps++
	s.last, s.out = step, out
	return step, nil
}

// RunsAway says that the last step led to thermal runaway: with these powers, leakage heats the stack without limit.
func (s *Session) RunsAway() bool { return s.moved && s.out.Reason == krylov.Runaway }

// Field is the field of the state, valid until the next step.
func (s *Session) Field() Field { return s.engine.Field() }

// Hottest is the temperature of the hottest cell in K.
func (s *Session) Hottest() (float64, error) {
	defer s.engine.Dev.Bind()()
	top := s.engine.Hottest() + s.mesh.Stack.Ambient
	return top, s.engine.Failure()
}

// Energy is the heat balance of the last step, false where the state is not the result of a step.
func (s *Session) Energy() (Energy, bool) {
	if !s.moved {
		return Energy{}, false
	}
	defer s.engine.Dev.Bind()()
	return s.engine.Balance(s.last.PowerW-s.last.LeakageW, s.last.LeakageW, s.engine.Stored()), true
}

// Status describes the solve of the last step, false where the state is not the result of a step. For the direct solver
// this evaluates the residual.
func (s *Session) Status() (Status, bool) {
	if !s.moved {
		return Status{}, false
	}
	defer s.engine.Dev.Bind()()
	out := s.out
	if d := s.engine.Direct; d != nil {
		out = d.Conclude(&s.opts, sessionSteps)
	}
	return s.engine.Status(out), true
}

func (s *Session) Method() string { return s.engine.MethodText() }

// Timing splits the time of opening the session.
func (s *Session) Timing() Timing {
	t := s.engine.Timing
	t.Device = s.OpenedIn
	return t
}

// PowerControls are the powers of a session, or of a transient in which a client sets them: Options.Power.
type PowerControls = powermap.Controls

// PowerSetting is the setting of an input of a session.
type PowerSetting = powermap.Setting

// SessionState is a saved state of a session in host memory: temperatures, time and power settings.
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

// setting distinguishes states of different setups.
type setting struct {
	session *Session
	dt      float64
	direct  bool
}

func (s *Session) setting() setting {
	return setting{s, s.dt, s.engine.Direct != nil}
}

func (k *SessionState) Time() float64 { return k.time }

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

// Save copies the state. It does not change the session.
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

// Restore returns to a saved state of this session, powers included. With the same step length and without
// temperature-dependent properties, the next steps are the same to the bit; otherwise they are the same within the
// tolerance. It also restores the step length.
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
	layers, err := s.power.Over(max(0, k.time-s.dt), max(k.time, s.dt)) // the power of the previous step
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

// Resume continues with the temperatures of a field that was reached after a number of steps, at a time in s. Without a
// field it starts from the stack's uniform initial temperature.
func (s *Session) Resume(f Field, time float64, steps int) error {
	if !(time >= 0) || math.IsInf(time, 0) || steps < 0 {
		return fmt.Errorf("%w: a state after %d steps at %g s", ErrOption, steps, time)
	}
	if err := s.setState(s.orInitial(f)); err != nil {
		return err
	}
	s.power.Touch()
	s.time, s.begun, s.taken, s.steps = time, time, 0, steps
	return nil
}
