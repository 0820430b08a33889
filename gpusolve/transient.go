package gpusolve

import (
	"context"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
)

// Transient steps the field in time by backward Euler from the initial field, or from the stack's initial temperature.
// The operator and the preconditioner are set up once; each step starts from a fit to the differences of those before,
// see continuation. The power of a step is the mean of the trace over it.
//
// The tolerance in K holds for the whole run, as errors of single steps may add up: each step gets an equal part of
// what the steps before have left of it.
//
// On cancellation, or when OnStep fails, it returns what was finished together with the error.
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

// Adaptive steps the field in time by TR-BDF2. Powers are constant over every step, which ends where they change. A
// step is as long as the estimate of its error allows, on a ladder of lengths: see solution.Stepping for what became of
// it. The error of a solve stays below a twentieth of that of a step, and of the options' tolerance.
//
// On cancellation, or when OnStep fails, it returns what was finished together with the error.
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

// Periodic finds the state x at the start of a period T of the powers that is the same at its end, and steps through
// that period by TR-BDF2.
func Periodic(ctx context.Context, m *mesh.Mesh, o Options, p PeriodicOptions) (*Solution, error) {
	plan, err := p.Plan(m)
	if err != nil {
		return nil, err
	}
	return onRanks(ctx, o, func(ctx context.Context, o driver.Job) (*Solution, error) {
		return stepping.Periodic(ctx, m, o, plan, p.Tol)
	})
}
