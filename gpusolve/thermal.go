package gpusolve

import (
	"context"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/krylov"
	"thermsim/mesh"
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
	faceHeat() [6]float64 // what leaves through each face
	stored() float64      // what was stored in the step
	field() Field
}

// engine runs a thermal system on its driver.
type engine struct {
	*driver
	thermal
	mesh    *mesh.Mesh // of the fields
	timing  Timing
	team    *team   // nil where no ranks share the grid
	ambient float64 // K
	// exchanged is the heat in W that the faces would exchange with a system at ambient temperature.
	exchanged float64
}

// exchange is what leaves and enters through the faces.
func exchange(t thermal) float64 {
	sum := 0.0
	for _, w := range t.faceHeat() {
		sum += math.Abs(w)
	}
	return sum
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
		e.close()
		return nil, err
	}
	e.timing.Solve = time.Since(start)
	s := e.solution(out)
	s.Energy = balance
	s.Heed(e.mesh)
	if err := e.failure(); err != nil {
		e.close()
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

// status tells how the last solve ended.
func (e *engine) status(out krylov.Outcome) Status {
	if d, ok := e.thermal.(*direct); ok {
		return d.status(out)
	}
	st := status(out, e.solver, e.pre)
	st.Fallback = e.line.String(e.pre.Name())
	if s, ok := e.thermal.(*meshed); ok && s.outer != nil {
		st.Nonlinear = s.outer.report()
	}
	return st
}

// uniform is the rise that a stack starts with where no field is given.
func uniform(m *mesh.Mesh) float64 {
	if initial := m.Stack.Transient.Initial; initial > 0 {
		return initial - m.Stack.Ambient
	}
	return 0
}

// risesOf reads a field on the planes of a mesh.
func risesOf(m *mesh.Mesh, f Field) ([]float64, error) {
	sheet := m.NX() * m.NY()
	rises := make([]float64, m.Cells())
	for k := range m.NZ() {
		if err := readRises(m, f, k, rises[k*sheet:(k+1)*sheet]); err != nil {
			return nil, err
		}
	}
	return rises, nil
}

// readRises reads plane k.
func readRises(m *mesh.Mesh, f Field, k int, plane []float64) error {
	if err := f.Plane(k, plane); err != nil {
		return fmt.Errorf("the field to start from: %w", err)
	}
	for c, kelvin := range plane {
		if !(kelvin > 0) || math.IsInf(kelvin, 0) {
			return fmt.Errorf("%w: the field to start from has %g K in cell %d of plane %d", ErrOption, kelvin, c, k)
		}
		plane[c] = kelvin - m.Stack.Ambient
	}
	return nil
}
