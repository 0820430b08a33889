// Package meshed solves the system of a mesh by iterations, also where properties or powers depend on the temperature.
package meshed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/guess"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/downstream"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/powermap"
)

// System is a mesh's system with its state on the device.
type System struct {
	*driver.Driver
	mesh   *mesh.Mesh
	Sys    ops.System
	source ops.HeatSource
	old    ops.Vector    // of a time stepper
	states []ops.Vector  // of stages, by number; nil where there are none
	power  driver.Powers // of a time stepper's steps
	Outer  *outer        // nil where no property follows the temperature
	team   *team.Team    // nil where no ranks share the grid
	dt     float64       // s, 0 in a steady state

	From, To float64 // s, of the current step
	ahead    guess.Continuation
	// Exchanged is the heat in W that the faces would exchange with a stack at ambient temperature.
	Exchanged float64

	reductions map[*reduction.Regions]reduction.Reduction // of its fields
}

// Demand is what a mesh and a number of time steps (0: steady) ask of a device.
func Demand(o *driver.Job, m *mesh.Mesh, steps int) device.Demand {
	warm := func(d *cuda.Device) error { return errors.Join(d.LoadSystems(), multigrid.Warm(d, m.NZ())) }
	if m.Cooled() {
		warm = func(d *cuda.Device) error { return errors.Join(d.LoadSystems(), downstream.Warm(d, m)) }
	}
	share := ""
	if o.Team != nil {
		share = fmt.Sprintf(" for the largest of %d equal parts of the grid", o.Team.Group.Size())
	}
	return device.Demand{Cells: m.Cells(), Steps: steps, Share: share, Solves: o.Solves, Cooled: m.Cooled(),
		Processor: o.OnProcessorOnly(m), Warm: warm, Memory: func(multiprocessors int64) int64 {
			if o.Team != nil {
				return memory.OfRank(m, steps > 0, true, o.Team.Group.Size(), o.States).Peak()
			}
			s := memory.ShapeOf(m, steps > 0, true)
			s.Multiprocessors, s.States = multiprocessors, o.States
			return memory.Of(s, o.Preconditioner, memory.SystemBytes(s)).Peak()
		}}
}

