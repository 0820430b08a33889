// Package response computes the response of a stack's temperatures to each power input: the matrix of thermal
// resistances, and step responses.
package response

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ports"
	"thermsim/mesh"
	"thermsim/stack"
)

// ErrNotConverged reports a solve that did not reach its tolerance.
var ErrNotConverged = errors.New("a solve did not converge")

// ErrNoInput reports a stack without power inputs.
var ErrNoInput = errors.New("the stack has no power inputs; add blocks, a uniform power or a power map, with " +
	"any watts")

// RTol is the default relative residual of iterative solves. Both triangles of the matrix then agree to about 1e-9.
const RTol = 1e-12

// Options of the computation of responses.
type Options struct {
	Solver gpusolve.Options
	// Mesh builds the mesh of a stack; default mesh.Build.
	Mesh func(s *stack.Stack) (*mesh.Mesh, error)
	// Progress is called after each solve, if not nil.
	Progress func(done, all int)
}

// system is a stack's mesh for responses, and a device that stays open after the first solve.
type system struct {
	mesh        *mesh.Mesh
	inputs      []ports.Input
	options     Options
	shared      *device.Shared // a GPU that was opened here
	done, total int
}

func newSystem(s *stack.Stack, o Options, solves int) (*system, error) {
	if err := ports.CheckLinear(s); err != nil {
		return nil, err
	}
	r := &system{inputs: ports.InputsOf(s), options: o, total: solves}
	if len(r.inputs) == 0 {
		return nil, ErrNoInput
	}
	build := o.Mesh
	if build == nil {
		build = mesh.Build
	}
	var err error
	if r.mesh, err = build(ports.Responding(s)); err != nil {
		return nil, err
	}
	if !r.mesh.Grounded() {
		return nil, gpusolve.ErrSingular
	}
	if v := &r.options.Solver; v.RTol == 0 && v.ATol == 0 && v.Tol == 0 {
		v.RTol = RTol
	}
	return r, nil
}

// close releases the device.
func (r *system) close() {
	if r.shared != nil {
		_ = r.shared.Release()
	}
}

// units are vectors of 1 W in one input each.
func (r *system) units(which []int) [][]float64 {
	all := make([][]float64, len(which))
	for v, n := range which {
		all[v] = make([]float64, len(r.inputs))
		all[v][n] = 1
	}
	return all
}

// solve solves for unit powers. After the first solve on a GPU the device stays open.
func (r *system) solve(ctx context.Context, which []int, shift float64, points []mesh.Sample) (*gpusolve.ManyResult,
	error) {
	o := r.options.Solver
	if r.shared != nil {
		o.Executor = r.shared
	}
	many, err := gpusolve.SolveMany(ctx, r.mesh, o, gpusolve.Many{Watts: r.units(which), Shift: shift, Points: points,
		Planned: r.total, Solved: func(int) {
			if r.done++; r.options.Progress != nil {
				r.options.Progress(r.done, r.total)
			}
		}})
	if err != nil {
		return nil, err
	}
	if !many.Status.Converged {
		return nil, fmt.Errorf("%w: %s after %d iterations, at a relative residual of %.2g", ErrNotConverged,
			many.Status.Reason, many.Status.Iterations, many.Status.RelativeResidual)
	}
	if r.shared == nil && o.Executor == nil && many.Device.Kind == "gpu" && r.done < r.total {
		name := o.Device
		if !strings.HasPrefix(name, "gpu") {
			name = "gpu"
		}
		if r.shared, err = device.Open(name); err != nil {
			return nil, err
		}
	}
	return many, nil
}

// all are the indices of n things.
func all(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = i
	}
	return v
}
