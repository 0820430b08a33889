package cuda

import (
	"fmt"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// bricks is a factor in the layout of kernels/bricks.cu.
type bricks struct {
	s            *space
	k            *kernels.Bricks
	shape, cells [3]int
	pitch        int64
	plane        int64
	rows         int64         // of a brick, with what its layout adds
	order        cu.Ptr[int32] // its lines in the order in which threads take them
	count        int64         // bricks
	symmetric    int32
	factor       cu.Ptr[float32]
	bytes        int64
	way          ops.Traversal
	work         cu.Ptr[float32] // the vector in the factor's order, where that is ByMemory
	shared       uint32          // bytes a block
}

var (
	_ ops.Bricks = (*system)(nil)
	_ ops.Bricks = (*matrix)(nil)
)

// rowBytes is the shared memory of a row: its value and its three entries.
const rowBytes = 16

// BrickRows is such that three blocks share a multiprocessor, one loading while others solve: 2,000 to 8,000 rows.
func (s *space) BrickRows() int {
	most := s.sharedMemory() / rowBytes
	return min(8000, most, max(2000, (s.sharedMemory()/3-1024)/rowBytes))
}

// sharedMemory is what a block may ask for.
func (s *space) sharedMemory() int {
	most, err := s.drv.DeviceGetAttribute(cu.MaxSharedMemoryPerBlockOptin, s.dev)
	if err != nil {
		s.note(err)
		return 48 << 10
	}
	return most
}

// FactorBricks factors all bricks in one launch.
func (s *space) FactorBricks(form ops.Diagonals, cut ops.Cut) (ops.Factor, error) {
	k, err := module(s.Device, "bricks", kernels.LoadBricks)
	if err != nil {
		return nil, err
	}
	d, cells := form.(*diagonals), cut.Cells
	f := &bricks{s: s, k: k, way: cut.Way, shape: [3]int{d.nx, d.ny, d.nz}, cells: cells, count: 1}
	for a, n := range cells {
		f.count *= int64((f.shape[a] + n - 1) / n)
	}
	f.layout()
	if err := f.fit(s.sharedMemory()); err != nil {
		return nil, err
	}
	planes := int64(kernels.BricksGeneral)
	if d.symmetric {
		f.symmetric, planes = 1, kernels.BricksSymmetric
	}
	f.bytes = 4 * planes * f.rows * f.count
	f.factor = alloc[float32](s, planes*f.rows*f.count)
	if f.way == ops.ByVertices {
		f.order = upload(s, f.lines())
	}
	if f.way == ops.ByMemory {
		f.work = alloc[float32](s, f.rows*f.count)
		f.bytes += 4 * f.rows * f.count
	}
	scratch := alloc[float64](s, f.rows*f.count)
	defer s.free(scratch)
	row := []uint64{uint64(s.cells)}
	refused := upload(s, row)
	defer s.free(refused)
	if s.ready() {
		s.note(k.Factorise(s.stream, [3]uint32{uint32(f.count), 1, 1}, kernels.BricksFactoriseArgs{
			Nx: int32(d.nx), Ny: int32(d.ny), Nz: int32(d.nz), Bx: int32(cells[0]), By: int32(cells[1]), Bz: int32(cells[2]),
			Pitch: int32(f.pitch), Plane: f.plane, Rows: f.rows, Symmetric: f.symmetric, Shift: cut.Shift, A: d.main, Ax: d.x,
			Ay: d.y, Az: d.z, LowX: d.lowerX, LowY: d.lowerY, LowZ: d.lowerZ, Inverse: scratch, F: f.factor, Refused: refused,
		}))
	}
	receiveSlice(s, row, refused)
	if s.err == nil && row[0] < uint64(s.cells) {
		f.Release()
		return nil, &ops.BadPivot{Row: int(row[0])}
	}
	return f, s.err
}

// Bytes of the factor.
func (f *bricks) Bytes() int64 { return f.bytes }

// Release gives the memory back.
func (f *bricks) Release() {
	f.s.free(f.factor, f.work, f.order)
}

// layout is that of kernels/bricks.cu; a single brick that launches go through keeps the grid's own.
func (f *bricks) layout() {
	bx, by, bz := int64(f.cells[0]), int64(f.cells[1]), int64(f.cells[2])
	f.pitch = bx
	if f.way != ops.ByLaunches {
		f.pitch = (bx + 3) &^ 3
	}
	f.plane = f.pitch * by
	if f.way != ops.ByLaunches && (f.plane-f.pitch)/4%2 == 0 {
		f.plane += 4
	}
	f.rows = (f.plane*bz + 3) &^ 3
}

// lines lists the lines (j, k) of a brick by j + k, as j + 65536 k.
func (f *bricks) lines() []int32 {
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
func (f *bricks) fit(most int) error {
	switch shared := f.rows * rowBytes; f.way {
	case ops.ByMemory:
	case ops.ByLaunches:
		if f.count != 1 {
			return fmt.Errorf("a launch for each level needs a single brick as large as the grid, there are %d", f.count)
		}
	default:
		if f.way == ops.BySpinning {
			shared += 4 * int64(f.cells[1]) * int64(f.cells[2])
		}
		if shared > int64(most) {
			return fmt.Errorf("a brick of %d x %d x %d cells takes %d bytes of shared memory, this GPU has %d for a block; take smaller bricks",
				f.cells[0], f.cells[1], f.cells[2], shared, most)
		}
		f.shared = uint32(shared)
	}
	return nil
}

// SolveFactor sets z = M^-1 r.
func (s *space) SolveFactor(factor ops.Factor, z, r ops.Vector) {
	if !s.ready() {
		return
	}
	switch f := factor.(type) {
	case *parts:
		f.solve(f32(z), f32(r))
	case *bricks:
		f.solve(f32(z), f32(r))
	}
}

func (f *bricks) solve(z, r cu.Ptr[float32]) {
	s, k := f.s, f.k
	grid := [3]uint32{uint32(f.count), 1, 1}
	nx, ny, nz := int32(f.shape[0]), int32(f.shape[1]), int32(f.shape[2])
	bx, by, bz := int32(f.cells[0]), int32(f.cells[1]), int32(f.cells[2])
	pitch, plane, rows := int32(f.pitch), int32(f.plane), int32(f.rows)
	switch {
	case f.way == ops.ByLaunches:
		f.solveByLaunches(z, r)
	case f.way == ops.ByEdges:
		s.note(k.SolveEdges(s.stream, grid, f.shared, kernels.BricksSolveEdgesArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows, Symmetric: f.symmetric,
			F: f.factor, R: r, Z: z,
		}))
	case f.way == ops.BySpinning:
		s.note(k.SolveSpinning(s.stream, grid, f.shared, kernels.BricksSolveSpinningArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows, Symmetric: f.symmetric,
			F: f.factor, R: r, Z: z,
		}))
	case f.way == ops.ByMemory:
		s.note(k.SolveGlobal(s.stream, grid, kernels.BricksSolveGlobalArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows, Symmetric: f.symmetric,
			F: f.factor, R: r, Work: f.work, Z: z,
		}))
	case f.symmetric == 1:
		s.note(k.SolveSymmetric(s.stream, grid, f.shared, kernels.BricksSolveSymmetricArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows, Order: f.order, F: f.factor,
			R: r, Z: z,
		}))
	default:
		s.note(k.SolveGeneral(s.stream, grid, f.shared, kernels.BricksSolveGeneralArgs{
			Nx: nx, Ny: ny, Nz: nz, Bx: bx, By: by, Bz: bz, Pitch: pitch, Plane: plane, Rows: rows, Order: f.order, F: f.factor,
			R: r, Z: z,
		}))
	}
}

// solveByLaunches goes through the levels of a single brick, a launch for each.
func (f *bricks) solveByLaunches(z, r cu.Ptr[float32]) {
	s, k := f.s, f.k
	bx, by, bz := int32(f.cells[0]), int32(f.cells[1]), int32(f.cells[2])
	grid := [3]uint32{blocks(int(by)*int(bz), kernels.BricksThreads), 1, 1}
	last := bx + by + bz - 3
	s.note(s.drv.MemcpyDtoDAsync(z.Address(), r.Address(), 4*s.cells, s.stream))
	for level := int32(1); level <= last && s.err == nil; level++ {
		s.note(k.LevelLower(s.stream, grid, kernels.BricksLevelLowerArgs{Bx: bx, By: by, Bz: bz, Level: level, F: f.factor, Z: z}))
	}
	for level := last; level >= 0 && s.err == nil; level-- {
		s.note(k.LevelUpper(s.stream, grid, kernels.BricksLevelUpperArgs{
			Bx: bx, By: by, Bz: bz, Level: level, Symmetric: f.symmetric, F: f.factor, Z: z,
		}))
	}
}