// New sets an iteration up.
func New(m *mesh.Mesh, o *driver.Job, steps int, dt float64) (*System, error) {
	s := &System{mesh: m, dt: dt, team: o.Team, reductions: map[*reduction.Regions]reduction.Reduction{}}
	s.power = driver.Powers{Supply: o.Supply(m, dt), Put: s.Redraw}
	_, err := o.Open(Demand(o, m, steps), func(d *driver.Driver) error {
		return d.Setup(o.Preconditioner, func(dev ops.Device) (_ ops.Operator, err error) {
			if s.Sys, err = dev.Assemble(m, dt); err != nil {
				return nil, err
			}
			return s.Sys, s.heat()
		})
	}, func(d *driver.Driver) error {
		s.Driver = d
		if s.dt > 0 && o.States == 0 {
			var err error
			if s.ahead, err = guess.NewContinuation(s.Sys); err != nil {
				return methods.Blame(err)
			}
		}
		if err := o.CheckEstimate(s.Solver, m.Cooled()); err != nil {
			return err
		}
		if !endsEarly(s.Solver) && m.Leakage != nil {
			return methods.Refused(fmt.Errorf("%s does not apply: leakage needs conjugate gradients in the usual "+
				"precision; "+
				"choose another preconditioner", o.Preconditioner))
		}
		s.Exchanged = driver.Exchange(s.Outflow()) // x is zero
		if err := s.Failure(); err != nil {
			return err
		}
		rule := o.Rule(s.Pre, max(1, steps))
		if s.Outer != nil {
			rule.Reduction = firstCut // the kind of rule that its linear systems have
		}
		return s.Prepare(rule)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// heat makes the right side, with the power of the steady state or of the first time step.
func (s *System) heat() (err error) {
	if s.source, err = s.Sys.NewSource(true); err != nil {
		return err
	}
	if err := s.follow(); err != nil {
		return err
	}
	if s.dt == 0 {
		s.supply(s.mesh.Power.Steady())
		return nil
	}
	if err := s.power.Draw(0, s.dt); err != nil {
		return err
	}
	if s.old, err = s.Sys.New64(); err != nil {
		return methods.Blame(err)
	}
	s.source.SetOld(s.old)
	return nil
}

// supply draws the power of a steady state.
func (s *System) supply(layers []powermap.Drawing) {
	s.source.SetPower(layers)
	if s.Outer != nil && s.Outer.Leakage != nil {
		s.Outer.drawn, s.Outer.Scale, s.Outer.cautious = layers, 1, false
	}
}

// follow readies the iteration over properties and powers, where any of them follows the temperature.
func (s *System) follow() (err error) {
	if !s.mesh.Stack.Nonlinear() {
		return nil
	}
	s.Outer = &outer{system: s.Sys}
	if s.dt > 0 {
		s.Outer.old = func() ops.Vector { return s.old }
	}
	if s.mesh.TemperatureDependent() {
		if s.Outer.mixer, err = guess.NewAnderson(s.Sys); err != nil {
			return err
		}
	}
	if s.mesh.Leakage != nil {
		s.Outer.Leakage, err = newLeakage(s.Sys, s.dt > 0)
	}
	return err
}

// holdsCopies says whether the solver multiplies with a copy of A that its method holds, which must be made again with
// every A.
func (s *System) holdsCopies() bool {
	_, ok := s.Solver.(*mixed.Solver)
	return ok
}

// Redraw makes the right side of drawings.
func (s *System) Redraw(layers []powermap.Drawing) { s.source.SetPower(layers) }

func (s *System) Begin(start solution.Field) error {
	if s.team != nil || start == nil {
		rise := fields.Uniform(s.mesh)
		s.Sys.Fill(s.X, rise)
		s.Sys.Fill(s.old, rise)
	}
	if s.team != nil {
		return s.beginOnRanks(start)
	}
	if start == nil {
		return nil
	}
	rises, err := fields.RisesOf(s.mesh, start)
	if err != nil {
		return err
	}
	s.Sys.Write(s.X, rises)
	s.Sys.Write(s.old, rises)
	return s.Failure()
}

func (s *System) Advance(n int, t0, t1 float64) (float64, error) {
	if s.dt == 0 {
		s.Solver.StartFromZero()
		return s.mesh.Power.Mapped, nil
	}
	s.From, s.To = t0, t1
	changed, err := s.power.Step(n, s.dt, t0, t1)
	if err != nil {
		return 0, err
	}
	s.ahead.Extrapolate(s.Sys, s.X, s.old, changed, s.Outer != nil && s.Outer.Leakage != nil)
	return s.power.Watts, nil
}

// Respond solves for another power, from zero.
func (s *System) Respond(ctx context.Context, o *driver.Options, layers []powermap.Drawing, _ bool) (krylov.Outcome,
	error) {
	s.supply(layers)
	s.Sys.Fill(s.X, 0)
	s.Solver.StartFromZero()
	return s.Settle(ctx, o, 1, nil)
}

// rule is that of one of a number of systems.
func (s *System) rule(o *driver.Options, systems int) krylov.Rule {
	if s.dt > 0 {
		return o.StepRule(s.Pre, systems)
	}
	return o.Rule(s.Pre, systems)
}

// Retreat takes the last difference back, which was rounded to FP32: the state is exactly what it was, the one before
// it to 2^-24 of the step.
func (s *System) Retreat() {
	s.Sys.Extrapolate(s.old, s.X, s.ahead.Past, [4]float64{1: -1})
	s.ahead.Forget()
}

func (s *System) Hottest() float64 { return s.Sys.Max(s.X) }

func (s *System) Outflow() [6]float64 { return s.Sys.FaceHeat(s.X) }

// Stored is the change of the heat content. Where properties follow the temperature they are taken at the end of the
// step, for the faces too.
func (s *System) Stored() float64 {
	if s.Outer != nil {
		if err := s.Sys.RefreshAt(s.X, s.old); err != nil {
			return math.NaN()
		}
	}
	return s.Sys.Stored(s.X, s.old)
}

func (s *System) Field() solution.Field { return field{s.Dev, s.Sys, s.X, s.reductions} }
