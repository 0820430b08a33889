package meshed

import (
	"fmt"

	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

var _ team.Shared = field{}

func (f field) Grid() *mesh.Mesh { return f.sys.Mesh() }

func (f field) Borders() []int {
	_, slab := f.sys.(ops.Distributed).Slab()
	return slab.Rows.Borders
}

func (f field) Cut(r *reduction.Regions) (*reduction.Slab, error) {
	_, slab := f.sys.(ops.Distributed).Slab()
	rank := slab.Group.Rank()
	held, end := slab.Rows.Held(rank)
	return r.Slab(held, end-held, slab.Rows.Borders[rank], slab.Rows.Borders[rank+1])
}

// ReduceOwn takes ghost rows from their owners first.
func (f field) ReduceOwn(_ *reduction.Regions, s *reduction.Slab) (*reduction.Values, error) {
	defer f.dev.Bind()()
	local, slab := f.sys.(ops.Distributed).Slab()
	local.Exchange(slab.Rows, ops.Ghosts, ops.Ghosts, f.x)
	on, err := fields.Prepared(local, f.reductions, s.Regions)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", solution.ErrDevice, err)
	}
	ambient := f.sys.Mesh().Stack.Ambient
	if on != nil {
		v := on.Of(f.x, ambient)
		return s.Place(v), f.failure()
	}
	plane := make([]float64, s.Regions.NX*s.Regions.NY)
	v, err := s.Regions.Reduce(func(k int) ([]float64, error) {
		local.Plane(k, f.x, plane)
		return plane, f.failure()
	}, ambient)
	if err != nil {
		return nil, err
	}
	return s.Place(v), nil
}
