package netsolve

import (
	"context"
	"fmt"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/network"
)

// Steady solves for the steady temperatures of a network. A solve that ends short of its tolerance is not an error: see Status.
func Steady(ctx context.Context, n *network.Network, m *mesh.Mesh, o gpusolve.Options) (*gpusolve.Solution, error) {
	if len(n.Grounds) == 0 {
		return nil, gpusolve.ErrSingular
	}
	s, err := newSolver(n, m, o, 0)
	if err != nil {
		return nil, err
	}
	defer s.open.Close()
	watts, err := s.setWatts(0, 0)
	if err != nil {
		return nil, err
	}
	sol, x, err := s.advance(ctx, make([]float64, len(n.Capacity)))
	if err != nil {
		return nil, err
	}
	out := s.solution(sol, x)
	out.Status.IterationsTotal = sol.Status.Iterations
	out.Energy = s.balance(watts, x, nil)
	return out, nil
}

// Transient steps a network by backward Euler from the stack's initial temperature, as gpusolve.Transient does a mesh.
func Transient(ctx context.Context, n *network.Network, m *mesh.Mesh, o gpusolve.Options, t gpusolve.TransientOptions) (*gpusolve.Solution, error) {
	if t.Steps < 1 || !(t.Dt > 0) {
		return nil, fmt.Errorf("%w: %d steps of %g s; both must be positive", gpusolve.ErrOption, t.Steps, t.Dt)
	}
	s, err := newSolver(n, m, o, t.Dt)
	if err != nil {
		return nil, err
	}
	defer s.open.Close()
	x := make([]float64, len(n.Capacity))
	for i := range x {
		x[i] = m.Stack.Transient.Initial - m.Stack.Ambient
		if m.Stack.Transient.Initial == 0 {
			x[i] = 0
		}
		if n.Initial != nil {
			x[i] = n.Initial[i] - m.Stack.Ambient
		}
	}
	out := &gpusolve.Solution{Field: field{n.At, x, m.Stack.Ambient}, Dt: t.Dt}
	var steps []gpusolve.Step
	iterations, failure := 0, "" // why the first step that did not converge ended
	for i := range t.Steps {
		t0, t1 := float64(i)*t.Dt, float64(i+1)*t.Dt
		watts, err := s.setWatts(t0, t1)
		if err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(gpusolve.Progress{Step: i, Steps: t.Steps, Time: t0})
		}
		sol, next, err := s.advance(ctx, x)
		if err != nil {
			out.Status.Converged, out.Status.Reason = false, gpusolve.ReasonInterrupted
			return out, err // with what was finished
		}
		iterations += sol.Status.Iterations
		if !sol.Status.Converged && failure == "" {
			failure = sol.Status.Reason
		}
		step := gpusolve.Step{Time: t1, Iterations: sol.Status.Iterations, MaxK: s.hottest(next), PowerW: watts, Converged: sol.Status.Converged}
		steps = append(steps, step)
		out = s.solution(sol, next)
		out.Steps, out.Status.IterationsTotal = steps, iterations
		if failure != "" {
			out.Status.Converged, out.Status.Reason = false, failure
		}
		out.Energy = s.balance(watts, next, x)
		x = next
		if t.OnStep != nil {
			if err := t.OnStep(step, out.Field); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}
