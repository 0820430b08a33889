// Package meshed solves the system of a mesh by iterations, also where properties or powers depend on the temperature.
package meshed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/device"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/guess"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/krylov/mixed"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/snapshot"
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
	Outer  *outer        // nil without temperature-dependent properties and leakage
	team   *team.Team    // nil where no ranks share the grid
	dt     float64       // s, 0 in a steady state

	From, To      float64 // s, of the current step
	extrapolation guess.Continuation
	near          *driver.Near
	fromPrevious  bool // steps start from the previous one, not from the extrapolation
	// Exchanged is the heat in W that the faces would exchange with a stack at ambient temperature.
	Exchanged float64

	reductions map[*reduction.Regions]reduction.Reduction // of its fields
}

// Demand is what a mesh and a number of time steps (0: steady) need of a device.
func Demand(o *driver.Job, m *mesh.Mesh, steps int) device.Demand {
	share := ""
	if o.Team != nil {
		share = fmt.Sprintf(" for the largest of %d equal parts of the grid", o.Team.Group.Size())
	}
	return device.Demand{Cells: m.Cells(), Steps: steps, Share: share, Solves: o.Solves, Cooled: m.Cooled(),
		Processor: o.OnProcessorOnly(m), Memory: func(multiprocessors int64) int64 {
			if o.Team != nil {
				return memory.OfRank(m, steps > 0, true, o.Team.Group.Size(), o.States).Peak()
			}
			s := memory.ShapeOf(m, steps > 0, true)
			s.Multiprocessors, s.States = multiprocessors, o.States
			return memory.Of(s, o.Preconditioner, memory.SystemBytes(s)).Peak()
		}}
}

func New(m *mesh.Mesh, o *driver.Job, steps int, dt float64) (*System, error) {
	s := &System{mesh: m, dt: dt, team: o.Team, fromPrevious: o.FromPrevious, near: o.Near,
		reductions: map[*reduction.Regions]reduction.Reduction{}}
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
			if s.extrapolation, err = guess.NewContinuation(s.Sys); err != nil {
				return methods.Blame(err)
			}
		}
		if err := o.CheckEstimate(s.Solver, m.Cooled()); err != nil {
			return err
		}
		if !endsEarly(s.Solver) && m.Leakage != nil {
			return methods.Refused(fmt.Errorf("%s does not apply: leakage needs conjugate gradients in default "+
				"precision; choose another preconditioner", o.Preconditioner))
		}
		s.Exchanged = driver.Exchange(s.Outflow()) // x is zero
		if err := s.Failure(); err != nil {
			return err
		}
		rule := o.Rule(s.Pre, max(1, steps))
		if s.Outer != nil {
			rule.Reduction = firstCut // the rule of its linear systems
		}
		return s.Prepare(rule)
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// heat makes the right-hand side, with the power of the steady state or of the first time step.
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

// follow prepares the iteration over temperature-dependent properties and leakage, where there are any.
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

// holdsCopies says whether the solver multiplies with a copy of A in its method, which must be updated with every A.
func (s *System) holdsCopies() bool {
	_, ok := s.Solver.(*mixed.Solver)
	return ok
}

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
		if !s.startNear() {
			s.Solver.StartFromZero()
		}
		return s.mesh.Power.Mapped, nil
	}
	s.From, s.To = t0, t1
	changed, err := s.power.Step(n, s.dt, t0, t1)
	if err != nil {
		return 0, err
	}
	if s.fromPrevious {
		s.extrapolation.Forget()
	}
	s.extrapolation.Extrapolate(s.Sys, s.X, s.old, changed, s.Outer != nil && s.Outer.Leakage != nil)
	return s.power.Watts, nil
}

// nearest starts from other states, on processors.
type nearest interface {
	Nearest(x ops.Vector, b ops.Source, states [][]float32)
}

// onNear is what gathers states of similar stacks, or starts from them, nil where that does not apply.
func (s *System) onNear(gathering bool) (nearest, *krylov.PCG) {
	const mostCells = 1 << 23
	n, length := s.near, s.mesh.Cells()+2*s.mesh.NX()
	if n == nil || n.Gathering != gathering || s.Outer != nil || s.team != nil || length > mostCells ||
		len(n.States) > 0 && len(n.States[0]) != length {
		return nil, nil
	}
	on, _ := s.Sys.(nearest)
	solver, _ := s.Solver.(*krylov.PCG)
	return on, solver
}

// startNear starts a steady state from others, where there are some.
func (s *System) startNear() bool {
	on, solver := s.onNear(false)
	if on == nil || solver == nil || len(s.near.States) == 0 {
		return false
	}
	solver.Expect(s.near.Seen)
	on.Nearest(s.X, s.source, s.near.States)
	return true
}

