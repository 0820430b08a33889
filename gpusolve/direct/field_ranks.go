package direct

import (
	"fmt"

	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/reduction"
	"thermsim/gpusolve/solution"
	"thermsim/mesh"
)

var _ team.Shared = spectralField{}

func (f spectralField) Grid() *mesh.Mesh { return f.mesh }

func (f spectralField) Borders() []int { return fourier.Borders(f.layered.NY, f.team.Group.Size()) }

func (f spectralField) Cut(r *reduction.Regions) (*reduction.Slab, error) {
	rank, borders := f.team.Group.Rank(), f.Borders()
	from, to := fourier.HeldRows(f.layered.NY, len(borders)-1, rank)
	return r.Slab(from, to-from, borders[rank], borders[rank+1])
}

// ReduceOwn makes the same planes in the same order on all ranks, also where this one reads fewer of them.
func (f spectralField) ReduceOwn(r *reduction.Regions, s *reduction.Slab) (v *reduction.Values, err error) {
	defer f.Dev.Bind()()
	on, err := fields.Prepared(f.fourier, f.reductions, s.Regions)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", solution.ErrDevice, err)
	}
	f.Planes.Reduce(f.of, r.Planes(), func(p ops.Vector) {
		if on != nil {
			v = on.Of(p, f.mesh.Stack.Ambient)
		}
	})
	if v == nil {
		v, err = f.readOwn(r.Planes(), s.Regions)
	}
	if err == nil {
		err = f.Failure()
	}
	if err != nil {
		return nil, err
	}
	return s.Place(v), nil
}

// readOwn takes statistics of planes that are read one by one, all of them on all ranks.
func (f spectralField) readOwn(all []int, own *reduction.Regions) (*reduction.Values, error) {
	nx, plane := f.layered.NX, make([]float64, f.layered.NX*f.layered.NY)
	from, to := fourier.HeldRows(f.layered.NY, f.team.Group.Size(), f.team.Group.Rank())
	readTo := func(k int) {
		for ; len(all) > 0 && all[0] <= k; all = all[1:] {
			f.Planes.read(f.of, all[0], plane)
		}
	}
	v, err := own.Reduce(func(k int) ([]float64, error) {
		readTo(k)
		return plane[from*nx : to*nx], f.Failure()
	}, f.mesh.Stack.Ambient)
	readTo(f.layered.NZ)
	return v, err
}
