package verify

import (
	"context"
	"math"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/interop/importer"
	"thermsim/mesh"
)

// mostMeasuredSteps is the number of cells times steps up to which a deviation that shows in transients alone is
// measured: some seconds on a laptop.
const mostMeasuredSteps = 4_000_000

// measureInTime steps a project with and without a deviation, and notes the largest difference of any cell after any
// step. The two differ in nothing but their materials.
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
	steps := min(plain.Stack.Transient.Steps, mostMeasuredSteps/m.Cells())
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

// step runs the transient of a project and hands over the temperatures after every step.
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
