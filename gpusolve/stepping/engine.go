// Package stepping runs thermal systems: to a steady state, and in time with fixed or adaptive time steps.
package stepping

import (
	"context"
	"errors"
	"time"

	"thermsim/gpusolve/direct"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/guess"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/memory"
	"thermsim/gpusolve/meshed"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/snapshot"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/powermap"
)

// Thermal is a system that a run solves, once or step by step: that of a mesh, with its state on the device, or a
// lumped one. The state is the rise above the ambient in K; heat is in W.
type Thermal interface {
	// Begin sets the initial state; with a nil field the system chooses it.
	Begin(start solution.Field) error
	// Advance makes the right-hand side of step n from t0 to t1, of the steady state where t1 is 0, and returns its
	// power. The state becomes the former one, and its extrapolation the initial guess of Settle. An error does not
	// change the states.
	Advance(n int, t0, t1 float64) (power float64, err error)
	// Settle improves the state until the options' rule for one of a number of systems is met. The error is a failure
	// of the device; the outcome describes the end of the solve.
	Settle(ctx context.Context, o *driver.Options, systems int, watch driver.Watch) (krylov.Outcome, error)
	// Retreat makes the former state the state again, and the one before it the former one.
	Retreat()
	Hottest() float64
	Outflow() [6]float64 // what leaves through each face
	Stored() float64     // what was stored in the step
	Field() solution.Field
}

// stepped is the system of a mesh. In addition to Thermal it takes stages of steps whose length may change, and its
// numbered states can be saved. A step of backward Euler is one stage.
type stepped interface {
	Thermal
	// Hold allocates n states. Number 0 is the present one.
	Hold(n int) error
	// Combine sets state dst to a x + b y; dst may be x or y.
	Combine(dst int, a float64, x int, b float64, y int)
	// Largest is the largest |x|. It may change the sign of x.
	Largest(x int) float64
	// Retime sets the operator up for stages of dt in s.
	Retime(dt float64) error
	// Load draws the mean power from t0 to t1, and returns it in W.
	Load(t0, t1 float64) (power float64, err error)
	// Stage takes a stage from a state. dst holds the initial guess.
	Stage(ctx context.Context, o *driver.Options, dst, from int, watch driver.Watch) (krylov.Outcome, error)
	// Show selects x as the state and from as the former one.
	Show(x, from int)
	// Held is the heat in W that the capacities store in the selected stage, according to its operator.
	Held() float64
	// Respond solves for the steady state under the drawings. judged requests residual and error.
	Respond(ctx context.Context, o *driver.Options, layers []powermap.Drawing, judged bool) (krylov.Outcome, error)
	// Vectors is the number of vectors that Keep copies.
	Vectors() int
	// Keep copies the state and the data of its extrapolation.
	Keep(into *guess.Past)
	// Resume restores what Keep has copied.
	Resume(from *guess.Past)
	// Redraw makes the right-hand side of drawings.
	Redraw(layers []powermap.Drawing)
	// Forget discards the former states that the extrapolation uses.
	Forget()
	// Snapshot saves or restores the state and the data of its extrapolation.
	Snapshot(c *snapshot.Coder)
}

// Engine runs a thermal system on its driver.
type Engine struct {
	*driver.Driver
	Thermal
	System  stepped // the system of a mesh, nil for lumped ones; one of the next two
	meshed  *meshed.System
	Direct  *direct.System
	Mesh    *mesh.Mesh // of the fields
	Timing  solution.Timing
	team    *team.Team // nil where no ranks share the grid
	Ambient float64    // K
	// Exchanged is the heat in W that the faces would exchange with a system at ambient temperature.
	Exchanged float64
}

