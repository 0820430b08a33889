package cuda

import (
	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// weigh computes the weights of the planes that ask for conductance-weighted interpolation.
func (s *system) weigh(f, l *level, c ops.Coarsening) {
	slot := make([]int32, f.nz)
	planes := int64(0)
	for k := range slot {
		slot[k] = -1
		if k < len(c.Weighted) && c.Weighted[k] {
			slot[k] = int32(planes)
			planes++
		}
	}
	t := &f.next
	t.weightSlot = upload(&s.space, slot)
	if planes == 0 {
		return
	}
	k, err := module(s.Device, "weigh", kernels.LoadWeigh)
	if err != nil {
		s.note(err)
		return
	}
	bytes := planes * f.sheet * 4
	pivots := s.alloc(bytes)
	along := func(p ops.Pairing, d direction, g *vector, alongY int32, coarse int) (w cu.DevicePtr) {
		if p.Parent == nil {
			return 0
		}
		w = s.alloc(bytes)
		if s.err == nil {
			s.note(k.Weigh(s.stream, [3]uint32{uint32((f.sheet + kernels.WeighThreads - 1) / kernels.WeighThreads), 1, 1}, int32(f.nx), int32(f.ny), int32(f.nz),
				g.at, alongY, f.gz.at, t.weightSlot, d.parent, d.first, int32(coarse), pivots, w))
		}
		return w
	}
	t.wx = along(c.X, t.x, f.gx, 0, l.nx)
	t.wy = along(c.Y, t.y, f.gy, 1, l.ny)
	s.free(pivots)
}
