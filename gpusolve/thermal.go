package gpusolve

import (
	"context"
	"time"

	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/snapshot"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/powermap"
)

// thermal is a system that a run solves, once or step by step: a mesh's, with its state on the device, or a lumped one.
// The state is the rise above the ambient in K; heat is in W.
type thermal interface {
	// begin sets the state that the first step starts from; a nil field leaves it to the system.
	begin(start Field) error
	// advance makes the right side of step n from t0 to t1, of the steady state where t1 is 0, and returns its power.
	// The state becomes the former one, and its continuation what settle starts from. An error leaves the states alone.
	advance(n int, t0, t1 float64) (power float64, err error)
	// settle improves the state until the options' rule for one of a number of systems is met. The error is a failure;
	// how the solve ended is in the outcome.
	settle(ctx context.Context, o *Options, systems int, watch func(iteration int, errorK float64)) (krylov.Outcome,
		error)
	// retreat makes the former state the state again, and the one before it the former one.
	retreat()
	hottest() float64
	outflow() [6]float64 // what leaves through each face
	stored() float64      // what was stored in the step
	field() Field
}

// stepped is a mesh's system, which can do more than run: it takes stages of steps whose length may change, and its
// states, by number, can be put aside. A step of backward Euler is one stage.
type stepped interface {
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
	// respond solves for the steady state under the drawings. judged says that residual and error are wanted.
	respond(ctx context.Context, o *Options, layers []powermap.Drawing, judged bool) (krylov.Outcome, error)
	// vectors are as many values as keep needs.
	vectors() int
	// keep copies the state, and what its continuation needs.
	keep(into *past)
	// resume makes what was kept the state again.
	resume(from *past)
	// redraw makes the right side of drawings.
	redraw(layers []powermap.Drawing)
	// forget ends the continuation: the next state has no past.
	forget()
	// snapshot takes the state, and what its continuation goes by.
	snapshot(c *snapshot.Coder)
}

// engine runs a thermal system on its driver.
type engine struct {
	*driver
	thermal
	system  stepped // the same of a mesh, nil of lumped ones; it is one of the next two
	meshed  *meshed
	direct  *direct
	mesh    *mesh.Mesh // of the fields
	timing  Timing
	team    *team   // nil where no ranks share the grid
	ambient float64 // K
	// exchanged is the heat in W that the faces would exchange with a system at ambient temperature.
	exchanged float64
}

// steady solves once. The engine is closed with the solution, or where there is none.
func (e *engine) steady(ctx context.Context, o Options) (*Solution, error) {
	defer e.dev.Bind()()
	start := time.Now()
	var watch func(n int, err float64)
	if o.Progress != nil {
		watch = func(n int, err float64) { o.Progress(Progress{Iteration: n, ErrorK: err}) }
	}
	power, err := e.advance(0, 0, 0)
	var out krylov.Outcome
	var balance Energy
	if err == nil {
		out, balance, err = e.settleSteady(ctx, o, power, watch)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	e.timing.Solve = time.Since(start)
	s := e.solution(out)
	s.Energy = balance
	s.Heed(e.mesh)
	if err := e.failure(); err != nil {
		e.Close()
		return nil, err
	}
	if out.Reason == krylov.Interrupted {
		return s, ctx.Err()
	}
	return s, nil
}

// solution gathers what is known after the last solve.
func (e *engine) solution(out krylov.Outcome) *Solution {
	s := &Solution{
		Status: e.status(out),
		Field:  e.shown(),
		PeakK:  e.hottest() + e.ambient,
		Device: e.info,
		Timing: e.timing,
		Memory: Memory{DeviceBytes: e.dev.Allocated()},
	}
	s.OnClose(e.leave)
	return s
}

// shown is the field for those who look at the solution.
func (e *engine) shown() Field {
	f := e.field()
	if own, ok := f.(sharedField); ok && e.team != nil && e.team.lead() {
		return e.team.field(own)
	}
	return f
}

// leave closes the engine; other ranks need not wait for questions any more.
func (e *engine) leave() {
	if e.team != nil && e.team.lead() {
		_ = e.team.others([]byte{askOn}) // where it fails, they have failed
	}
	e.Close()
}

// status tells how the last solve ended.
func (e *engine) status(out krylov.Outcome) Status {
	if e.direct != nil {
		return e.direct.status(out)
	}
	st := status(out, e.solver, e.pre)
	st.Fallback = e.line.String(e.pre.Name())
	if s := e.meshed; s != nil && s.outer != nil {
		st.Nonlinear = s.outer.report()
	}
	return st
}

// method names the solver.
func (e *engine) method() string {
	if e.direct != nil {
		return solution.MethodText(solution.MethodDirect, "fourier")
	}
	return solution.MethodText(e.solver.Name(), e.pre.Name())
}
