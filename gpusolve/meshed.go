package gpusolve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/powermap"
)

// meshed is a mesh's system with its state on the device.
type meshed struct {
	*driver
	mesh     *mesh.Mesh
	sys      ops.System
	source   ops.HeatSource
	old      ops.Vector      // of a time stepper
	states   []ops.Vector    // of stages, by number; nil where there are none
	sequence powermap.Supply // of a time stepper
	outer    *outer          // nil where no property follows the temperature
	team     *team           // nil where no ranks share the grid
	dt       float64         // s, 0 in a steady state

	from, to float64    // s, of the current step
	power    float64    // W, of the current step
	drawn    [2]float64 // s, the time that the power was drawn for
	ahead    continuation

	reductions map[*reduction.Regions]reduction.Reduction // of its fields
}

var _ thermal = (*meshed)(nil)

// newEngine opens the device and sets everything up for a mesh. A positive dt makes it a time stepper.
func newEngine(m *mesh.Mesh, o Options, steps int, dt float64) (*engine, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := o.checkCoolant(m); err != nil {
		return nil, err
	}
	if err := checkUnknowns(o.Preconditioner, m.Cells()); err != nil {
		return nil, err
	}
	if o.Ranks != nil {
		if o.team == nil {
			return nil,
				refusal{errors.New("several ranks solve steady states and transients alone; leave --ranks away")}
		}
		if err := o.checkRanks(m); err != nil {
			return nil, err
		}
		if !o.rankedDirectly(m) {
			return newMeshed(m, o, steps, dt)
		}
	}
	if l := o.directly(m, dt); l != nil {
		e, err := newDirect(m, l, o, steps, dt)
		if !errors.Is(err, errSlowLink) {
			return e, err
		}
	}
	return newMeshed(m, o, steps, dt)
}

// newMeshed sets an iteration up.
func newMeshed(m *mesh.Mesh, o Options, steps int, dt float64) (*engine, error) {
	s := &meshed{mesh: m, dt: dt, team: o.team, sequence: o.supply(m, dt),
		reductions: map[*reduction.Regions]reduction.Reduction{}}
	exchanged := 0.0
	_, err := o.openDriver(o.demandOf(m, steps), func(d *driver) error {
		return d.setup(o.Preconditioner, func(dev ops.Device) (_ ops.Operator, err error) {
			if s.sys, err = dev.Assemble(m, dt); err != nil {
				return nil, err
			}
			return s.sys, s.heat()
		})
	}, func(d *driver) error {
		s.driver = d
		if s.dt > 0 && o.states == 0 {
			if err := s.newContinuation(); err != nil {
				return err
			}
		}
		if err := o.checkEstimate(s.solver, m.Cooled()); err != nil {
			return err
		}
		if !endsEarly(s.solver) && m.Leakage != nil {
			return refusal{fmt.Errorf("%s does not apply: leakage needs conjugate gradients in the usual precision; "+
				"choose another preconditioner", o.Preconditioner)}
		}
		exchanged = exchange(s) // x is zero
		if err := s.failure(); err != nil {
			return err
		}
		rule := o.rule(s.pre, max(1, steps))
		if s.outer != nil {
			rule.Reduction = firstCut // the kind of rule that its linear systems have
		}
		return s.prepare(rule)
	})
	if err != nil {
		return nil, err
	}
	return &engine{driver: s.driver, thermal: s, mesh: m, timing: s.driver.timing, team: o.team,
		ambient: m.Stack.Ambient, exchanged: exchanged}, nil
}

// heat makes the right side, with the power of the steady state or of the first time step.
func (s *meshed) heat() (err error) {
	if s.source, err = s.sys.NewSource(true); err != nil {
		return err
	}
	if err := s.follow(); err != nil {
		return err
	}
	if s.dt == 0 {
		s.supply(s.mesh.Power.Steady())
		return nil
	}
	if err := s.draw(0, s.dt); err != nil {
		return err
	}
	if s.old, err = s.sys.New64(); err != nil {
		return blame(err)
	}
	s.source.SetOld(s.old)
	return nil
}

// supply draws the power of a steady state.
func (s *meshed) supply(layers []powermap.Drawing) {
	s.source.SetPower(layers)
	if s.outer != nil && s.outer.leakage != nil {
		s.outer.drawn, s.outer.scale, s.outer.cautious = layers, 1, false
	}
}

