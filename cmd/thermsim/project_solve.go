package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/cmd/thermsim/exit"
	"thermsim/gpusolve"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/solution"
	"thermsim/interop/network"
	"thermsim/interop/network/netsolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// network is what stands in for the mesh, nil in most cases.
func (p *project) network() *network.Network {
	if p.result == nil {
		return nil
	}
	return p.result.Network
}

// steady solves for the steady field of the mesh, or of the network that stands in for it.
func (p *project) steady(ctx context.Context, m *mesh.Mesh, o gpusolve.Options) (*solution.Solution, error) {
	if n := p.network(); n != nil {
		return netsolve.Steady(ctx, n, m, o)
	}
	return gpusolve.Steady(ctx, m, o)
}

// transient steps the field of the mesh, or of the network that stands in for it. It starts from what the project says,
// unless that is overruled.
func (p *project) transient(ctx context.Context, m *mesh.Mesh, o gpusolve.Options, t gpusolve.TransientOptions,
	start *beginning) (*solution.Solution, error) {
	n := p.network()
	switch {
	case n != nil && start.run != "":
		return nil, exit.Usagef("--initial %s starts thermsim's own transients; under --compat give the simulator's "+
			"own file of initial temperatures", start.text)
	case n != nil && start.steady:
		return nil, exit.Usagef("--initial steady starts thermsim's own transients; under --compat give the " +
			"simulator's own file of initial temperatures")
	case n != nil:
		if start.kelvin > 0 {
			plain := *n
			plain.Initial = nil
			n = &plain
		}
		return netsolve.Transient(ctx, n, m, o, t)
	case t.Checkpoints != nil && t.Checkpoints.From != nil: // it has the state
	default:
		field, done, err := p.startField(ctx, m, o, t.Initial, start)
		if err != nil {
			return nil, err
		}
		defer done()
		t.Initial = field
	}
	return gpusolve.Transient(ctx, m, o, t)
}

// startField is the field that a run in time starts from, until done is called; nil for a uniform one. saved is that of
// a saved run where one is asked for.
func (p *project) startField(ctx context.Context, m *mesh.Mesh, o gpusolve.Options, saved solution.Field,
	start *beginning) (f solution.Field, done func(), err error) {
	switch {
	case start.steady:
		return steadyField(ctx, m, o)
	case saved == nil && p.result != nil && p.result.Initial != nil && start.kelvin == 0:
		f, err = m.Initial(p.result.Initial)
		return f, func() {}, err
	}
	return saved, func() {}, nil
}

// steadyField is the field of the steady state to start from, until done is called. Among ranks rank 0 has it in
// memory, and the others have none: they serve the solution of a steady state as long as it is open, and shall go on.
func steadyField(ctx context.Context, m *mesh.Mesh, o gpusolve.Options) (f solution.Field, done func(), err error) {
	first, err := steadyStart(ctx, m, o)
	if err != nil {
		return nil, nil, err
	}
	if o.Ranks == nil {
		return first.Field, func() { first.Close() }, nil
	}
	defer first.Close()
	if o.Ranks.Rank() == 0 {
		f, err = fields.Hold(m, first.Field)
	}
	return f, func() {}, err
}

// steadyStart is the steady state to start from.
func steadyStart(ctx context.Context, m *mesh.Mesh, o gpusolve.Options) (*solution.Solution, error) {
	first, err := gpusolve.Steady(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if first.Status.Converged {
		return first, nil
	}
	first.Close()
	if first.Status.Reason == solution.ReasonRunaway {
		return nil,
			exit.With(exit.Runaway,
				errors.New("thermal runaway: there is no steady state to start from; 'thermsim steady' tells the "+
					"largest power that has one; nothing was written"))
	}
	return nil,
		exit.With(exit.NotConverged,
			fmt.Errorf("the steady state to start from was not reached: %s after %d iterations; nothing was written",
				first.Status.Reason, first.Status.Iterations))
}

// finestTol is the tolerance in K below which --compat does not go by itself.
const finestTol = 1e-9

// printed makes --compat solve to what the simulator's files show: a tenth of their last decimal, unless another
// tolerance is asked for.
func (p *project) printed(v *stack.Solver) {
	if !p.compat || p.format == "" || p.places() < 0 || v.Tol > 0 || v.RTol > 0 || v.ATol > 0 {
		return
	}
	v.Tol = math.Max(finestTol, math.Min(gpusolve.DefaultTol, math.Pow10(-p.places()-1)))
}
