package ddilu

import (
	"fmt"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
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
	factor       cudriver.Ptr[float32] // in one of the two
	double       cudriver.Ptr[float64]
	bytes        int64
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
	main, x, y, z, lowX, lowY, lowZ := d.Arrays()
	f := &cudaBricks{s: s.Space, k: k, way: cut.Way, shape: [3]int{nx, ny, nz}, cells: cells, count: 1}
	for a, n := range cells {
		f.count *= int64((f.shape[a] + n - 1) / n)
	}
	f.layout()
	if err := f.fit(s.sharedMemory(), cut.Double); err != nil {
		return nil, err
	}
	planes := int64(BricksGeneral)
	if d.Symmetric() {
		f.symmetric, planes = 1, BricksSymmetric
	}
	f.bytes = int64(rowBytes(cut.Double)/4) * planes * f.rows * f.count
	if cut.Double {
		f.double = cuda.Alloc[float64](s.Space, planes*f.rows*f.count)
	} else {
		f.factor = cuda.Alloc[float32](s.Space, planes*f.rows*f.count)
	}
	if f.way == ByVertices {
		f.order = cuda.Upload(s.Space, f.lines())
	}
	if f.way == ByMemory {
		f.work = cuda.Alloc[float32](s.Space, f.rows*f.count)
		f.bytes += 4 * f.rows * f.count
	}
	scratch := cuda.Alloc[float64](s.Space, f.rows*f.count)
	defer s.Discard(scratch)
	row := []uint64{uint64(s.Cells())}
	refused := cuda.Upload(s.Space, row)
	defer s.Discard(refused)
	args := BricksFactoriseArgs{
		Nx: int32(nx), Ny: int32(ny), Nz: int32(nz), Bx: int32(cells[0]), By: int32(cells[1]), Bz: int32(cells[2]),
		Pitch: int32(f.pitch), Plane: f.plane, Rows: f.rows, Symmetric: f.symmetric, Shift: cut.Shift, A: main, Ax: x,
		Ay: y, Az: z, LowX: lowX, LowY: lowY, LowZ: lowZ, Inverse: scratch, F: f.factor, Refused: refused,
	}
	grid := [3]uint32{uint32(f.count), 1, 1}
	switch {
	case !s.Ready():
	case cut.Double:
		s.Note(k.FactoriseDouble(s.Stream, grid, BricksFactoriseDoubleArgs{
			Nx: args.Nx, Ny: args.Ny, Nz: args.Nz, Bx: args.Bx, By: args.By, Bz: args.Bz,
			Pitch: args.Pitch, Plane: args.Plane, Rows: args.Rows, Symmetric: args.Symmetric, Shift: args.Shift,
			A: main, Ax: x,
			Ay: y, Az: z, LowX: lowX, LowY: lowY, LowZ: lowZ, Inverse: scratch, F: f.double, Refused: refused,
		}))
	default:
		s.Note(k.Factorise(s.Stream, grid, args))
	}
	cuda.Receive(s.Space, row, refused)
	if s.Err() == nil && row[0] < uint64(s.Cells()) {
		f.Release()
		return nil, &BadPivot{Row: int(row[0])}
	}
	return f, s.Err()
}

// Bytes of the factor.
func (f *cudaBricks) Bytes() int64 { return f.bytes }

// Release gives the memory back.
func (f *cudaBricks) Release() {
	f.s.Discard(f.factor, f.double, f.work, f.order)
}

