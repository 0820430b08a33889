package multigrid

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// gpuLevel is one grid of the hierarchy on the device.
type gpuLevel struct {
	nx, ny, nz          int
	sheet, cells        int64
	gx, gy, gz, inverse cudriver.Ptr[float32]
	ground              cudriver.Ptr[float32] // planes in the system's slots
	capacity            cudriver.Ptr[float32] // nowhere in a steady system
	next                gpuTransfer
	from                *gpuLevel // the finer one, nil of the finest
	weighted            int64     // planes with conductance-weighted interpolation from the finer level
	finest              bool      // the system's own, whose last step forms the sums of a dot product too
}

// Shape of the level in cells.
func (l *gpuLevel) Shape() (nx, ny, nz int) { return l.nx, l.ny, l.nz }

func newGPULevel(nx, ny, nz int) *gpuLevel {
	sheet := int64(nx) * int64(ny)
	return &gpuLevel{nx: nx, ny: ny, nz: nz, sheet: sheet, cells: sheet * int64(nz)}
}

// NewVector makes a vector on a level.
func (s *gpuOperations) NewVector(l Level) (ops.Vector, error) {
	lv := l.(*gpuLevel)
	return cuda.NewVector[float32](s.Space, lv.cells, int64(lv.nx)), s.Err()
}

// newField makes a vector of what belongs to a level itself.
func (s *gpuOperations) newField(l *gpuLevel) cudriver.Ptr[float32] {
	return cuda.F32(cuda.NewVector[float32](s.Space, l.cells, int64(l.nx)))
}

// Finest is the level of the system.
func (s *gpuOperations) Finest() (Level, error) {
	l := newGPULevel(s.NX, s.NY, s.NZ)
	l.finest = true
	l.gx, l.gy, l.gz, l.ground, l.capacity = s.GX, s.GY, s.GZ, s.Ground, s.Capacity
	l.inverse = s.newField(l)
	s.compute(l)
	if lineClass(s.NZ) == anyLength && s.longColumn.IsNil() {
		s.longColumn = s.newField(l)
	}
	return l, s.Err()
}

// RefreshLevel computes a level again.
func (s *gpuOperations) RefreshLevel(l Level) error {
	if s.Ready() {
		s.compute(l.(*gpuLevel))
	}
	return s.Err()
}

// compute fills a level from the finer one, factors its columns, and weighs the interpolation from it.
func (s *gpuOperations) compute(l *gpuLevel) {
	f := l.from
	if f != nil && s.Err() == nil {
		s.Note(s.hierarchy.Coarsen(s.Stream, s.Grid(l.nx, HierarchyThreads, l.ny, l.nz), HierarchyCoarsenArgs{
			Nx: int32(f.nx), Ny: int32(f.ny), Gx: f.gx, Gy: f.gy, Gz: f.gz, Ground: f.ground, GroundSlot: s.GroundSlot,
			Capacity: f.capacity, Cx: int32(l.nx), Cy: int32(l.ny), FirstX: f.next.x.first, FirstY: f.next.y.first,
			Cgx: l.gx, Cgy: l.gy, Cgz: l.gz, Cground: l.ground, Ccapacity: l.capacity,
		}))
	}
	s.factor(l)
	if f != nil {
		s.weigh(f, l)
	}
}

// factor computes the pivots of a level's columns.
func (s *gpuOperations) factor(l *gpuLevel) {
	if s.Err() == nil {
		s.Note(s.hierarchy.Factor(s.Stream, s.Grid(l.nx, HierarchyThreads, l.ny, 1), HierarchyFactorArgs{
			Nx: int32(l.nx), Ny: int32(l.ny), Nz: int32(l.nz), Gx: l.gx, Gy: l.gy, Gz: l.gz, Ground: l.ground,
			GroundSlot: s.GroundSlot, Capacity: l.capacity, Inverse: l.inverse,
		}))
	}
}

// Coarsen builds the next level and the transfer between.
func (s *gpuOperations) Coarsen(fine Level, c Coarsening) (Level, error) {
	f := fine.(*gpuLevel)
	l := newGPULevel(c.X.Coarse(f.nx), c.Y.Coarse(f.ny), f.nz)
	l.gx, l.gy, l.gz = s.newField(l), s.newField(l), s.newField(l)
	l.ground = cuda.Alloc[float32](s.Space, int64(s.GroundPlanes)*l.sheet)
	if !f.capacity.IsNil() {
		l.capacity = s.newField(l)
	}
	f.next.x, f.next.y = s.directions(c, f.nx, f.ny)
	l.from = f
	l.inverse = s.newField(l)
	s.reserveWeights(l, c)
	s.compute(l)
	return l, s.Err()
}