// follow readies the iteration over properties and powers, where any of them follows the temperature.
func (s *meshed) follow() (err error) {
	if !s.mesh.Stack.Nonlinear() {
		return nil
	}
	on, ok := s.sys.(mixing)
	if !ok {
		return fmt.Errorf("%w: this device cannot follow the temperature", ErrOption)
	}
	s.outer = &outer{system: s.sys, on: on}
	if s.dt > 0 {
		s.outer.old = func() ops.Vector { return s.old }
	}
	if s.mesh.TemperatureDependent() {
		if s.outer.mixer, err = newAnderson(on); err != nil {
			return err
		}
	}
	if s.mesh.Leakage != nil {
		s.outer.leakage, err = newLeakage(s.sys, s.dt > 0)
	}
	return err
}

// holdsCopies says whether the solver multiplies with a copy of A that its method holds, which must be made again with
// every A.
func (s *meshed) holdsCopies() bool {
	_, ok := s.solver.(*mixed.Solver)
	return ok
}

// draw puts the mean power from t0 to t1 into the source.
func (s *meshed) draw(t0, t1 float64) error {
	layers, err := s.sequence.Over(t0, t1)
	if err == nil {
		s.redraw(layers)
		s.drawn = [2]float64{t0, t1}
	}
	return err
}

func (s *meshed) begin(start Field) error {
	if s.team != nil || start == nil {
		rise := uniform(s.mesh)
		s.sys.Fill(s.x, rise)
		s.sys.Fill(s.old, rise)
	}
	if s.team != nil {
		return s.team.begin(s, start)
	}
	if start == nil {
		return nil
	}
	rises, err := risesOf(s.mesh, start)
	if err != nil {
		return err
	}
	s.sys.Write(s.x, rises)
	s.sys.Write(s.old, rises)
	return s.failure()
}

func (s *meshed) advance(n int, t0, t1 float64) (float64, error) {
	if s.dt == 0 {
		s.solver.StartFromZero()
		return s.mesh.Power.Mapped, nil
	}
	s.from, s.to = t0, t1
	changed, err := s.setPower(n, t0, t1)
	if err != nil {
		return 0, err
	}
	s.extrapolate(changed)
	return s.power, nil
}

// respond solves for another power, from zero.
func (s *meshed) respond(ctx context.Context, o *Options, layers []powermap.Drawing, _ bool) (krylov.Outcome, error) {
	s.supply(layers)
	s.sys.Fill(s.x, 0)
	s.solver.StartFromZero()
	return s.settle(ctx, o, 1, nil)
}

// setPower draws the power of a step, unless it equals that of the step before. That of the first is there already.
func (s *meshed) setPower(n int, t0, t1 float64) (changed bool, err error) {
	if n > 0 && !s.sequence.Changed(t0-s.dt, t0, t0, t1) {
		return false, nil
	}
	if s.power, err = s.sequence.MeanWatts(t0, t1); err != nil || n == 0 {
		return false, err
	}
	return true, s.draw(t0, t1)
}

// rule is that of one of a number of systems.
func (s *meshed) rule(o *Options, systems int) krylov.Rule {
	if s.dt > 0 {
		return o.stepRule(s.pre, systems)
	}
	return o.rule(s.pre, systems)
}

// retreat takes the last difference back, which was rounded to FP32: the state is exactly what it was, the one before
// it to 2^-24 of the step.
func (s *meshed) retreat() {
	s.sys.Extrapolate(s.old, s.x, s.ahead.past, [4]float64{1: -1})
	s.ahead.forget()
}

func (s *meshed) hottest() float64 { return s.sys.Max(s.x) }

func (s *meshed) faceHeat() [6]float64 { return s.sys.FaceHeat(s.x) }

// cooled is a system that coolant carries heat out of.
type cooled interface {
	CoolantHeat(x ops.Vector) []float64
}

// coolantHeat is what the coolant of each cavity carries out, nil without any.
func (s *meshed) coolantHeat() []float64 {
	if c, ok := s.sys.(cooled); ok {
		return c.CoolantHeat(s.x)
	}
	return nil
}

// stored is the change of the heat content. Where properties follow the temperature they are taken at the end of the
// step, for the faces too.
func (s *meshed) stored() float64 {
	if s.outer != nil {
		if err := s.sys.RefreshAt(s.x, s.old); err != nil {
			return math.NaN()
		}
	}
	return s.sys.Stored(s.x, s.old)
}

func (s *meshed) field() Field { return field{s.dev, s.sys, s.x, s.reductions} }
