package direct

import (
	"errors"
	"math"
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/nccl"
	"thermsim/gpusolve/driver"
	"thermsim/gpusolve/fields"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/team"
	"thermsim/gpusolve/solution"
)

// group is that of the ranks that share the grid, nil where there are none.
func (s *System) group() ranks.Group {
	if s.team == nil {
		return nil
	}
	return s.team.Group
}

// beginOnRanks sets the field that rank 0 has; done is false where it has none.
func (s *System) beginOnRanks(start solution.Field) (done bool, err error) {
	t := s.team
	if given, err := t.Agree(start != nil); err != nil || !given {
		return false, err
	}
	top := s.ceiling
	err = s.Planes.write(s.X, func(k int, plane []float64) error {
		if !t.Lead() {
			data, err := t.Group.Receive(0)
			if err == nil && len(data) != 8*len(plane) {
				err = errors.New("rank 0 sent a part of a plane")
			}
			if err == nil {
				copy(plane, team.Values(data))
			}
			return err
		}
		if err := fields.ReadRises(s.mesh, start, k, plane); err != nil {
			return err
		}
		top = math.Max(top, slices.Max(plane))
		return t.Others(team.Bytes(plane))
	})
	if err != nil {
		return true, err
	}
	all, err := t.Group.Gather(team.Bytes([]float64{top}))
	if err == nil {
		s.ceiling = team.Values(all[0])[0]
	}
	return true, err
}

// checkLink is ErrSlowLink where ranks on GPUs that were free to choose the method would exchange a whole field over
// what is slower than solving by multigrid. All find the same.
func checkLink(o *driver.Job, d *driver.Driver, inTime bool) error {
	gpu, ok := ops.Innermost(d.Dev).(*cuda.Device)
	if !ok || o.Team == nil || o.Preconditioner != "" || inTime {
		return nil
	}
	if _, err := gpu.LinkOf(o.Team.Group); err != nil {
		return err
	}
	if slices.Contains(o.Team.Wires(gpu), nccl.Sockets) || gpu.JoinedByHost() {
		return driver.ErrSlowLink
	}
	return nil
}
