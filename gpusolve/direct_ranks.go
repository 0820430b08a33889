package gpusolve

import (
	"errors"
	"math"
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/nccl"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/ranks"
)

// group is that of the ranks that share the grid, nil where there are none.
func (s *direct) group() ranks.Group {
	if s.team == nil {
		return nil
	}
	return s.team.group
}

// beginOnRanks sets the field that rank 0 has; done is false where it has none.
func (s *direct) beginOnRanks(start Field) (done bool, err error) {
	t := s.team
	if given, err := t.agree(start != nil); err != nil || !given {
		return false, err
	}
	top := s.ceiling
	err = s.planes.write(s.x, func(k int, plane []float64) error {
		if !t.lead() {
			data, err := t.group.Receive(0)
			if err == nil && len(data) != 8*len(plane) {
				err = errors.New("rank 0 sent a part of a plane")
			}
			if err == nil {
				copy(plane, float64sOf(data))
			}
			return err
		}
		if err := readRises(s.mesh, start, k, plane); err != nil {
			return err
		}
		top = math.Max(top, slices.Max(plane))
		return t.others(bytesOf(plane))
	})
	if err != nil {
		return true, err
	}
	all, err := t.group.Gather(bytesOf([]float64{top}))
	if err == nil {
		s.ceiling = float64sOf(all[0])[0]
	}
	return true, err
}

// checkLink is ErrSlowLink where ranks on GPUs that were free to choose the method would exchange a whole field over
// what is slower than solving by multigrid. All find the same.
func checkLink(o *job, d *driver, inTime bool) error {
	gpu, ok := ops.Innermost(d.dev).(*cuda.Device)
	if !ok || o.team == nil || o.Preconditioner != "" || inTime {
		return nil
	}
	if _, err := gpu.LinkOf(o.team.group); err != nil {
		return err
	}
	if slices.Contains(o.team.wires(gpu), nccl.Sockets) || gpu.JoinedByHost() {
		return errSlowLink
	}
	return nil
}
