package ddilu

import (
	"fmt"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels/launch"
	"thermsim/gpusolve/ops"
)

// gpuOperations are those on a GPU.
type gpuOperations struct{ *cuda.Space }

func onGPU(s ops.Operator) (operations, bool, error) {
	on, ok := cuda.SpaceOf(s)
	return gpuOperations{on}, ok, nil
}

// cudaBricks is a factor in the layout of bricks.cu.
type cudaBricks struct {
	s            *cuda.Space
	k            *Bricks
	shape, cells [3]int
	pitch        int64
	plane        int64
	rows         int64               // of a brick, with what its layout adds
	order        cudriver.Ptr[int32] // its lines in the order in which threads take them
	count        int64               // bricks
	symmetric    int32
	factor       cudriver.Ptr[float32] // or FP64, where double says so
	double       bool
	way          Traversal
	work         cudriver.Ptr[float32] // the vector in the factor's order, where that is ByMemory
	shared       uint32                // bytes a block
}

// rowBytes is the shared memory of a row: its value and its three entries.
func rowBytes(double bool) int {
	if double {
		return 32
	}
	return 16
}

// brickRows is such that three blocks share a multiprocessor, one loading while others solve: 2,000 to 8,000 rows.
func (s gpuOperations) brickRows(double bool) int {
	row := rowBytes(double)
	most := s.sharedMemory() / row
	return min(8000, most, max(32000/row, (s.sharedMemory()/3-1024)/row))
}

// sharedMemory is what a block may ask for.
func (s gpuOperations) sharedMemory() int {
	most, err := s.Attribute(cudriver.MaxSharedMemoryPerBlockOptin)
	if err != nil {
		s.Note(err)
		return 48 << 10
	}
	return most
}

// factorBricks factors all bricks in one launch.
func (s gpuOperations) factorBricks(form ops.Diagonals, cut Cut) (Factor, error) {
	k, err := cuda.Module(s.Device, "bricks", LoadBricks)
	if err != nil {
		return nil, err
	}
	d, cells := form.(*cuda.Diagonals), cut.Cells
	nx, ny, nz := d.Shape()
	f := &cudaBricks{s: s.Space, k: k, way: cut.Way, shape: [3]int{nx, ny, nz}, cells: cells, count: 1,
		double: cut.Double}
	for a, n := range cells {
		f.count *= int64((f.shape[a] + n - 1) / n)
	}
	f.pitch, f.plane, f.rows = layout(cells, f.way)
	if err := f.fit(s.sharedMemory()); err != nil {
		return nil, err
	}
	planes := int64(BricksGeneral)
	if d.Symmetric() {
		f.symmetric, planes = 1, BricksSymmetric
	}
	f.factor = cuda.Alloc[float32](s.Space, int64(rowBytes(cut.Double)/16)*planes*f.rows*f.count)
	if f.way == ByVertices {
		f.order = cuda.Upload(s.Space, f.lines())
	}
	if f.way == ByMemory {
		f.work = cuda.Alloc[float32](s.Space, f.rows*f.count)
	}
	scratch := cuda.Alloc[float64](s.Space, f.rows*f.count)
	defer s.Discard(scratch)
	row := []uint64{uint64(s.Cells())}
	refused := cuda.Upload(s.Space, row)
	defer s.Discard(refused)
	if cut.Double {
		factorise(f, &k.FactoriseDouble, d, cut.Shift, scratch, refused)
	} else {
		factorise(f, &k.Factorise, d, cut.Shift, scratch, refused)
	}
	cuda.Receive(s.Space, row, refused)
	if s.Err() == nil && row[0] < uint64(s.Cells()) {
		f.Release()
		return nil, &BadPivot{Row: int(row[0])}
	}
	return f, s.Err()
}

func factorise[T float32 | float64](f *cudaBricks, kernel *launch.Kernel[BricksFactoriseArgs[T]], d *cuda.Diagonals,
	shift float64, scratch cudriver.Ptr[float64], refused cudriver.Ptr[uint64]) {
	main, x, y, z, lowX, lowY, lowZ := d.Arrays()
	cuda.Launch(f.s, kernel, [3]uint32{uint32(f.count), 1, 1}, BricksFactoriseArgs[T]{
		Nx: int32(f.shape[0]), Ny: int32(f.shape[1]), Nz: int32(f.shape[2]), Bx: int32(f.cells[0]),
		By: int32(f.cells[1]), Bz: int32(f.cells[2]), Pitch: int32(f.pitch), Plane: f.plane, Rows: f.rows,
		Symmetric: f.symmetric, Shift: shift, A: main, Ax: x, Ay: y, Az: z, LowX: lowX, LowY: lowY, LowZ: lowZ,
		Inverse: scratch, F: as[T](f.factor), Refused: refused,
	})
}

