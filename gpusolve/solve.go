// Package gpusolve turns a mesh into temperatures: devices, kernels, solvers and time stepping.
package gpusolve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/ranks"
	"thermsim/internal/timeline"
	"thermsim/mesh"
	"thermsim/powermap"
)

// DefaultTol is the largest temperature error in K that a solve may leave unless told otherwise.
const DefaultTol = 1e-4

// Options of a solve. The zero value asks for the defaults.
type Options struct {
	Device string // "auto" (default), "cpu", "gpu", "gpu:N"
	// one of Preconditioners(), with settings as in "chebyshev:degree=30"; by default the first, and others where it
	// stalls
	Preconditioner string
	Tol            float64        // K, stop when the estimated largest error is below it; default DefaultTol
	RTol           float64        // stop on ||b - A x|| / ||b|| instead, when positive
	ATol           float64        // stop on ||b - A x||2 in W instead, when positive
	MaxIter        int            // per linear system; default 200 with multigrid, 50000 otherwise
	Progress       func(Progress) // may be nil
	// Executor solves in place of a device of the given name, if not nil. It is closed with the Solution.
	Executor ops.Device
	// Ahead is a GPU that is being opened already, by OpenAhead, and is taken where a GPU solves. May be nil.
	Ahead *Opening
	// Driver opens GPUs in place of the system's CUDA driver, if not nil.
	Driver cudriver.Driver
	// Power supplies the powers of time steps, where somebody sets them meanwhile: Controls of the mesh's power map.
	// nil stands for those of the stack.
	Power *powermap.Controls
	// Notice is told at once what the user should know, as that "auto" goes on without a GPU that failed. May be nil.
	Notice func(text string)
	// Ranks solve together where it is not nil: Steady or Transient is called on each with the same mesh and options,
	// Ranks and Device aside. Each has a slab of the grid's rows. Rank 0 has the solution and is told of steps; the
	// others return when it has closed it, with a field that nobody may read.
	Ranks ranks.Group

	// Timeline notes the parts of opening a GPU, and the longer calls of its driver. May be nil.
	Timeline *timeline.Log
	states   int64 // of steps that follow the temperatures

	solves int   // that "auto" weighs, where there are several
	team   *team // of Ranks
}

// Progress of a running solve.
type Progress struct {
	Step, Steps int // transient: current step and total; 0 in a steady solve
	Iteration   int
	ErrorK      float64 // current estimate, NaN where there is none
	Time        float64 // s, simulated
	Until       float64 // s, where steps follow the temperatures: the end of the run, which may be infinite
}

// ErrDevice marks failures of the device: none where one was demanded, out of memory, lost.
var ErrDevice = errors.New("device failure")

// ErrOption marks options that make no sense.
var ErrOption = errors.New("invalid option")

// ErrSingular is returned for a steady problem that no face ties to a temperature.
var ErrSingular = errors.New("no face of the stack leads heat to a temperature, so a steady state does not exist; " +
	"give a face a heat transfer coefficient, a fixed temperature or a resistance, or run a transient")

// supply is where a time stepper has its powers from; nil in a steady state.
func (o *Options) supply(m *mesh.Mesh, dt float64) powermap.Supply {
	switch {
	case dt == 0:
		return nil
	case o.Power != nil:
		return o.Power
	}
	return m.Power.Sequence()
}

// rule of a solve of n systems in sequence, whose errors may add up.
func (o *Options) rule(m precond.Preconditioner, systems int) krylov.Rule {
	r := krylov.Rule{ATol: o.ATol, RTol: o.RTol, Tol: o.tolerance() / float64(systems), MaxIter: o.MaxIter}
	if r.MaxIter <= 0 {
		r.MaxIter = 50000
		if m.Name() == methods()[0].Name {
			r.MaxIter = 200
		}
	}
	return r
}

// tolerance in K.
func (o *Options) tolerance() float64 {
	if o.Tol > 0 {
		return o.Tol
	}
	return DefaultTol
}

// check refuses numbers that no rule can mean.
func (o *Options) check() error {
	for name, v := range map[string]float64{"tolerance in K": o.Tol, "relative tolerance": o.RTol,
		"absolute tolerance": o.ATol} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("%w: %s is %g; give a positive number, or 0 for the default", ErrOption, name, v)
		}
	}
	if err := CheckPreconditioner(o.Preconditioner); err != nil {
		return refusal{err}
	}
	if o.MaxIter < 0 {
		return fmt.Errorf("%w: limit of %d iterations; give a positive number, or 0 for the default", ErrOption,
			o.MaxIter)
	}
	return nil
}

// checkEstimate refuses a rule in K for a solver that cannot tell its error in K.
func (o *Options) checkEstimate(s krylov.Solver, cooled bool) error {
	if _, ok := s.(*krylov.BiCGSTAB); !ok || o.RTol > 0 || o.ATol > 0 {
		return nil
	}
	if name := methods()[0].Name; cooled {
		return refusal{fmt.Errorf("%s gives no estimate of the error in K where coolant flows; give --rtol or "+
			"--atol, or choose %s, which does", o.Preconditioner, name)}
	}
	return refusal{errors.New("solver=bicgstab gives no estimate of the error in K; give --rtol or --atol, or leave " +
		"solver=bicgstab away")}
}

// Steady solves for the steady temperature field. A solve that ends short of its tolerance is not an error: see Status.
func Steady(ctx context.Context, m *mesh.Mesh, o Options) (*Solution, error) {
	if !m.Grounded() {
		return nil, ErrSingular
	}
	return o.onRanks(ctx, func(ctx context.Context, o Options) (*Solution, error) {
		e, err := newEngine(m, o, 0, 0)
		if err != nil {
			return nil, err
		}
		return e.steady(ctx, o)
	})
}
