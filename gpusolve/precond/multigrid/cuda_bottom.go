package multigrid

import (
	"unsafe"

	"thermsim/gpusolve/cuda"
)

// BottomColumns is where one block still beats launches over the whole GPU: on an H200, levels of 30 x 30 columns and
// below took 128 us in one block and about 100 us in launches of their own, those of 15 x 15 and below less than half.
func (s *gpuOperations) BottomColumns() int { return min(256, mostBottomCells/s.NZ) }

// Every GPU gives a block 64 KB of shared memory, which takes all levels below one of so many cells, but for the pads
// of very long ones.
const bottomBytes, mostBottomCells = 64 << 10, 3900

// Bottom prepares the kernel that cycles over small levels in one block. Columns beyond its classes do without.
func (s *gpuOperations) Bottom(rungs []Rung, c Smoothing) (cycle func(), err error) {
	if class := lineClass(s.NZ); class == anyLength || class > LinesKeep || len(rungs) > LinesRungs {
		return nil, nil
	}
	list := make([]LinesRung, len(rungs))
	for n, r := range rungs {
		l := r.Level.(*gpuLevel)
		t := &l.next
		list[n] = LinesRung{
			Nx: int64(l.nx), Ny: int64(l.ny),
			Gx: l.gx, Gy: l.gy, Gz: l.gz, Inverse: l.inverse, Ground: l.ground, Capacity: l.capacity,
			B: cuda.F32(r.B), Z: cuda.F32(r.Z),
			FirstX: t.x.first, NearX: t.x.parent, BeyondX: t.x.beyond, FarX: t.x.far,
			FirstY: t.y.first, NearY: t.y.parent, BeyondY: t.y.beyond, FarY: t.y.far,
			WeightSlot: t.weightSlot, Wx: t.wx, Wy: t.wy,
		}
	}
	room := bottomRoom(list, s.NZ)
	if 4*room > bottomBytes-LinesRungs*int(unsafe.Sizeof(LinesRung{})+4) {
		return nil, nil
	}
	onDev := cuda.Upload(s.Space, list)
	return func() {
		if s.Ready() {
			s.Note(s.lines.Bottom(s.Stream, [3]uint32{1, 1, 1}, uint32(4*room), LinesBottomArgs{
				List: onDev, Count: int32(len(list)), Nz: int32(s.NZ), GroundSlot: s.GroundSlot, First: c.First,
				Momentum: c.Momentum, Second: c.Second, Room: int32(room),
			}))
		}
	}, s.Err()
}

// bottomRoom is how many values the kernel keeps: three vectors of each level, and pads of a row before, between and
// behind those of solutions.
func bottomRoom(list []LinesRung, nz int) (values int) {
	for _, l := range list {
		values += 3 * int(l.Nx) * (int(l.Ny)*nz + 1)
	}
	return values
}
