package main

import (
	"context"
	"math"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/network"
	"thermsim/network/netsolve"
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
func (p *project) steady(ctx context.Context, m *mesh.Mesh, o gpusolve.Options) (*gpusolve.Solution, error) {
	if n := p.network(); n != nil {
		return netsolve.Steady(ctx, n, m, o)
	}
	return gpusolve.Steady(ctx, m, o)
}

// transient steps the field of the mesh, or of the network that stands in for it. It starts from what the project says, unless that is overruled by a
// uniform temperature.
func (p *project) transient(ctx context.Context, m *mesh.Mesh, o gpusolve.Options, t gpusolve.TransientOptions, uniform bool) (*gpusolve.Solution, error) {
	if n := p.network(); n != nil {
		if uniform {
			plain := *n
			plain.Initial = nil
			n = &plain
		}
		return netsolve.Transient(ctx, n, m, o, t)
	}
	if p.result != nil && p.result.Initial != nil && !uniform {
		start, err := m.Initial(p.result.Initial)
		if err != nil {
			return nil, err
		}
		t.Initial = start
	}
	return gpusolve.Transient(ctx, m, o, t)
}

// finestTol is the tolerance in K below which --compat does not go by itself.
const finestTol = 1e-9

// printed makes --compat solve to what the simulator's files show: a tenth of their last decimal, unless another tolerance is asked for.
func (p *project) printed(v *stack.Solver) {
	if !p.compat || p.format == "" || p.decimals.count() < 0 || v.Tol > 0 || v.RTol > 0 || v.ATol > 0 {
		return
	}
	v.Tol = math.Max(finestTol, math.Min(gpusolve.DefaultTol, math.Pow10(-p.decimals.count()-1)))
}
