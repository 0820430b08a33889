package multigrid

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// gpuLevel is one grid of the hierarchy on the device.
type gpuLevel struct {
	gpuGrid
	next     gpuTransfer
	from     *gpuLevel // the finer one, nil of the finest
	weighted int64     // planes with conductance-weighted interpolation from the finer level
	finest   bool      // the system's own, whose last step forms the sums of a dot product too
}

// gpuGrid is what levels have with or without coolant.
type gpuGrid struct {
	nx, ny, nz          int
	sheet, cells        int64
	gx, gy, gz, inverse cudriver.Ptr[float32]
	ground              cudriver.Ptr[float32] // planes in slots
	capacity            cudriver.Ptr[float32] // nowhere in a steady system
}

func newGrid(nx, ny, nz int) gpuGrid {
	sheet := int64(nx) * int64(ny)
	return gpuGrid{nx: nx, ny: ny, nz: nz, sheet: sheet, cells: sheet * int64(nz)}
}

// Shape of the level in cells.
func (l *gpuGrid) Shape() (nx, ny, nz int) { return l.nx, l.ny, l.nz }

// vector makes one on the level.
func (l *gpuGrid) vector(s *cuda.Space) ops.Vector {
	return cuda.NewVector[float32](s, l.cells, int64(l.nx))
}

// field makes a vector of what belongs to the level itself.
func (l *gpuGrid) field(s *cuda.Space) cudriver.Ptr[float32] { return cuda.F32(l.vector(s)) }

// NewVector makes a vector on a level.
func (s *gpuOperations) NewVector(l Level) (ops.Vector, error) {
	return l.(*gpuLevel).vector(s.Space), s.Err()
}

// Finest is the level of the system.
func (s *gpuOperations) Finest() (Level, error) {
	l := &gpuLevel{gpuGrid: newGrid(s.NX, s.NY, s.NZ)}
	l.finest = true
	l.gx, l.gy, l.gz, l.ground, l.capacity = s.GX, s.GY, s.GZ, s.Ground, s.Capacity
	l.inverse = l.field(s.Space)
	s.compute(l)
	if lineClass(s.NZ) == anyLength && s.longColumn.IsNil() {
		s.longColumn = l.field(s.Space)
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
	l := &gpuLevel{gpuGrid: newGrid(c.X.Coarse(f.nx), c.Y.Coarse(f.ny), f.nz)}
	l.gx, l.gy, l.gz = l.field(s.Space), l.field(s.Space), l.field(s.Space)
	l.ground = cuda.Alloc[float32](s.Space, int64(s.GroundPlanes)*l.sheet)
	if !f.capacity.IsNil() {
		l.capacity = l.field(s.Space)
	}
	f.next.x, f.next.y = directions(s.Space, c, f.nx, f.ny)
	l.from = f
	l.inverse = l.field(s.Space)
	s.reserveWeights(l, c)
	s.compute(l)
	return l, s.Err()
}
