package ic

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/ops"
)

// cudaTriangles is the factor in FP32, with what solves need: a field by levels, and the states of both solves.
type cudaTriangles struct {
	s *cuda.Space
	k *Kernels
	*wavefront
	bytes                 int64
	planned, lower, upper cudriver.Ptr[int32]
	data, field           cudriver.Ptr[float32]
}

// Triangles rounds the factor.
func (f *cudaFactor) Triangles() (Triangles, error) {
	s := f.s
	count := (f.off() + 1) * s.Cells()
	t := &cudaTriangles{s: s, k: f.k, wavefront: f.wavefront}
	before := s.Allocated()
	t.planned = cuda.Upload(s, f.plan)
	t.data = cuda.Alloc[float32](s, count)
	t.field = cuda.Alloc[float32](s, s.Cells())
	t.lower = cuda.Alloc[int32](s, 2*f.states())
	t.upper = t.lower.Add(f.states())
	t.bytes = s.Allocated() - before
	if s.Ready() {
		s.Note(f.k.Narrow(s.Stream, cuda.Flat(count), KernelsNarrowArgs{N: count, From: f.data, To: t.data}))
	}
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
	t.s.Discard(t.planned, t.data, t.field, t.lower)
}

// Solve changes into the layout by levels, goes up them with L and down with D and L^T, and changes back.
func (t *cudaTriangles) Solve(z, r ops.Vector) {
	s, k := t.s, t.k
	if !s.Ready() {
		return
	}
	nx, ny, nz := int32(t.nx), int32(t.ny), int32(t.nz)
	square, tiles := [3]uint32{t.squares(), 1, 1}, [3]uint32{uint32(t.tiles()), 1, 1}
	lower, upper := k.LowerStar, k.UpperStar
	if t.order == 1 {
		lower, upper = k.LowerDiamond, k.UpperDiamond
	}
	s.Note(k.ToLevels(s.Stream, square, KernelsToLevelsArgs{
		Nx: nx, Ny: ny, Nz: nz, Order: int32(t.order), From: cuda.F32(r), To: t.field, State: t.lower, States: int32(2 * t.states()),
	}))
	sweep := KernelsLowerStarArgs{
		Nx: nx, Ny: ny, Nz: nz, TileP: int32(t.tileP), TileQ: int32(t.tileQ), Chunk: t.chunk, Plan: t.planned, State: t.lower, F: t.data, W: t.field,
	}
	s.Note(lower(s.Stream, tiles, sweep))
	sweep.State = t.upper
	s.Note(upper(s.Stream, tiles, sweep))
	s.Note(k.FromLevels(s.Stream, square, KernelsFromLevelsArgs{
		Nx: nx, Ny: ny, Nz: nz, Order: int32(t.order), From: t.field, To: cuda.F32(z),
	}))
}
