package cuda

import (
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// BottomColumns is where one block still beats launches over the whole GPU: on an H200, levels of 30 x 30 columns and below took 128 us in one block
// and about 100 us in launches of their own, those of 15 x 15 and below less than half.
func (s *system) BottomColumns() int { return 256 }

// Bottom prepares the kernel that cycles over small levels in one block. Columns beyond its classes do without.
func (s *system) Bottom(rungs []ops.Rung, c ops.Smoothing) (cycle func(), err error) {
	if class := kernels.LineClass(s.nz); class == kernels.AnyLength || class > kernels.LinesKeep || len(rungs) > kernels.LinesRungs {
		return nil, nil
	}
	list := make([]kernels.LinesRung, len(rungs))
	for n, r := range rungs {
		l := r.Level.(*level)
		t := &l.next
		list[n] = kernels.LinesRung{
			Nx: int64(l.nx), Ny: int64(l.ny),
			Gx: l.gx.at, Gy: l.gy.at, Gz: l.gz.at, Inverse: l.inverse.at, Ground: l.ground, Capacity: l.capacity.address(),
			B: f32(r.B), Z: f32(r.Z), X: f32(r.X),
			FirstX: t.x.first, NearX: t.x.parent, BeyondX: t.x.beyond, FarX: t.x.far,
			FirstY: t.y.first, NearY: t.y.parent, BeyondY: t.y.beyond, FarY: t.y.far,
			WeightSlot: t.weightSlot, Wx: t.wx, Wy: t.wy,
		}
	}
	onDev := upload(&s.space, list)
	lines := rungs[0].Level.(*level).lines
	return func() {
		if s.ready() {
			s.note(lines.Bottom(s.stream, [3]uint32{1, 1, 1}, kernels.LinesBottomArgs{
				List: onDev, Count: int32(len(list)), Nz: int32(s.nz), GroundSlot: s.ground.onDev, First: c.First,
				Momentum: c.Momentum, Second: c.Second,
			}))
		}
	}, s.err
}
