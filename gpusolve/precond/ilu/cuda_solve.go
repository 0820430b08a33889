package ilu

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/ops"
)

// cudaTriangles is what solves need beside the factor: their plan, and the states of both.
type cudaTriangles struct {
	s *cuda.Space
	k *Kernels
	*wavefront
	bytes                 int64
	planned, lower, upper cudriver.Ptr[int32]
	single                levels[float32] // the factor in one of the two
	double                levels[float64]
}

// levels is a factor in the precision of its solves, with a field between them.
type levels[T float32 | float64] struct {
	data, field           cudriver.Ptr[T]
	below, above, inverse cudriver.Ptr[T] // L, U^T and 1/D in data
}

// levelsOf finds the parts of a factor.
func levelsOf[T float32 | float64](f *cudaFactor, data cudriver.Ptr[T]) levels[T] {
	side := f.off() * f.s.Cells()
	return levels[T]{data: data, field: cuda.Alloc[T](f.s, f.s.Cells()), below: data,
		above: data.Add((f.sides - 1) * side), inverse: data.Add(f.sides * side)}
}

// Triangles rounds the factor, or takes it over as it is.
func (f *cudaFactor) Triangles() (Triangles, error) {
	s := f.s
	if f.how.Form != ByTiles {
		return f.inForm(f.how.Form)
	}
	t := &cudaTriangles{s: s, k: f.k, wavefront: f.wavefront}
	before := s.Allocated()
	t.planned = cuda.Upload(s, f.plan)
	if f.how.Double {
		t.double = levelsOf(f, f.data)
		before -= 8 * f.values()
		f.data = cudriver.Ptr[float64]{}
	} else {
		t.single = levelsOf(f, cuda.Alloc[float32](s, f.values()))
		if s.Ready() {
			s.Note(f.k.Narrow(s.Stream, cuda.Flat(f.values()),
				KernelsNarrowArgs{N: f.values(), From: f.data, To: t.single.data}))
		}
	}
	t.lower = cuda.Alloc[int32](s, 2*f.states())
	t.upper = t.lower.Add(f.states())
	t.bytes = s.Allocated() - before
	if err := s.Err(); err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

// Bytes of the triangles on the device.
func (t *cudaTriangles) Bytes() int64 { return t.bytes }

// Release gives the memory back.
func (t *cudaTriangles) Release() {
	t.s.Discard(t.planned, t.single.data, t.single.field, t.double.data, t.double.field, t.lower)
}

// Solve changes into the layout by levels, goes up them with L and down with D and U, and changes back.
func (t *cudaTriangles) Solve(z, r ops.Vector) {
	if !t.s.Ready() {
		return
	}
	if !t.double.data.IsNil() {
		t.solveDouble(cuda.F32(z), cuda.F32(r))
		return
	}
	t.solveSingle(cuda.F32(z), cuda.F32(r))
}

func (t *cudaTriangles) solveSingle(z, r cudriver.Ptr[float32]) {
	s, k, f := t.s, t.k, &t.single
	nx, ny, nz, order := int32(t.nx), int32(t.ny), int32(t.nz), int32(t.order)
	square, tiles := [3]uint32{t.squares(), 1, 1}, [3]uint32{uint32(t.tiles()), 1, 1}
	lower, upper := k.LowerStar, k.UpperStar
	if t.order == 1 {
		lower, upper = k.LowerDiamond, k.UpperDiamond
	}
	s.Note(k.ToLevels(s.Stream, square, KernelsToLevelsArgs{Nx: nx, Ny: ny, Nz: nz, Order: order, From: r, To: f.field,
		State: t.lower, States: int32(2 * t.states())}))
	sweep := KernelsLowerStarArgs{
		Nx: nx, Ny: ny, Nz: nz, TileP: int32(t.tileP), TileQ: int32(t.tileQ), Chunk: t.chunk, Plan: t.planned,
		State: t.lower, Off: f.below, Inverse: f.inverse, W: f.field,
	}
	s.Note(lower(s.Stream, tiles, sweep))
	sweep.State, sweep.Off = t.upper, f.above
	s.Note(upper(s.Stream, tiles, sweep))
	s.Note(k.FromLevels(s.Stream, square, KernelsFromLevelsArgs{Nx: nx, Ny: ny, Nz: nz, Order: order, From: f.field,
		To: z}))
}

func (t *cudaTriangles) solveDouble(z, r cudriver.Ptr[float32]) {
	s, k, f := t.s, t.k, &t.double
	nx, ny, nz, order := int32(t.nx), int32(t.ny), int32(t.nz), int32(t.order)
	square, tiles := [3]uint32{t.squares(), 1, 1}, [3]uint32{uint32(t.tiles()), 1, 1}
	lower, upper := k.LowerStarDouble, k.UpperStarDouble
	if t.order == 1 {
		lower, upper = k.LowerDiamondDouble, k.UpperDiamondDouble
	}
	s.Note(k.ToLevelsDouble(s.Stream, square, KernelsToLevelsDoubleArgs{Nx: nx, Ny: ny, Nz: nz, Order: order, From: r,
		To: f.field, State: t.lower, States: int32(2 * t.states())}))
	sweep := KernelsLowerStarDoubleArgs{
		Nx: nx, Ny: ny, Nz: nz, TileP: int32(t.tileP), TileQ: int32(t.tileQ), Chunk: t.chunk, Plan: t.planned,
		State: t.lower, Off: f.below, Inverse: f.inverse, W: f.field,
	}
	s.Note(lower(s.Stream, tiles, sweep))
	sweep.State, sweep.Off = t.upper, f.above
	s.Note(upper(s.Stream, tiles, sweep))
	s.Note(k.FromLevelsDouble(s.Stream, square, KernelsFromLevelsDoubleArgs{Nx: nx, Ny: ny, Nz: nz, Order: order,
		From: f.field, To: z}))
}
