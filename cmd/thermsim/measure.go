package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/importer"
	"thermsim/mesh"
	"thermsim/stack"
)

// measureDeviations solves the project once as thermsim does and once with each deviation of the simulator alone, and notes how far the
// temperatures differ: cell by cell on equal grids, by the hottest cell otherwise. A transient project counts with its steady state.
func measureDeviations(ctx context.Context, r *importer.Result, request importer.Request) error {
	request.Compat, request.Emulate = false, nil
	var plain []float64
	var err error
	for i := range r.Deviations {
		d := &r.Deviations[i]
		if !d.Field {
			continue
		}
		if plain == nil {
			if plain, err = fieldOf(ctx, r.Format, request); err != nil {
				return unmeasured(err)
			}
		}
		request.Emulate = []string{d.Name}
		other, err := fieldOf(ctx, r.Format, request)
		if err != nil {
			return unmeasured(err)
		}
		d.Measured, d.SizeK = true, difference(plain, other)
	}
	return nil
}

// unmeasured passes a project without a steady state.
func unmeasured(err error) error {
	if errors.Is(err, gpusolve.ErrSingular) {
		return nil
	}
	return err
}

// fieldOf is the steady field of a project in K.
func fieldOf(ctx context.Context, format importer.Format, request importer.Request) ([]float64, error) {
	r, err := format.Import(request)
	if err != nil {
		return nil, err
	}
	return steadyCells(ctx, r.Stack)
}

// steadyCells solves a stack and returns every cell's temperature in K, x fastest.
func steadyCells(ctx context.Context, s *stack.Stack) ([]float64, error) {
	m, err := mesh.Build(s)
	if err != nil {
		return nil, withStatus(exitInput, err)
	}
	solution, err := gpusolve.Steady(ctx, m, gpusolve.Options{Tol: 1e-6})
	if err != nil {
		return nil, err
	}
	defer solution.Close()
	if !solution.Status.Converged {
		return nil, withStatus(exitNotConverged, fmt.Errorf("measuring: not converged (%s)", solution.Status.Reason))
	}
	n := m.NX() * m.NY()
	field := make([]float64, m.Cells())
	for k := range m.NZ() {
		if err := solution.Field.Plane(k, field[k*n:(k+1)*n]); err != nil {
			return nil, err
		}
	}
	return field, nil
}

// difference is the largest of any cell, or that of the hottest cells where the grids differ.
func difference(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Abs(hottestOf(a) - hottestOf(b))
	}
	d := 0.0
	for i := range a {
		d = math.Max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

func hottestOf(field []float64) float64 {
	hot := math.Inf(-1)
	for _, v := range field {
		hot = math.Max(hot, v)
	}
	return hot
}