// KeepNear adds a steady state to those that are gathered.
func (s *System) KeepNear() {
	if on, solver := s.onNear(true); on != nil && solver != nil {
		values := make([]float64, s.mesh.Cells())
		s.Sys.Read(s.X, values)
		state := make([]float32, len(values)+2*s.mesh.NX())
		for i, v := range values {
			state[s.mesh.NX()+i] = float32(v)
		}
		s.near.States = append(s.near.States, state)
		s.near.Seen = solver.Seen(s.near.Seen)
	}
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

// Retreat subtracts the last difference, which was rounded to FP32. The state is then exact; the one before it has an
// error of 2^-24 of the step.
func (s *System) Retreat() {
	s.Sys.Extrapolate(s.old, s.X, s.extrapolation.Past, [4]float64{1: -1})
	s.extrapolation.Forget()
}

func (s *System) Hottest() float64 { return s.Sys.Max(s.X) }

func (s *System) Outflow() [6]float64 { return s.Sys.FaceHeat(s.X) }

// Stored is the change of the heat content. Temperature-dependent properties are taken at the end of the step, for the
// faces too.
func (s *System) Stored() float64 {
	if s.Outer != nil {
		if err := s.Sys.RefreshAt(s.X, s.old); err != nil {
			return math.NaN()
		}
	}
	return s.Sys.Stored(s.X, s.old)
}

func (s *System) Field() solution.Field { return field{s.Dev, s.Sys, s.X, s.reductions} }

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

// Sum sets state dst to a weighted sum of states where the device does this in one operation.
func (s *System) Sum(dst int, weights []float64, of []int) (ok bool) {
	on, ok := s.Sys.(interface {
		Sum(dst ops.Vector, weights []float64, of []ops.Vector)
	})
	if ok {
		terms := make([]ops.Vector, len(of))
		for n, x := range of {
			terms[n] = s.states[x]
		}
		on.Sum(s.states[dst], weights, terms)
	}
	return ok
}

func (s *System) Largest(x int) float64 {
	_, top := s.Sys.Inner(s.states[x], s.states[x])
	return top
}

func (s *System) Retime(dt float64) error {
	s.dt = dt
	var err error
	if r, ok := s.Sys.(interface{ Retime(dt float64) bool }); !ok || !r.Retime(dt) {
		err = s.Sys.Refresh(dt)
	}
	if s.Outer != nil && s.Outer.mixer != nil {
		s.Outer.made = false // the method is made with the properties at the state
	} else {
		err = errors.Join(err, s.Pre.Refresh())
	}
	if err != nil {
		return methods.Blame(err)
	}
	if t, ok := s.Solver.(interface{ Retime(dt float64) }); ok && s.Outer == nil {
		t.Retime(dt)
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

func (s *System) Vectors() int { return 2 + len(s.extrapolation.Past) }

func (s *System) Keep(into *guess.Past) {
	for n, x := range s.kept() {
		s.Sys.Read(x, into.Values[n])
	}
	into.Extrapolation, into.Power = s.extrapolation, s.power.Watts
}

func (s *System) Resume(from *guess.Past) {
	s.Forget()
	past := s.extrapolation.Past
	s.extrapolation, s.power.Watts = from.Extrapolation, from.Power
	s.extrapolation.Past = past
	for n, x := range s.kept() {
		s.Sys.Write(x, from.Values[n])
	}
}

// kept are the states and differences that the next step goes by.
func (s *System) kept() []ops.Vector {
	return append([]ops.Vector{s.X, s.old}, s.extrapolation.Past[:]...)
}

// Forget discards the former states, and what the iteration has learnt at other temperatures.
func (s *System) Forget() {
	s.extrapolation.Forget()
	if n := s.Outer; n != nil {
		n.made, n.rho, n.plain, n.since, n.again, n.firstK = false, 0, 0, 0, false, 0
		if n.Leakage != nil {
			n.checkedAt, n.cautious = math.Inf(-1), false
		}
	}
}

// SnapshotSolver is a solver whose state can be saved for later solves with the same operator.
type SnapshotSolver interface{ Snapshot(c *snapshot.Coder) }

func (s *System) Snapshot(c *snapshot.Coder) {
	s.power.Snapshot(c)
	s.extrapolation.Snapshot(c)
	s.Solver.(SnapshotSolver).Snapshot(c)
	states := s.states
	if states == nil {
		states = s.kept()
	}
	values := make([]float64, s.mesh.Cells())
	for _, x := range states {
		if !c.Reading() {
			s.Sys.Read(x, values)
		}
		if c.Values(values); c.Err() == nil && c.Reading() {
			s.Sys.Write(x, values)
		}
	}
}
