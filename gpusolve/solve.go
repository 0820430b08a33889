// Package gpusolve turns a mesh into temperatures: devices, kernels, solvers and time stepping.
package gpusolve

import (
	"context"

	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/stepping"
	"thermsim/mesh"
)

// Steady solves for the steady temperature field. A solve that ends short of its tolerance is not an error: see Status.
func Steady(ctx context.Context, m *mesh.Mesh, o Options) (*Solution, error) {
	if !m.Grounded() {
		return nil, ErrSingular
	}
	return onRanks(ctx, o, func(ctx context.Context, o driver.Job) (*Solution, error) {
		e, err := stepping.Open(m, &o, 0, 0)
		if err != nil {
			return nil, err
		}
		return e.SolveSteady(ctx, o.Options)
	})
}