// SolveSteady solves once. The engine is closed with the solution, or where there is none.
func (e *Engine) SolveSteady(ctx context.Context, o driver.Options) (*solution.Solution, error) {
	defer e.Dev.Bind()()
	start := time.Now()
	var watch driver.Watch
	if o.Progress != nil {
		watch = func(n int, err float64) { o.Progress(driver.Progress{Iteration: n, ErrorK: err}) }
	}
	power, err := e.Advance(0, 0, 0)
	var out krylov.Outcome
	var balance solution.Energy
	if err == nil {
		out, balance, err = e.settleSteady(ctx, o, power, watch, start)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	if e.meshed != nil && out.Converged {
		e.meshed.KeepNear()
	}
	s := e.solution(out)
	s.Energy = balance
	s.CheckBalance(e.Mesh)
	if err := e.Failure(); err != nil {
		e.Close()
		return nil, err
	}
	if out.Reason == krylov.Interrupted {
		return s, ctx.Err()
	}
	return s, nil
}

// solution gathers what is known after the last solve.
func (e *Engine) solution(out krylov.Outcome) *solution.Solution {
	s := &solution.Solution{
		Status: e.Status(out),
		Field:  e.shown(),
		PeakK:  e.Hottest() + e.Ambient,
		Device: e.Info,
		Timing: e.Timing,
		Memory: solution.Memory{DeviceBytes: e.Dev.Allocated()},
	}
	s.OnClose(e.leave)
	return s
}

// shown is the field of the solution.
func (e *Engine) shown() solution.Field {
	f := e.Field()
	if own, ok := f.(team.Shared); ok && e.team != nil && e.team.IsRoot() {
		return e.team.Field(own)
	}
	return f
}

// leave closes the engine, and lets the other ranks continue.
func (e *Engine) leave() {
	if e.team != nil && e.team.IsRoot() {
		_ = e.team.Others([]byte{team.AskOn}) // where it fails, they have failed
	}
	e.Close()
}

func (e *Engine) Status(out krylov.Outcome) solution.Status {
	if e.Direct != nil {
		return e.Direct.Status(out)
	}
	st := methods.Status(out, e.Solver, e.Pre)
	st.Fallback = e.Line.String(e.Pre.Name())
	if s := e.meshed; s != nil && s.Outer != nil {
		st.Nonlinear = s.Outer.Report()
	}
	return st
}

func (e *Engine) MethodText() string {
	if e.Direct != nil {
		return solution.MethodText(solution.MethodDirect, "fourier")
	}
	return solution.MethodText(e.Solver.Name(), e.Pre.Name())
}

// Open opens the device and sets up the solver for a mesh. A positive dt makes it a time stepper.
func Open(m *mesh.Mesh, o *driver.Job, steps int, dt float64) (*Engine, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := o.CheckCoolant(m); err != nil {
		return nil, err
	}
	if err := methods.CheckUnknowns(o.Preconditioner, m.Cells()); err != nil {
		return nil, err
	}
	if o.Ranks != nil {
		if o.Team == nil {
			return nil,
				methods.Refused(errors.New("several ranks solve only steady states and transients; omit --ranks"))
		}
		if err := o.CheckRanks(m); err != nil {
			return nil, err
		}
	}
	if l := Directly(m, o, dt); l != nil {
		s, err := direct.New(m, l, o, steps, dt)
		if err == nil {
			return &Engine{Driver: s.Driver, Thermal: s, System: s, Direct: s, Mesh: m, Timing: s.Driver.Timing,
				team: o.Team, Ambient: m.Stack.Ambient, Exchanged: s.Exchanged}, nil
		}
		if !errors.Is(err, driver.ErrSlowLink) {
			return nil, err
		}
	}
	return OpenIterated(m, o, steps, dt)
}

// OpenIterated is Open with an iterative solver.
func OpenIterated(m *mesh.Mesh, o *driver.Job, steps int, dt float64) (*Engine, error) {
	s, err := meshed.New(m, o, steps, dt)
	if err != nil {
		return nil, err
	}
	return &Engine{Driver: s.Driver, Thermal: s, System: s, meshed: s, Mesh: m, Timing: s.Driver.Timing, team: o.Team,
		Ambient: m.Stack.Ambient, Exchanged: s.Exchanged}, nil
}

// Directly is the operator of a mesh for the direct solver, nil where the options or the mesh require an iterative one.
func Directly(m *mesh.Mesh, o *driver.Job, dt float64) *fourier.Layered {
	if !methods.SolvesDirectly(m, o.Preconditioner) || o.Team != nil &&
		fourier.CheckRanks(m.NX(), m.NY(), o.Ranks.Size()) != nil || o.Executor != nil && !fourier.Runs(o.Executor) {
		return nil
	}
	l, err := fourier.Of(m, dt)
	if err != nil {
		return nil
	}
	return l
}

// AdaptiveNeed is the memory of adaptive time steps: Adaptive, or Periodic.
func AdaptiveNeed(m *mesh.Mesh, preconditioner string, periodic, gpu bool) memory.Need {
	s := memory.ShapeOf(m, true, gpu)
	if s.States = marchStates + 1; periodic {
		s.States = marchStates + cycleStates
	}
	if methods.SolvesDirectly(m, preconditioner) {
		return memory.OfDirect(s, 1)
	}
	return memory.Of(s, preconditioner, memory.SystemBytes(s))
}
