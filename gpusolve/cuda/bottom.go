package cuda

import (
	"unsafe"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// rung mirrors struct Rung of kernels/lines.cu: eight bytes a field.
type rung struct {
	nx, ny                                int64
	gx, gy, gz, inverse, ground, capacity cu.DevicePtr
	b, z, x                               cu.DevicePtr
	firstX, nearX, beyondX, farX          cu.DevicePtr
	firstY, nearY, beyondY, farY          cu.DevicePtr
	weightSlot, wx, wy                    cu.DevicePtr
}

// BottomColumns is where one block still beats launches over the whole GPU: on an H200, levels of 30 x 30 columns and below took 128 us in one block
// and about 100 us in launches of their own, those of 15 x 15 and below less than half.
func (s *system) BottomColumns() int { return 256 }

// Bottom prepares the kernel that cycles over small levels in one block. Columns beyond its classes do without.
func (s *system) Bottom(rungs []ops.Rung, c ops.Smoothing) (cycle func(), err error) {
	if class := kernels.LineClass(s.nz); class == kernels.AnyLength || class > kernels.LinesKeep || len(rungs) > kernels.LinesRungs {
		return nil, nil
	}
	list := make([]rung, len(rungs))
	for n, r := range rungs {
		l := r.Level.(*level)
		t := &l.next
		list[n] = rung{
			nx: int64(l.nx), ny: int64(l.ny),
			gx: l.gx.at, gy: l.gy.at, gz: l.gz.at, inverse: l.inverse.at, ground: l.ground, capacity: l.capacity.address(),
			b: ptr(r.B), z: ptr(r.Z), x: ptr(r.X),
			firstX: t.x.first, nearX: t.x.parent, beyondX: t.x.beyond, farX: t.x.far,
			firstY: t.y.first, nearY: t.y.parent, beyondY: t.y.beyond, farY: t.y.far,
			weightSlot: t.weightSlot, wx: t.wx, wy: t.wy,
		}
	}
	onDev := s.alloc(int64(len(list)) * int64(unsafe.Sizeof(list[0])))
	sendSlice(&s.space, onDev, list)
	lines := rungs[0].Level.(*level).lines
	return func() {
		if s.ready() {
			s.note(lines.Bottom(s.stream, [3]uint32{1, 1, 1}, onDev, int32(len(list)), int32(s.nz), s.ground.onDev, c.First, c.Momentum, c.Second))
		}
	}, s.err
}
