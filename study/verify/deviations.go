package verify

import (
	"context"
	"errors"
	"math"
	"slices"

	"thermsim/gpusolve"
	"thermsim/interop/importer"
	"thermsim/interop/network/netsolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// deviationTol is the accuracy in K to which the fields are solved whose differences are measured.
const deviationTol = 1e-6

// MeasureDeviations solves an imported project as thermsim does, and once with each deviation of the simulator alone,
// and notes in r how far the temperatures differ: cell by cell on equal grids, by the hottest cell otherwise. A
// transient project counts with its steady state, and without one with nothing, but for deviations that show in
// transients alone: those are measured over its first steps.
func MeasureDeviations(ctx context.Context, r *importer.Result, request importer.Request, o gpusolve.Options) error {
	o.Tol = deviationTol
	s := solver{o}
	project := func(emulate ...string) (*importer.Result, error) {
		request.Compat, request.Emulate, request.Direct = false, emulate, true
		return r.Format.Import(request)
	}
	field := func(emulate ...string) (*field, error) {
		imported, err := project(emulate...)
		if err != nil {
			return nil, err
		}
		if imported.Network != nil {
			return s.network(ctx, imported)
		}
		return s.steadyAndClose(ctx, imported.Stack)
	}
	for i := range r.Deviations {
		d := &r.Deviations[i]
		if d.InTime && r.Transient {
			if err := s.measureInTime(ctx, d, project); err != nil && !isRefusal(err) {
				return err
			}
		}
		if !d.Field {
			continue
		}
		plain, err := field(d.With...)
		if errors.Is(err, gpusolve.ErrSingular) {
			return nil
		}
		if err != nil {
			return err
		}
		other, err := field(append(slices.Clone(d.With), d.Name)...)
		if err != nil {
			if isRefusal(err) {
				continue // it cannot be emulated
			}
			return err
		}
		d.Measured, d.SizeK = true, difference(plain, other)
	}
	return nil
}

// steadyAndClose solves and gives the device back.
func (s solver) steadyAndClose(ctx context.Context, st *stack.Stack) (*field, error) {
	f, err := s.steady(ctx, st)
	if err != nil {
		return nil, err
	}
	f.solution.Close()
	return f, nil
}

// network solves a project whose nodes are none of a grid's.
func (s solver) network(ctx context.Context, r *importer.Result) (*field, error) {
	m, err := mesh.Build(r.Stack)
	if err != nil {
		return nil, err
	}
	sol, err := netsolve.Steady(ctx, r.Network, m, s.options)
	if err != nil {
		return nil, err
	}
	return converged(m, sol)
}

func isRefusal(err error) bool {
	var list stack.ErrorList
	return errors.As(err, &list)
}

// difference is the largest of any cell, or that of the hottest cells where the grids differ.
func difference(a, b *field) float64 {
	hotter := a.Stack.Ambient - b.Stack.Ambient
	if len(a.rise) != len(b.rise) {
		return math.Abs(a.max() - b.max() + hotter)
	}
	d := 0.0
	for i := range a.rise {
		d = math.Max(d, math.Abs(a.rise[i]-b.rise[i]+hotter))
	}
	return d
}
