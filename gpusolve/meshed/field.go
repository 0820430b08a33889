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

// field reads the rise from the device and adds the ambient.
type field struct {
	dev ops.Device
	sys ops.System
	x   ops.Vector
	// reductions are what the device keeps of regions, for all fields of the system; nil where planes have to be read.
	reductions map[*reduction.Regions]reduction.Reduction
}

var _ solution.Reducer = field{}

func (f field) Plane(k int, dst []float64) error {
	m := f.sys.Mesh()
	if err := fields.CheckPlane(m, k, dst); err != nil {
		return err
	}
	defer f.dev.Bind()()
	f.sys.Plane(k, f.x, dst)
	if err := f.failure(); err != nil {
		return err
	}
	ambient := m.Stack.Ambient
	for i := range dst {
		dst[i] += ambient
	}
	return nil
}

func (f field) Reduce(r *reduction.Regions) (*reduction.Values, error) {
	m := f.sys.Mesh()
	if err := fields.CheckRegions(m, r); err != nil {
		return nil, err
	}
	defer f.dev.Bind()()
	on, err := fields.Prepared(f.sys, f.reductions, r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", solution.ErrDevice, err)
	}
	if on == nil {
		return solution.ReducePlanes(f, r)
	}
	v := on.Of(f.x, m.Stack.Ambient)
	return v, f.failure()
}

func (f field) Quantise(q reduction.Quanta, counts []int32) (bool, error) {
	m := f.sys.Mesh()
	if err := fields.CheckCounts(m, q, counts); err != nil {
		return false, err
	}
	s, ok := f.sys.(reduction.Reducer)
	if !ok {
		return false, nil
	}
	defer f.dev.Bind()()
	done := s.Quantise(f.x, m.Stack.Ambient, q, counts)
	return done, f.failure()
}

var _ solution.Binner = field{}

func (f field) Maxima(m *reduction.Maxima, dst []float64) (bool, error) {
	if err := fields.CheckBins(f.sys.Mesh(), m, dst); err != nil {
		return false, err
	}
	s, ok := f.sys.(reduction.Binning)
	if !ok {
		return false, nil
	}
	defer f.dev.Bind()()
	done := s.Maxima(f.x, f.sys.Mesh().Stack.Ambient, m, dst)
	return done, f.failure()
}

func (f field) failure() error {
	if err := f.sys.Err(); err != nil {
		return fmt.Errorf("%w: %w", solution.ErrDevice, err)
	}
	return nil
}

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

// beginOnRanks starts all ranks from the field of rank 0, or from the stack's initial temperature if it has none.
func (s *System) beginOnRanks(start solution.Field) error {
	t := s.team
	given, err := t.Agree(start != nil)
	if err != nil || !given {
		return err
	}
	_, slab := s.Sys.(ops.Distributed).Slab()
	from, to := slab.Rows.Held(t.Group.Rank())
	nx := slab.Rows.NX
	rises := make([]float64, 0, s.X.Len())
	plane := make([]float64, nx*slab.Rows.NY())
	for k := range s.mesh.NZ() {
		if !t.IsRoot() {
			data, err := t.Group.Receive(0)
			if err != nil {
				return err
			}
			rises = append(rises, team.Values(data)...)
			continue
		}
		if err := fields.ReadRises(s.mesh, start, k, plane); err != nil {
			return err
		}
		for r := 1; r < t.Group.Size(); r++ {
			first, end := slab.Rows.Held(r)
			if err := t.Group.Send(r, team.Bytes(plane[first*nx:end*nx])); err != nil {
				return err
			}
		}
		rises = append(rises, plane[from*nx:to*nx]...)
	}
	s.Sys.Write(s.X, rises)
	s.Sys.Write(s.old, rises)
	return s.Failure()
}

// plane copies plane k of a vector, with the rows of all ranks. All ranks must call it.
func (s *System) plane(k int, x ops.Vector, dst []float64) {
	s.Sys.Plane(k, x, dst)
	if s.team == nil {
		return
	}
	_, slab := s.Sys.(ops.Distributed).Slab()
	nx, rank := slab.Rows.NX, s.team.Group.Rank()
	at := func(r int) []float64 { return dst[slab.Rows.Borders[r]*nx : slab.Rows.Borders[r+1]*nx] }
	all, err := s.team.Group.Gather(team.Bytes(at(rank)))
	if err != nil {
		return // the system's next sum reports it
	}
	for r, data := range all {
		copy(at(r), team.Values(data))
	}
}
