package multigrid

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
)

// reserveWeights takes memory for the planes that ask for conductance-weighted interpolation.
func (s *gpuOperations) reserveWeights(l *gpuLevel, c Coarsening) {
	f := l.from
	slot := make([]int32, f.nz)
	for k := range slot {
		slot[k] = -1
		if k < len(c.Weighted) && c.Weighted[k] {
			slot[k] = int32(l.weighted)
			l.weighted++
		}
	}
	t := &f.next
	t.weightSlot = cuda.AllocRaw[int32](s.Space, int64(f.nz))
	cuda.SendLater(s.Space, t.weightSlot, slot)
	if c.X.Parent != nil {
		t.wx = cuda.Alloc[float32](s.Space, l.weighted*f.sheet)
	}
	if c.Y.Parent != nil {
		t.wy = cuda.Alloc[float32](s.Space, l.weighted*f.sheet)
	}
}

// weigh computes the weights of those planes. The finer level's pivots lend their memory meanwhile and are computed
// again, which takes less time than another allocation of their size; those of a slab have ghost rows that only their
// owners can compute, and stay.
func (s *gpuOperations) weigh(f, l *gpuLevel) {
	if l.weighted == 0 {
		return
	}
	t := &f.next
	pivots := f.inverse
	if s.Slab {
		room := cuda.NewTemporary(s.Space)
		defer room.Discard()
		pivots = cuda.Take[float32](room, l.weighted*f.sheet)
	}
	along := func(w cudriver.Ptr[float32], d *gpuDirection, g cudriver.Ptr[float32], alongY, coarse int) {
		if w.IsNil() || s.Err() != nil {
			return
		}
		s.Note(s.weights.Weigh(s.Stream, [3]uint32{uint32((f.sheet + WeighThreads - 1) / WeighThreads), 1, 1},
			WeighWeighArgs{
				Nx: int32(f.nx), Ny: int32(f.ny), Nz: int32(f.nz), G: g, AlongY: int32(alongY), Gz: f.gz,
				Slots:  t.weightSlot,
				Parent: d.parent, First: d.first, Coarse: int32(coarse), Pivots: pivots, W: w,
			}))
	}
	along(t.wx, &t.x, f.gx, 0, l.nx)
	along(t.wy, &t.y, f.gy, 1, l.ny)
	if !s.Slab {
		s.factor(f)
	}
}
