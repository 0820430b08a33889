package gpusolve

import "thermsim/gpusolve/ops"

// beginOnRanks starts all ranks from the field that rank 0 has, or from the stack's temperature where it has none.
func (s *meshed) beginOnRanks(start Field) error {
	t := s.team
	given, err := t.agree(start != nil)
	if err != nil || !given {
		return err
	}
	_, slab := s.sys.(ops.Distributed).Slab()
	from, to := slab.Rows.Held(t.group.Rank())
	nx := slab.Rows.NX
	rises := make([]float64, 0, s.x.Len())
	plane := make([]float64, nx*slab.Rows.NY())
	for k := range s.mesh.NZ() {
		if !t.lead() {
			data, err := t.group.Receive(0)
			if err != nil {
				return err
			}
			rises = append(rises, float64sOf(data)...)
			continue
		}
		if err := readRises(s.mesh, start, k, plane); err != nil {
			return err
		}
		for r := 1; r < t.group.Size(); r++ {
			first, end := slab.Rows.Held(r)
			if err := t.group.Send(r, bytesOf(plane[first*nx:end*nx])); err != nil {
				return err
			}
		}
		rises = append(rises, plane[from*nx:to*nx]...)
	}
	s.sys.Write(s.x, rises)
	s.sys.Write(s.old, rises)
	return s.failure()
}

// plane copies plane k of a vector, the rows of all ranks, which all ask for it.
func (s *meshed) plane(k int, x ops.Vector, dst []float64) {
	s.sys.Plane(k, x, dst)
	if s.team == nil {
		return
	}
	_, slab := s.sys.(ops.Distributed).Slab()
	nx, rank := slab.Rows.NX, s.team.group.Rank()
	at := func(r int) []float64 { return dst[slab.Rows.Borders[r]*nx : slab.Rows.Borders[r+1]*nx] }
	all, err := s.team.group.Gather(bytesOf(at(rank)))
	if err != nil {
		return // the system's next sum finds it
	}
	for r, data := range all {
		copy(at(r), float64sOf(data))
	}
}
