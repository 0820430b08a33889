package ilu

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/ops"
)

// cudaPatches is a factor of order 0 that is ready for solves: by steps of patches (patches.cu), in FP32 or FP64.
type cudaPatches struct {
	s          *cuda.Space
	k          *Patches
	nx, ny, nz int
	*patchPlan
	planned cudriver.Ptr[int32]
	state   cudriver.Ptr[int32] // of the lower solve, then of the upper one
	bytes   int64
	single  steps[float32] // the factor in one of the two
	double  steps[float64]
}

// steps is a factor in the precision of its solves, with a field between them.
type steps[T float32 | float64] struct {
	data, field           cudriver.Ptr[T]
	below, above, inverse cudriver.Ptr[T] // L, U^T and 1/D in data
}

// stepsOf allocates a factor with L alone, or with L and U^T.
func stepsOf[T float32 | float64](s *cuda.Space, padded, sides int64) steps[T] {
	data := cuda.Alloc[T](s, (3*sides+1)*padded)
	return steps[T]{data: data, field: cuda.Alloc[T](s, padded), below: data, above: data.Add((sides - 1) * 3 * padded), inverse: data.Add(sides * 3 * padded)}
}

// patches lays the factor out for solves by patches.
func (f *cudaFactor) patches() (Triangles, error) {
	s := f.s
	k, err := cuda.Module(s.Device, "patches", LoadPatches)
	if err != nil {
		return nil, err
	}
	nx, ny, nz := f.wavefront.nx, f.wavefront.ny, f.wavefront.nz
	t := &cudaPatches{s: s, k: k, nx: nx, ny: ny, nz: nz, patchPlan: newPatchPlan(nx, ny, nz, f.how)}
	before := s.Allocated()
	t.planned, t.state = cuda.Upload(s, t.plan), cuda.Alloc[int32](s, 2*t.states())
	args := PatchesPackArgs{Nx: int32(nx), Ny: int32(ny), Nz: int32(nz), Rows: int32(t.rows), Fields: int32(3*f.sides + 1), From: f.data}
	blocks := cuda.Flat(int64(args.Fields) * t.padded())
	if f.how.Double {
		t.double = stepsOf[float64](s, t.padded(), f.sides)
		if s.Ready() {
			s.Note(k.PackDouble(s.Stream, blocks, PatchesPackDoubleArgs{Nx: args.Nx, Ny: args.Ny, Nz: args.Nz, Rows: args.Rows, Fields: args.Fields, From: f.data, To: t.double.data}))
		}
	} else {
		t.single = stepsOf[float32](s, t.padded(), f.sides)
		if args.To = t.single.data; s.Ready() {
			s.Note(k.Pack(s.Stream, blocks, args))
		}
	}
	t.bytes = s.Allocated() - before
	if err := s.Err(); err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

// Bytes of the factor on the device.
func (t *cudaPatches) Bytes() int64 { return t.bytes }

// Release gives the memory back.
func (t *cudaPatches) Release() {
	t.s.Discard(t.planned, t.state, t.single.data, t.single.field, t.double.data, t.double.field)
}

// Solve changes into the layout by steps, goes up them with L and down with D and U, and changes back.
func (t *cudaPatches) Solve(z, r ops.Vector) {
	if !t.s.Ready() {
		return
	}
	if !t.double.data.IsNil() {
		t.solveDouble(cuda.F32(z), cuda.F32(r))
		return
	}
	t.solveSingle(cuda.F32(z), cuda.F32(r))
}

func (t *cudaPatches) solveSingle(z, r cudriver.Ptr[float32]) {
	s, k, f := t.s, t.k, &t.single
	nx, ny, nz, rows := int32(t.nx), int32(t.ny), int32(t.nz), int32(t.rows)
	square, tiles := [3]uint32{t.squares(), 1, 1}, [3]uint32{uint32(t.tiles()), 1, 1}
	s.Note(k.ToSteps(s.Stream, square, PatchesToStepsArgs{Nx: nx, Ny: ny, Nz: nz, Rows: rows, From: r, To: f.field, State: t.state, States: int32(2 * t.states())}))
	sweep := PatchesLowerPatchesArgs{
		Nq: int32(t.wavefront.nx), Nb: int32(t.wavefront.ny), Nz: nz, Rows: rows, TileP: int32(t.tileP), TileQ: int32(t.tileQ), Chunk: t.chunk,
		Plan: t.planned, State: t.state, Off: f.below, Inverse: f.inverse, W: f.field,
	}
	s.Note(k.LowerPatches(s.Stream, tiles, t.shared(4), sweep))
	sweep.State, sweep.Off = t.state.Add(t.states()), f.above
	s.Note(k.UpperPatches(s.Stream, tiles, t.shared(4), sweep))
	s.Note(k.FromSteps(s.Stream, square, PatchesFromStepsArgs{Nx: nx, Ny: ny, Nz: nz, Rows: rows, From: f.field, To: z}))
}

func (t *cudaPatches) solveDouble(z, r cudriver.Ptr[float32]) {
	s, k, f := t.s, t.k, &t.double
	nx, ny, nz, rows := int32(t.nx), int32(t.ny), int32(t.nz), int32(t.rows)
	square, tiles := [3]uint32{t.squares(), 1, 1}, [3]uint32{uint32(t.tiles()), 1, 1}
	s.Note(k.ToStepsDouble(s.Stream, square, PatchesToStepsDoubleArgs{Nx: nx, Ny: ny, Nz: nz, Rows: rows, From: r, To: f.field, State: t.state, States: int32(2 * t.states())}))
	sweep := PatchesLowerPatchesDoubleArgs{
		Nq: int32(t.wavefront.nx), Nb: int32(t.wavefront.ny), Nz: nz, Rows: rows, TileP: int32(t.tileP), TileQ: int32(t.tileQ), Chunk: t.chunk,
		Plan: t.planned, State: t.state, Off: f.below, Inverse: f.inverse, W: f.field,
	}
	s.Note(k.LowerPatchesDouble(s.Stream, tiles, t.shared(8), sweep))
	sweep.State, sweep.Off = t.state.Add(t.states()), f.above
	s.Note(k.UpperPatchesDouble(s.Stream, tiles, t.shared(8), sweep))
	s.Note(k.FromStepsDouble(s.Stream, square, PatchesFromStepsDoubleArgs{Nx: nx, Ny: ny, Nz: nz, Rows: rows, From: f.field, To: z}))
}
