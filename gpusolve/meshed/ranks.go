package meshed

import (
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/solution"
)

// beginOnRanks starts all ranks from the field that rank 0 has, or from the stack's temperature where it has none.
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
		if !t.Lead() {
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

// plane copies plane k of a vector, the rows of all ranks, which all ask for it.
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
		return // the system's next sum finds it
	}
	for r, data := range all {
		copy(at(r), team.Values(data))
	}
}
