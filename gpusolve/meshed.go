package gpusolve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/downstream"
	"thermsim/gpusolve/precond/multigrid"
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
	"thermsim/powermap"
)

// meshed is a mesh's system with its state on the device.
type meshed struct {
	*driver
	mesh   *mesh.Mesh
	sys    ops.System
	source ops.HeatSource
	old    ops.Vector   // of a time stepper
	states []ops.Vector // of stages, by number; nil where there are none
	power  powers       // of a time stepper's steps
	outer  *outer       // nil where no property follows the temperature
	team   *team        // nil where no ranks share the grid
	dt     float64      // s, 0 in a steady state

	from, to float64 // s, of the current step
	ahead    continuation
	// exchanged is the heat in W that the faces would exchange with a stack at ambient temperature.
	exchanged float64

	reductions map[*reduction.Regions]reduction.Reduction // of its fields
}

// demandOf is what a mesh and a number of time steps (0: steady) ask of a device.
func demandOf(o *job, m *mesh.Mesh, steps int) demand {
	warm := func(d *cuda.Device) error { return errors.Join(d.LoadSystems(), multigrid.Warm(d, m.NZ())) }
	if m.Cooled() {
		warm = func(d *cuda.Device) error { return errors.Join(d.LoadSystems(), downstream.Warm(d, m)) }
	}
	share := ""
	if o.team != nil {
		share = fmt.Sprintf(" for the largest of %d equal parts of the grid", o.team.group.Size())
	}
	return demand{cells: m.Cells(), steps: steps, share: share, solves: o.solves, cooled: m.Cooled(),
		processor: o.onProcessorOnly(m), warm: warm, memory: func(multiprocessors int64) int64 {
			if o.team != nil {
				return rankNeed(m, steps > 0, true, o.team.group.Size(), o.states).Peak()
			}
			s := shapeOf(m, steps > 0, true)
			s.Multiprocessors, s.States = multiprocessors, o.states
			return needOf(s, o.Preconditioner, systemBytes(s)).Peak()
		}}
}

// newMeshed sets an iteration up.
func newMeshed(m *mesh.Mesh, o *job, steps int, dt float64) (*meshed, error) {
	s := &meshed{mesh: m, dt: dt, team: o.team, reductions: map[*reduction.Regions]reduction.Reduction{}}
	s.power = powers{supply: o.supply(m, dt), put: s.redraw}
	_, err := o.openDriver(demandOf(o, m, steps), func(d *driver) error {
		return d.setup(o.Preconditioner, func(dev ops.Device) (_ ops.Operator, err error) {
			if s.sys, err = dev.Assemble(m, dt); err != nil {
				return nil, err
			}
			return s.sys, s.heat()
		})
	}, func(d *driver) error {
		s.driver = d
		if s.dt > 0 && o.states == 0 {
			var err error
			if s.ahead, err = newContinuation(s.sys); err != nil {
				return blame(err)
			}
		}
		if err := o.checkEstimate(s.solver, m.Cooled()); err != nil {
			return err
		}
		if !endsEarly(s.solver) && m.Leakage != nil {
			return refused(fmt.Errorf("%s does not apply: leakage needs conjugate gradients in the usual precision; "+
				"choose another preconditioner", o.Preconditioner))
		}
		s.exchanged = exchange(s.outflow()) // x is zero
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
	return s, nil
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
	if err := s.power.draw(0, s.dt); err != nil {
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
	s.outer = &outer{system: s.sys}
	if s.dt > 0 {
		s.outer.old = func() ops.Vector { return s.old }
	}
	if s.mesh.TemperatureDependent() {
		if s.outer.mixer, err = newAnderson(s.sys); err != nil {
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

// redraw makes the right side of drawings.
func (s *meshed) redraw(layers []powermap.Drawing) { s.source.SetPower(layers) }

func (s *meshed) begin(start Field) error {
	if s.team != nil || start == nil {
		rise := uniform(s.mesh)
		s.sys.Fill(s.x, rise)
		s.sys.Fill(s.old, rise)
	}
	if s.team != nil {
		return s.beginOnRanks(start)
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
	changed, err := s.power.step(n, s.dt, t0, t1)
	if err != nil {
		return 0, err
	}
	s.ahead.extrapolate(s.sys, s.x, s.old, changed, s.outer != nil && s.outer.leakage != nil)
	return s.power.watts, nil
}

// respond solves for another power, from zero.
func (s *meshed) respond(ctx context.Context, o *Options, layers []powermap.Drawing, _ bool) (krylov.Outcome, error) {
	s.supply(layers)
	s.sys.Fill(s.x, 0)
	s.solver.StartFromZero()
	return s.settle(ctx, o, 1, nil)
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

func (s *meshed) outflow() [6]float64 { return s.sys.FaceHeat(s.x) }

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
