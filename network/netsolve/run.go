package netsolve

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/mesh"
	"thermsim/network"
)

// Steady solves for the steady temperatures of a network. A solve that ends short of its tolerance is not an error: see Status.
func Steady(ctx context.Context, n *network.Network, m *mesh.Mesh, o gpusolve.Options) (*gpusolve.Solution, error) {
	if len(n.Grounds) == 0 {
		return nil, gpusolve.ErrSingular
	}
	s, err := newSolver(ctx, n, m, o, 1, 0)
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

// Transient steps a network by backward Euler, as gpusolve.Transient does a mesh. It starts from the initial field of the options; without one from the
// network's own initial temperatures, or from the stack's.
func Transient(ctx context.Context, n *network.Network, m *mesh.Mesh, o gpusolve.Options, t gpusolve.TransientOptions) (*gpusolve.Solution, error) {
	if t.Steps < 1 || !(t.Dt > 0) {
		return nil, fmt.Errorf("%w: %d steps of %g s; both must be positive", gpusolve.ErrOption, t.Steps, t.Dt)
	}
	s, err := newSolver(ctx, n, m, o, t.Steps, t.Dt)
	if err != nil {
		return nil, err
	}
	defer s.open.Close()
	x, err := initialRises(n, m, t.Initial)
	if err != nil {
		return nil, err
	}
	out := &gpusolve.Solution{Field: field{n.At, x, m.Stack.Ambient}, Dt: t.Dt}
	var steps []gpusolve.Step
	iterations, errorK := 0, 0.0
	failure := "" // of the first step that did not converge
	for i := range t.Steps {
		t0, t1 := float64(i)*t.Dt, float64(i+1)*t.Dt
		watts, err := s.setWatts(t0, t1)
		if err != nil {
			return nil, err
		}
		if o.Progress != nil {
			s.watch = func(p gpusolve.Progress) {
				p.Step, p.Steps, p.Time = i, t.Steps, t0
				o.Progress(p)
			}
			s.watch(gpusolve.Progress{})
		}
		sol, next, err := s.advance(ctx, x)
		if err != nil {
			out.Status.Converged, out.Status.Reason = false, gpusolve.ReasonInterrupted
			return out, err // with what was finished
		}
		iterations += sol.Status.Iterations
		errorK += sol.Status.EstimatedErrorK
		if failure == "" && !sol.Status.Converged {
			failure = sol.Status.Reason
		}
		step := gpusolve.Step{Time: t1, Iterations: sol.Status.Iterations, MaxK: s.hottest(next), PowerW: watts, Converged: sol.Status.Converged}
		steps = append(steps, step)
		out = s.solution(sol, next)
		out.Steps, out.Status.IterationsTotal, out.Status.EstimatedErrorK = steps, iterations, errorK
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

// initialRises are the rises above ambient that a transient starts with. A field gives a node the mean of
// its cells, and says nothing of nodes that no cell belongs to.
func initialRises(n *network.Network, m *mesh.Mesh, start gpusolve.Field) ([]float64, error) {
	x := make([]float64, len(n.Capacity))
	for i := range x {
		if m.Stack.Transient.Initial > 0 {
			x[i] = m.Stack.Transient.Initial - m.Stack.Ambient
		}
		if n.Initial != nil {
			x[i] = n.Initial[i] - m.Stack.Ambient
		}
	}
	if start == nil {
		return x, nil
	}
	plane := make([]float64, m.NX()*m.NY())
	sums, counts := make([]float64, len(x)), make([]float64, len(x))
	for k := range n.At {
		if err := start.Plane(k, plane); err != nil {
			return nil, fmt.Errorf("the field to start from: %w", err)
		}
		for c, node := range n.At[k] {
			if !(plane[c] > 0) || math.IsInf(plane[c], 0) {
				return nil, fmt.Errorf("%w: the field to start from has %g K in cell %d of plane %d", gpusolve.ErrOption, plane[c], c, k)
			}
			sums[node] += plane[c] - m.Stack.Ambient
			counts[node]++
		}
	}
	for i, cells := range counts {
		if cells > 0 {
			x[i] = sums[i] / cells
		}
	}
	return x, nil
}
