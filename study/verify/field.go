package verify

import (
	"context"
	"fmt"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
	"thermsim/stack"
)

// solveTol is the largest estimated error (K) that the cases accept from the solver, far below what they compare.
const solveTol = 1e-7

// solver solves the stacks of the cases, all with the same options.
type solver struct {
	options gpusolve.Options
	perturb func(*stack.Stack) // changes every stack, in tests of the limits of errors; may be nil
}

func (s solver) build(st *stack.Stack) (*mesh.Mesh, error) {
	if s.perturb != nil {
		s.perturb(st)
	}
	return mesh.Build(st)
}

// field is a temperature field as rises above the stack's ambient, in K, x fastest.
type field struct {
	*mesh.Mesh
	solution *solution.Solution
	rise     []float64
}

func (f *field) at(i, j, k int) float64 { return f.rise[(k*f.NY()+j)*f.NX()+i] }

// plane k of the field.
func (f *field) plane(k int) []float64 {
	n := f.NX() * f.NY()
	return f.rise[k*n : (k+1)*n]
}

// max is the hottest rise.
func (f *field) max() float64 {
	m := f.rise[0]
	for _, v := range f.rise {
		m = max(m, v)
	}
	return m
}

// steady solves for the steady field; a solve that does not converge is an error.
func (s solver) steady(ctx context.Context, st *stack.Stack) (*field, error) {
	m, err := s.build(st)
	if err != nil {
		return nil, err
	}
	sol, err := gpusolve.Steady(ctx, m, s.options)
	if err != nil {
		return nil, err
	}
	return converged(m, sol)
}

// transient steps the field in time and returns the last one.
func (s solver) transient(ctx context.Context, st *stack.Stack, steps int, dt float64) (*field, error) {
	m, err := s.build(st)
	if err != nil {
		return nil, err
	}
	sol, err := gpusolve.Transient(ctx, m, s.options, gpusolve.TransientOptions{Steps: steps, Dt: dt})
	if err != nil {
		return nil, err
	}
	for n, step := range sol.Steps {
		if !step.Converged {
			return nil, fmt.Errorf("step %d of %d did not converge (%s)", n+1, steps, sol.Status.Reason)
		}
	}
	return converged(m, sol)
}

func converged(m *mesh.Mesh, sol *solution.Solution) (*field, error) {
	if !sol.Status.Converged {
		return nil, fmt.Errorf("the solver did not converge: %s after %d iterations, estimated error %.2g K",
			sol.Status.Reason, sol.Status.Iterations, sol.Status.EstimatedErrorK)
	}
	rise, err := m.ReadField(sol.Field)
	if err != nil {
		return nil, err
	}
	f := &field{Mesh: m, solution: sol, rise: rise}
	for c := range f.rise {
		f.rise[c] -= m.Stack.Ambient
	}
	return f, nil
}

// each calls f with the center and the rise of every cell.
func (f *field) each(visit func(center [3]float64, rise float64)) {
	for k := range f.NZ() {
		for j := range f.NY() {
			for i := range f.NX() {
				visit([3]float64{(f.X[i] + f.X[i+1]) / 2, (f.Y[j] + f.Y[j+1]) / 2, (f.Z[k] + f.Z[k+1]) / 2},
					f.at(i, j, k))
			}
		}
	}
}
