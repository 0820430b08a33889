// Package gpusolve turns a mesh into temperatures: devices, kernels, solvers and time stepping.
package gpusolve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/mesh"
	"thermsim/powermap"
)

// DefaultTol is the largest temperature error in K that a solve may leave unless told otherwise.
const DefaultTol = 1e-4

// Options of a solve. The zero value asks for the defaults.
type Options struct {
	Device         string         // "auto" (default), "cpu", "gpu", "gpu:N"
	Preconditioner string         // one of Preconditioners(), with settings as in "chebyshev:degree=30"; by default the first, and others where it stalls
	Tol            float64        // K, stop when the estimated largest error is below it; default DefaultTol
	RTol           float64        // stop on ||b - A x|| / ||b|| instead, when positive
	ATol           float64        // stop on ||b - A x||2 in W instead, when positive
	MaxIter        int            // per linear system; default 200 with multigrid, 50000 otherwise
	Progress       func(Progress) // may be nil
	// Executor solves in place of a device of the given name, if not nil. It is closed with the Solution.
	Executor ops.Device
	// Driver opens GPUs in place of the system's CUDA driver, if not nil.
	Driver cu.Driver
	// Notice is told at once what the user should know, as that "auto" goes on without a GPU that failed. May be nil.
	Notice func(text string)
}

// Progress of a running solve.
type Progress struct {
	Step, Steps int // transient: current step and total; 0 in a steady solve
	Iteration   int
	ErrorK      float64 // current estimate, NaN where there is none
	Time        float64 // s, simulated
}

// ErrDevice marks failures of the device: none where one was demanded, out of memory, lost.
var ErrDevice = errors.New("device failure")

// ErrOption marks options that make no sense.
var ErrOption = errors.New("invalid option")

// ErrSingular is returned for a steady problem that no face ties to a temperature.
var ErrSingular = errors.New("no face of the stack leads heat to a temperature, so a steady state does not exist; " +
	"give a face a heat transfer coefficient, a fixed temperature or a resistance, or run a transient")

// rule of a solve of n systems in sequence, whose errors may add up.
func (o *Options) rule(m precond.Preconditioner, systems int) krylov.Rule {
	r := krylov.Rule{ATol: o.ATol, RTol: o.RTol, Tol: o.Tol, MaxIter: o.MaxIter}
	if r.Tol <= 0 {
		r.Tol = DefaultTol
	}
	r.Tol /= float64(systems)
	if r.MaxIter <= 0 {
		r.MaxIter = 50000
		if m.Name() == methods()[0].name {
			r.MaxIter = 200
		}
	}
	return r
}

// engine is a mesh's system with its solver.
type engine struct {
	*driver
	sys    ops.System
	source ops.HeatSource
	old    ops.Vector       // of a time stepper
	older  ops.Vector       // the state before old
	sketch *powermap.Sketch // of a time stepper
	// exchanged is the heat in W that the faces would exchange with a stack at ambient temperature.
	exchanged float64
	line      line
}

// newEngine opens the device and sets everything up. A positive dt makes it a time stepper.
func newEngine(m *mesh.Mesh, o Options, steps int, dt float64) (*engine, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	e := &engine{}
	_, err := o.openDriver(o.demandOf(m, steps), func(dev ops.Device) (_ ops.Operator, err error) {
		if e.sys, err = dev.Assemble(m, dt); err != nil {
			return nil, err
		}
		return e.sys, e.heat(m, dt)
	}, func(d *driver) error {
		e.driver = d
		if err := o.checkEstimate(e.solver); err != nil {
			return err
		}
		if err := e.measure(); err != nil {
			return err
		}
		return e.prepare(o.rule(e.pre, max(1, steps)))
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// check refuses numbers that no rule can mean.
func (o *Options) check() error {
	for name, v := range map[string]float64{"tolerance in K": o.Tol, "relative tolerance": o.RTol, "absolute tolerance": o.ATol} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: %s is %g; give a positive number, or 0 for the default", ErrOption, name, v)
		}
	}
	if err := CheckPreconditioner(o.Preconditioner); err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	if o.MaxIter < 0 {
		return fmt.Errorf("%w: limit of %d iterations; give a positive number, or 0 for the default", ErrOption, o.MaxIter)
	}
	return nil
}

// checkEstimate refuses a rule in K for a solver that cannot tell its error in K.
func (o *Options) checkEstimate(s krylov.Solver) error {
	if _, ok := s.(*krylov.BiCGSTAB); ok && o.RTol <= 0 && o.ATol <= 0 {
		return fmt.Errorf("%w: solver=bicgstab gives no estimate of the error in K; give --rtol or --atol, or leave solver=bicgstab away", ErrOption)
	}
	return nil
}

// heat makes the right side.
func (e *engine) heat(m *mesh.Mesh, dt float64) (err error) {
	if e.source, err = e.sys.NewSource(true); err != nil {
		return err
	}
	if err = e.setPower(m, dt); err != nil || dt == 0 {
		return err
	}
	if e.old, err = e.sys.New64(); err != nil {
		return err
	}
	e.source.SetOld(e.old)
	e.older, err = e.sys.New64()
	return err
}

// measure finds what the faces exchange with a stack at ambient temperature; x is zero.
func (e *engine) measure() error {
	e.exchanged = 0
	for _, w := range e.sys.FaceHeat(e.x) {
		e.exchanged += math.Abs(w)
	}
	return e.failure()
}

// setPower draws the power of the steady state, or of the first time step.
func (e *engine) setPower(m *mesh.Mesh, dt float64) error {
	if dt == 0 {
		e.source.SetPower(m.Power.Steady())
		return nil
	}
	e.sketch = m.Power.Sketch()
	first, err := e.sketch.Over(0, dt)
	if err == nil {
		e.source.SetPower(first)
	}
	return err
}

// Steady solves for the steady temperature field. A solve that ends short of its tolerance is not an error: see Status.
func Steady(ctx context.Context, m *mesh.Mesh, o Options) (*Solution, error) {
	if !m.Grounded() {
		return nil, ErrSingular
	}
	e, err := newEngine(m, o, 0, 0)
	if err != nil {
		return nil, err
	}
	defer e.dev.Bind()()
	start := time.Now()
	var watch func(n int, err float64)
	if o.Progress != nil {
		watch = func(n int, err float64) { o.Progress(Progress{Iteration: n, ErrorK: err}) }
	}
	e.solver.StartFromZero()
	out, err := e.settle(ctx, &o, 1, watch)
	if err != nil {
		e.close()
		return nil, err
	}
	e.timing.Solve = time.Since(start)
	s := e.solution(out)
	s.PeakK = e.sys.Max(e.x) + m.Stack.Ambient
	s.Energy = e.balance(m.Power.Mapped, 0)
	if err := e.failure(); err != nil {
		e.close()
		return nil, err
	}
	if out.Reason == krylov.Interrupted {
		return s, ctx.Err()
	}
	return s, nil
}