// layout is that of bricks.cu; a single brick that launches go through keeps the grid's own.
func (f *cudaBricks) layout() {
	bx, by, bz := int64(f.cells[0]), int64(f.cells[1]), int64(f.cells[2])
	f.pitch = bx
	if f.way != ByLaunches {
		f.pitch = (bx + 3) &^ 3
	}
	f.plane = f.pitch * by
	if f.way != ByLaunches && (f.plane-f.pitch)/4%2 == 0 {
		f.plane += 4
	}
	f.rows = (f.plane*bz + 3) &^ 3
}

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
func (f *cudaBricks) fit(most int, double bool) error {
	switch shared := f.rows * int64(rowBytes(double)); f.way {
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

// Solve sets z = M^-1 r.
func (f *cudaBricks) Solve(z, r ops.Vector) {
	if f.s.Ready() {
		f.solve(cuda.F32(z), cuda.F32(r))
	}
}

func (f *cudaBricks) solve(z, r cudriver.Ptr[float32]) {
	s, k := f.s, f.k
	grid := [3]uint32{uint32(f.count), 1, 1}
	nx, ny, nz := int32(f.shape[0]), int32(f.shape[1]), int32(f.shape[2])
	bx, by, bz := int32(f.cells[0]), int32(f.cells[1]), int32(f.cells[2])
	pitch, plane, rows := int32(f.pitch), int32(f.plane), int32(f.rows)
	switch {
	case f.way == ByLaunches:
		f.solveByLaunches(z, r)
	case f.way == ByEdges:
		s.Note(k.SolveEdges(s.Stream, grid, f.shared, BricksSolveEdgesArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows,
			Symmetric: f.symmetric,
			F:         f.factor, R: r, Z: z,
		}))
	case f.way == BySpinning:
		s.Note(k.SolveSpinning(s.Stream, grid, f.shared, BricksSolveSpinningArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows,
			Symmetric: f.symmetric,
			F:         f.factor, R: r, Z: z,
		}))
	case f.way == ByMemory:
		s.Note(k.SolveGlobal(s.Stream, grid, BricksSolveGlobalArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows,
			Symmetric: f.symmetric,
			F:         f.factor, R: r, Work: f.work, Z: z,
		}))
	case !f.double.IsNil() && f.symmetric == 1:
		s.Note(k.SolveSymmetricDouble(s.Stream, grid, f.shared, BricksSolveSymmetricDoubleArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows, Order: f.order,
			F: f.double, R: r, Z: z,
		}))
	case !f.double.IsNil():
		s.Note(k.SolveGeneralDouble(s.Stream, grid, f.shared, BricksSolveGeneralDoubleArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows, Order: f.order,
			F: f.double, R: r, Z: z,
		}))
	case f.symmetric == 1:
		s.Note(k.SolveSymmetric(s.Stream, grid, f.shared, BricksSolveSymmetricArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows, Order: f.order,
			F: f.factor,
			R: r, Z: z,
		}))
	default:
		s.Note(k.SolveGeneral(s.Stream, grid, f.shared, BricksSolveGeneralArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows, Order: f.order,
			F: f.factor,
			R: r, Z: z,
		}))
	}
}

// solveByLaunches goes through the levels of a single brick, a launch for each.
func (f *cudaBricks) solveByLaunches(z, r cudriver.Ptr[float32]) {
	s, k := f.s, f.k
	bx, by, bz := int32(f.cells[0]), int32(f.cells[1]), int32(f.cells[2])
	grid := [3]uint32{cuda.Blocks(int(by)*int(bz), BricksThreads), 1, 1}
	last := bx + by + bz - 3
	s.Note(s.Driver.MemcpyDtoDAsync(z.Address(), r.Address(), 4*s.Cells(), s.Stream))
	for level := int32(1); level <= last && s.Err() == nil; level++ {
		s.Note(k.LevelLower(s.Stream, grid, BricksLevelLowerArgs{Bx: bx, By: by, Bz: bz, Level: level, F: f.factor,
			Z: z}))
	}
	for level := last; level >= 0 && s.Err() == nil; level-- {
		s.Note(k.LevelUpper(s.Stream, grid, BricksLevelUpperArgs{
			Bx: bx, By: by, Bz: bz, Level: level, Symmetric: f.symmetric, F: f.factor, Z: z,
		}))
	}
}
