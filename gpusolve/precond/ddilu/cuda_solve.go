package ddilu

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

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
