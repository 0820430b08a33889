// Package gpusolve computes the temperatures of a mesh, steady and transient, on processors and GPUs.
package gpusolve

import (
	"context"
	"errors"

	"thermsim/gpusolve/device"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/methods"
	"thermsim/gpusolve/precond"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
	"thermsim/stack"
)

// Steady solves for the steady temperature field. A solve that ends short of its tolerance is not an error: see Status.
func Steady(ctx context.Context, m *mesh.Mesh, o Options) (*Solution, error) {
	if !m.Grounded() {
		return nil, ErrSingular
	}
	return onRanks(ctx, o, func(ctx context.Context, o driver.Job) (*Solution, error) {
		e, err := stepping.Open(m, &o, 0, 0)
		if err != nil {
			return nil, err
		}
		return e.SolveSteady(ctx, o.Options)
	})
}

// Transient steps the field in time by backward Euler from the initial field, or from the stack's initial temperature.
// The operator and the preconditioner are set up once; each step starts from an extrapolation of the previous ones, see
// guess.Continuation. The power of a step is the mean of the trace over it.
//
// The tolerance in K applies to the whole run, because errors of steps may add up. Each step gets an equal part of what
// the previous steps have left of it.
//
// On cancellation, or when OnStep fails, it returns the finished steps together with the error.
func Transient(ctx context.Context, m *mesh.Mesh, o Options, t TransientOptions) (*Solution, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if o.Ranks != nil && t.Checkpoints != nil {
		return nil, errTeamCheckpoints
	}
	return onRanks(ctx, o, func(ctx context.Context, o driver.Job) (*Solution, error) {
		e, err := stepping.Open(m, &o, t.Steps, t.Dt)
		if err != nil {
			return nil, err
		}
		return e.Transient(ctx, o.Options, t)
	})
}

// Adaptive steps the field in time by TR-BDF2. Powers are constant over every step, which ends where they change. The
// estimate of its error sets the length of a step, on a ladder of lengths; solution.Stepping describes the result. The
// error of a solve stays below a twentieth of the error of a step, and of the options' tolerance.
//
// On cancellation, or when OnStep fails, it returns the finished steps together with the error.
func Adaptive(ctx context.Context, m *mesh.Mesh, o Options, a AdaptiveOptions) (*Solution, error) {
	if err := a.Check(m); err != nil {
		return nil, err
	}
	if o.Ranks != nil && a.Checkpoints != nil {
		return nil, errTeamCheckpoints
	}
	return onRanks(ctx, o, func(ctx context.Context, o driver.Job) (*Solution, error) {
		return stepping.Adaptive(ctx, m, o, &a)
	})
}

// Periodic finds the state that is the same at the start and the end of a period of the powers, and steps through that
// period by TR-BDF2.
func Periodic(ctx context.Context, m *mesh.Mesh, o Options, p PeriodicOptions) (*Solution, error) {
	plan, err := p.Plan(m)
	if err != nil {
		return nil, err
	}
	return onRanks(ctx, o, func(ctx context.Context, o driver.Job) (*Solution, error) {
		return stepping.Periodic(ctx, m, o, plan, p.Tol)
	})
}

var errTeamCheckpoints = methods.Refused(errors.New("several ranks do not support checkpoints"))

// onRanks runs a solve, on all ranks where there are several. Rank 0 has the solution, whose field requests values from
// the other ranks; these return when it is closed.
func onRanks(ctx context.Context, o Options, run func(ctx context.Context, o driver.Job) (*Solution, error)) (*Solution,
	error) {
	all := o.Ranks
	if all == nil {
		return run(ctx, driver.Job{Options: o})
	}
	ctx, group := ranks.Agreeing(ctx, all)
	t := team.New(group)
	s, err := run(ctx, driver.Job{Options: o, Team: t})
	if s == nil {
		all.Fail(err)
		return nil, err
	}
	if own, ok := s.Field.(team.Shared); ok && !t.IsRoot() {
		err = errors.Join(err, t.Serve(own))
		s.Close()
	}
	return s, err
}

// Refusal is the error of Steady and Transient for options that cannot solve a stack, found before its mesh is built;
// nil for valid options. It does not find errors that depend on the values of the matrix, such as the breakdown of a
// factorization.
func Refusal(s *stack.Stack, o Options) error {
	if err := o.Check(); err != nil {
		return err
	}
	if name, _ := precond.Split(o.Preconditioner); name == "fourier" {
		if err := fourier.Refusal(s); err != nil {
			return methods.Blame(err)
		}
	}
	m, err := mesh.Build(slab(s.Leaks()))
	if err != nil {
		return err
	}
	o.Device = "cpu"
	e, err := stepping.OpenIterated(m, &driver.Job{Options: o}, 0, 0)
	if err == nil {
		e.Close()
	}
	return err
}

// slab is a small stack that every method solves with compatible settings, except that not all of them solve leakage.
func slab(leaks bool) *stack.Stack {
	s := &stack.Stack{
		Schema: 1, Ambient: 300, Size: [2]float64{1e-3, 1e-3},
		Grid:      stack.Grid{X: stack.Axis{Cells: 4}, Y: stack.Axis{Cells: 4}},
		Materials: []stack.Material{{Name: "silicon", K: [3]float64{100, 100, 100}, C: 1e6}},
		Layers:    []stack.Layer{{Name: "die", Thickness: 1e-3, Cells: 2}},
	}
	if leaks {
		law := &stack.Curve{Law: stack.PolynomialLaw, Coefficients: []float64{1, 1e-3}, At: 300,
			Range: [2]float64{250, 400}}
		s.Layers[0].Powers = []stack.Power{{Area: s.Domain(), Leakage: stack.Leakage{Watts: 1e-6, Factor: law}}}
	}
	s.Boundary[stack.Top] = stack.Boundary{Kind: stack.Convective, H: 1e4, Temperature: s.Ambient}
	return s
}

// OpenAhead starts to open the GPU for a stack while the stack is meshed. It is nil where the choice of the device
// depends on the mesh.
func OpenAhead(s *stack.Stack, o Options) *Opening {
	return device.OpenAhead(s, *o.Opening(), o.Preconditioner)
}

// Types of the packages below that callers of this package use.
type (
	Options          = driver.Options
	Near             = driver.Near
	Progress         = driver.Progress
	Opening          = device.Opening
	TransientOptions = stepping.TransientOptions
	AdaptiveOptions  = stepping.AdaptiveOptions
	PeriodicOptions  = stepping.PeriodicOptions
	Checkpoints      = stepping.Checkpoints
	Solution         = solution.Solution
	Status           = solution.Status
	Field            = solution.Field
	Energy           = solution.Energy
	DeviceInfo       = solution.DeviceInfo
	Timing           = solution.Timing
	Step             = solution.Step
)

const DefaultTol = driver.DefaultTol

var (
	ErrDevice       = solution.ErrDevice
	ErrOption       = solution.ErrOption
	ErrSingular     = solution.ErrSingular
	ErrRunaway      = stepping.ErrRunaway
	ErrUnsettled    = stepping.ErrUnsettled
	ErrPeriod       = stepping.ErrPeriod
	ErrNoCheckpoint = stepping.ErrNoCheckpoint
	ErrOtherRun     = stepping.ErrOtherRun
	ErrNotKept      = fields.ErrNotKept
	ErrStopped      = team.ErrStopped
)
