package gpusolve

import (
	"fmt"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
)

// sharedField is a field of which every rank has its rows.
type sharedField interface {
	Field // of a plane the own rows alone are right
	grid() *mesh.Mesh
	// borders of the rows that the ranks own.
	borders() []int
	// cut is what this rank has of regions.
	cut(r *reduction.Regions) (*reduction.Slab, error)
	// reduceOwn takes the statistics of the own rows; all ranks do so at once.
	reduceOwn(r *reduction.Regions, own *reduction.Slab) (*reduction.Values, error)
}

var (
	_ sharedField = field{}
	_ sharedField = spectralField{}
)

func (f field) grid() *mesh.Mesh { return f.sys.Mesh() }

func (f field) borders() []int {
	_, slab := f.sys.(ops.Distributed).Slab()
	return slab.Rows.Borders
}

func (f field) cut(r *reduction.Regions) (*reduction.Slab, error) {
	_, slab := f.sys.(ops.Distributed).Slab()
	rank := slab.Group.Rank()
	held, end := slab.Rows.Held(rank)
	return r.Slab(held, end-held, slab.Rows.Borders[rank], slab.Rows.Borders[rank+1])
}

// reduceOwn takes ghost rows from their owners first.
func (f field) reduceOwn(_ *reduction.Regions, s *reduction.Slab) (*reduction.Values, error) {
	defer f.dev.Bind()()
	local, slab := f.sys.(ops.Distributed).Slab()
	local.Exchange(slab.Rows, ops.Ghosts, ops.Ghosts, f.x)
	on, err := prepared(local, f.reductions, s.Regions)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDevice, err)
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

func (f spectralField) grid() *mesh.Mesh { return f.mesh }

func (f spectralField) borders() []int { return fourier.Borders(f.layered.NY, f.team.group.Size()) }

func (f spectralField) cut(r *reduction.Regions) (*reduction.Slab, error) {
	rank, borders := f.team.group.Rank(), f.borders()
	from, to := fourier.HeldRows(f.layered.NY, len(borders)-1, rank)
	return r.Slab(from, to-from, borders[rank], borders[rank+1])
}

// reduceOwn makes the same planes in the same order on all ranks, also where this one reads fewer of them.
func (f spectralField) reduceOwn(r *reduction.Regions, s *reduction.Slab) (v *reduction.Values, err error) {
	defer f.dev.Bind()()
	on, err := prepared(f.fourier, f.reductions, s.Regions)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDevice, err)
	}
	f.planes.reduce(f.of, r.Planes(), func(p fourier.Planes) {
		if on != nil {
			v = on.Of(p, f.mesh.Stack.Ambient)
		}
	})
	if v == nil {
		v, err = f.readOwn(r.Planes(), s.Regions)
	}
	if err == nil {
		err = f.failure()
	}
	if err != nil {
		return nil, err
	}
	return s.Place(v), nil
}

// readOwn takes statistics of planes that are read one by one, all of them on all ranks.
func (f spectralField) readOwn(all []int, own *reduction.Regions) (*reduction.Values, error) {
	nx, plane := f.layered.NX, make([]float64, f.layered.NX*f.layered.NY)
	from, to := fourier.HeldRows(f.layered.NY, f.team.group.Size(), f.team.group.Rank())
	readTo := func(k int) {
		for ; len(all) > 0 && all[0] <= k; all = all[1:] {
			f.planes.read(f.of, all[0], plane)
		}
	}
	v, err := own.Reduce(func(k int) ([]float64, error) {
		readTo(k)
		return plane[from*nx : to*nx], f.failure()
	}, f.mesh.Stack.Ambient)
	readTo(f.layered.NZ)
	return v, err
}