func (f *cudaBricks) Release() { f.s.Discard(f.factor, f.work, f.order) }

// lines lists the lines (j, k) of a brick by j + k, as j + 65536 k.
func (f *cudaBricks) lines() []int32 {
	by, bz := f.cells[1], f.cells[2]
	all := make([]int32, 0, by*bz)
	for level := range by + bz - 1 {
		for k := max(0, level-by+1); k < min(bz, level+1); k++ {
			all = append(all, int32(level-k|k<<16))
		}
	}
	return all
}

// fit finds the shared memory that solves take and refuses what this GPU cannot do.
func (f *cudaBricks) fit(most int) error {
	switch shared := f.rows * int64(rowBytes(f.double)); f.way {
	case ByMemory:
	case ByLaunches:
		if f.count != 1 {
			return fmt.Errorf("a launch for each level needs a single brick as large as the grid, there are %d",
				f.count)
		}
	default:
		if f.way == BySpinning {
			shared += 4 * int64(f.cells[1]) * int64(f.cells[2])
		}
		if shared > int64(most) {
			return fmt.Errorf("a brick of %d x %d x %d cells takes %d bytes of shared memory, this GPU has %d for a "+
				"block; take smaller bricks",
				f.cells[0], f.cells[1], f.cells[2], shared, most)
		}
		f.shared = uint32(shared)
	}
	return nil
}

func (f *cudaBricks) Solve(z, r ops.Vector) {
	s, k := f.s, f.k
	grid, to, from := [3]uint32{uint32(f.count), 1, 1}, cuda.F32(z), cuda.F32(r)
	nx, ny, nz := int32(f.shape[0]), int32(f.shape[1]), int32(f.shape[2])
	bx, by, bz := int32(f.cells[0]), int32(f.cells[1]), int32(f.cells[2])
	pitch, plane, rows := int32(f.pitch), int32(f.plane), int32(f.rows)
	switch {
	case f.way == ByLaunches:
		f.solveByLaunches(to, from)
	case f.way == ByEdges || f.way == BySpinning:
		solve := &k.SolveEdges
		if f.way == BySpinning {
			solve = &k.SolveSpinning
		}
		cuda.LaunchShared(s, solve, grid, f.shared, BricksSolveEdgesArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows,
			Symmetric: f.symmetric, F: f.factor, R: from, Z: to,
		})
	case f.way == ByMemory:
		cuda.Launch(s, &k.SolveGlobal, grid, BricksSolveGlobalArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows,
			Symmetric: f.symmetric, F: f.factor, R: from, Work: f.work, Z: to,
		})
	case f.double:
		solve := &k.SolveGeneralDouble
		if f.symmetric == 1 {
			solve = &k.SolveSymmetricDouble
		}
		launchSolve(f, solve, to, from)
	default:
		solve := &k.SolveGeneral
		if f.symmetric == 1 {
			solve = &k.SolveSymmetric
		}
		launchSolve(f, solve, to, from)
	}
}

func launchSolve[T any](f *cudaBricks, kernel *launch.DynamicKernel[BricksSolveArgs[T]], z, r cudriver.Ptr[float32]) {
	cuda.LaunchShared(f.s, kernel, [3]uint32{uint32(f.count), 1, 1}, f.shared, BricksSolveArgs[T]{
		Nx: int32(f.shape[0]), Ny: int32(f.shape[1]), Nz: int32(f.shape[2]), Bx: int32(f.cells[0]),
		By: int32(f.cells[1]), Bz: int32(f.cells[2]), Pitch: int32(f.pitch), Plane: int32(f.plane),
		Rows: int32(f.rows), Order: f.order, F: as[T](f.factor), R: r, Z: z,
	})
}

// solveByLaunches goes through the levels of a single brick, a launch for each.
func (f *cudaBricks) solveByLaunches(z, r cudriver.Ptr[float32]) {
	s, k := f.s, f.k
	bx, by, bz := int32(f.cells[0]), int32(f.cells[1]), int32(f.cells[2])
	grid := [3]uint32{cuda.Blocks(int(by)*int(bz), BricksThreads), 1, 1}
	last := bx + by + bz - 3
	if s.Ready() {
		s.Note(s.Driver.MemcpyDtoDAsync(z.Address(), r.Address(), 4*s.Cells(), s.Stream))
	}
	for level := int32(1); level <= last; level++ {
		cuda.Launch(s, &k.LevelLower, grid,
			BricksLevelLowerArgs{Bx: bx, By: by, Bz: bz, Level: level, F: f.factor, Z: z})
	}
	for level := last; level >= 0; level-- {
		cuda.Launch(s, &k.LevelUpper, grid,
			BricksLevelUpperArgs{Bx: bx, By: by, Bz: bz, Level: level, Symmetric: f.symmetric, F: f.factor, Z: z})
	}
}
