package multigrid

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
)

var _ SlabOperations = (*gpuOperations)(nil)

// Whole makes a level of all rows of a grid, whose coefficients are to be set.
func (s *gpuOperations) Whole(part Level, rows int) (Level, error) {
	p := part.(*gpuLevel)
	l := &gpuLevel{gpuGrid: newGrid(p.nx, rows, p.nz)}
	l.gx, l.gy, l.gz, l.inverse = l.field(s.Space), l.field(s.Space), l.field(s.Space), l.field(s.Space)
	l.ground = cuda.Alloc[float32](s.Space, int64(s.GroundPlanes)*l.sheet)
	if !p.capacity.IsNil() {
		l.capacity = l.field(s.Space)
	}
	return l, s.Err()
}

// Coefficients of a level.
func (s *gpuOperations) Coefficients(level Level) []Coefficient {
	l := level.(*gpuLevel)
	list := []Coefficient{{Vector: cuda.Field32(l.gy, l.cells), Between: true}}
	add := func(at cudriver.Ptr[float32], n int64) {
		if !at.IsNil() && n > 0 {
			list = append(list, Coefficient{Vector: cuda.Field32(at, n)})
		}
	}
	for _, at := range []cudriver.Ptr[float32]{l.gx, l.gz, l.inverse, l.capacity} {
		add(at, l.cells)
	}
	add(l.ground, int64(s.GroundPlanes)*l.sheet)
	return list
}
