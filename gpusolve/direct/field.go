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

// spectralField makes planes of a state when they are read.
type spectralField struct {
	*System
	of *state
}

func (f spectralField) Plane(k int, dst []float64) error {
	if err := fields.CheckPlane(f.mesh, k, dst); err != nil {
		return err
	}
	defer f.Dev.Bind()()
	f.Planes.read(f.of, k, dst)
	if err := f.Failure(); err != nil {
		return err
	}
	ambient := f.mesh.Stack.Ambient
	for i := range dst {
		dst[i] += ambient
	}
	return nil
}

var _ solution.Reducer = spectralField{}

func (f spectralField) Reduce(r *reduction.Regions) (v *reduction.Values, err error) {
	if err := fields.CheckRegions(f.mesh, r); err != nil {
		return nil, err
	}
	defer f.Dev.Bind()()
	on, err := fields.Prepared(f.fourier, f.reductions, r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", solution.ErrDevice, err)
	}
	if on == nil || !f.Planes.Reduce(f.of, r.Planes(), func(p ops.Vector) { v = on.Of(p, f.mesh.Stack.Ambient) }) {
		return solution.ReducePlanes(f, r)
	}
	return v, f.Failure()
}

func (f spectralField) Quantise(q reduction.Quanta, counts []int32) (done bool, err error) {
	if err := fields.CheckCounts(f.mesh, q, counts); err != nil {
		return false, err
	}
	defer f.Dev.Bind()()
	f.Planes.Reduce(f.of, f.Planes.all, func(p ops.Vector) {
		done = f.fourier.Quantise(p, f.mesh.Stack.Ambient, q, counts)
	})
	return done, f.Failure()
}

var _ solution.Binner = spectralField{}

func (f spectralField) Maxima(m *reduction.Maxima, dst []float64) (done bool, err error) {
	on, ok := f.fourier.(reduction.Binning)
	if err := fields.CheckBins(f.mesh, m, dst); err != nil || !ok {
		return false, err
	}
	defer f.Dev.Bind()()
	f.Planes.Reduce(f.of, f.Planes.all[m.Planes[0]:m.Planes[1]], func(p ops.Vector) {
		done = on.Maxima(p, f.mesh.Stack.Ambient, m, dst)
	})
	return done, f.Failure()
}

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

// Series has room for the statistics of steps that a GPU takes one after the other. The hottest cell comes from the
// peaks of all planes.
func (s *System) Series(r *reduction.Regions, places int) (reduction.Series, error) {
	if err := fields.CheckRegions(s.mesh, r); err != nil {
		return nil, err
	}
	if !r.PlanePeaks {
		return nil, nil
	}
	return s.Later(r, places)
}

// Later is series without the peaks of planes.
func (s *System) Later(r *reduction.Regions, places int) (reduction.Series, error) {
	if s.Planes.capacity() < s.layered.NZ {
		return nil, nil
	}
	on, err := fields.Prepared(s.fourier, s.reductions, r)
	if later, ok := on.(reduction.Deferring); ok && err == nil {
		var made reduction.Series
		made, err = later.Series(places)
		if made != nil && err == nil {
			return made, nil
		}
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", solution.ErrDevice, err)
	}
	return nil, err
}

// Leave makes all planes of the state and takes their statistics.
func (s *System) Leave(to reduction.Series, slot int) {
	s.Planes.Reduce(s.X, s.Planes.all, s.Leaving(to, slot))
}

// Leaving takes statistics of planes into a slot.
func (s *System) Leaving(to reduction.Series, slot int) func(p ops.Vector) {
	return func(p ops.Vector) { to.Leave(slot, p, s.mesh.Stack.Ambient) }
}
