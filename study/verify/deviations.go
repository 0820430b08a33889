package verify

import (
	"context"
	"errors"
	"math"
	"slices"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/interop/importer"
	"thermsim/interop/network/netsolve"
	"thermsim/mesh"
	"thermsim/stack"
)

// deviationTol is the accuracy in K to which the fields are solved whose differences are measured.
const deviationTol = 1e-6

// MeasureDeviations solves an imported project with thermsim's numerics, and once with each single deviation of the
// simulator, and records in r how far the temperatures differ: cell by cell on equal grids, otherwise by the hottest
// cell. For a transient project the steady state is compared, if there is one. Deviations that affect only transients
// are measured over its first steps.
func MeasureDeviations(ctx context.Context, r *importer.Result, request importer.Request, o gpusolve.Options) error {
	o.Tol = deviationTol
	s := solver{options: o}
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
				continue // cannot be emulated
			}
			return err
		}
		d.Measured, d.SizeK = true, difference(plain, other)
	}
	return nil
}

// steadyAndClose solves and releases the device.
func (s solver) steadyAndClose(ctx context.Context, st *stack.Stack) (*field, error) {
	f, err := s.steady(ctx, st)
	if err != nil {
		return nil, err
	}
	f.solution.Close()
	return f, nil
}

// network solves a project whose nodes do not form a grid.
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

// difference is the largest difference of any cell, or that of the hottest cells if the grids differ.
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

// maxMeasuredSteps is the maximum number of cells times steps for measuring a deviation that affects only transients:
// some seconds on a laptop.
const maxMeasuredSteps = 4_000_000

// measureInTime steps a project with and without a deviation, and records the largest difference of any cell after any
// step. The two differ only in their materials.
func (s solver) measureInTime(ctx context.Context, d *importer.Deviation,
	project func(emulate ...string) (*importer.Result, error)) error {
	plain, err := project()
	if err != nil {
		return err
	}
	other, err := project(d.Name)
	if err != nil || plain.Network != nil || other.Network != nil || !plain.Transient {
		return err
	}
	m, err := mesh.Build(plain.Stack)
	if err != nil {
		return err
	}
	steps := min(plain.Stack.Transient.Steps, maxMeasuredSteps/m.Cells())
	if steps < 1 {
		return nil
	}
	var fields [][]float64
	if err := s.step(ctx, plain, steps, func(_ int, field []float64) { fields = append(fields, field) }); err != nil {
		return err
	}
	largest := 0.0
	err = s.step(ctx, other, steps, func(n int, field []float64) {
		for c, v := range field {
			largest = math.Max(largest, math.Abs(v-fields[n][c]))
		}
	})
	d.Measured, d.SizeK, d.Steps = err == nil, largest, steps
	return err
}

// step runs the transient of a project and passes on the temperatures after every step.
func (s solver) step(ctx context.Context, r *importer.Result, steps int, take func(n int, field []float64)) error {
	m, err := mesh.Build(r.Stack)
	if err != nil {
		return err
	}
	n := 0
	plan := gpusolve.TransientOptions{Steps: steps, Dt: r.Stack.Transient.Dt,
		OnStep: func(_ solution.Step, f solution.Field) error {
			field, err := m.ReadField(f)
			if err != nil {
				return err
			}
			take(n, field)
			n++
			return nil
		}}
	if r.Initial != nil {
		if plan.Initial, err = m.Initial(r.Initial); err != nil {
			return err
		}
	}
	o := s.options
	o.Tol = gpusolve.DefaultTol
	sol, err := gpusolve.Transient(ctx, m, o, plan)
	sol.Close()
	return err
}
