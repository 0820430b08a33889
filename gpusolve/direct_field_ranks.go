package gpusolve

import (
	"fmt"
	"thermsim/gpusolve/precond/fourier"
	"thermsim/gpusolve/reduction"
	"thermsim/mesh"
)

var _ sharedField = spectralField{}

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
