package ilu

import (
	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/ops"
)

// cudaPatches is a factor that is ready for solves: by steps of patches (patches.cu), in FP32 or FP64.
type cudaPatches struct {
	s          *cuda.Space
	k          *Patches
	nx, ny, nz int
	*patchPlan
	planned [2]cudriver.Ptr[int32]
	state   cudriver.Ptr[int32] // of the lower solve, then of the upper one
	bytes   int64
	single  steps[float32] // the factor in one of the two
	double  steps[float64]
}

// steps is a factor in the precision of its solves, with a field between them.
type steps[T float32 | float64] struct {
	data, field           cudriver.Ptr[T]
	below, above, inverse cudriver.Ptr[T] // L, U and 1/D in data
}

func stepsOf[T float32 | float64](s *cuda.Space, padded, off int64) steps[T] {
	data := cuda.AllocRaw[T](s, (2*off+1)*padded)
	return steps[T]{data: data, field: cuda.AllocRaw[T](s, padded), below: data, above: data.Add(off * padded), inverse: data.Add(2 * off * padded)}
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
	t.planned, t.state = [2]cudriver.Ptr[int32]{cuda.Upload(s, t.plan[0]), cuda.Upload(s, t.plan[1])}, cuda.AllocRaw[int32](s, 2*t.states())
	args := PatchesPackArgs{Nx: int32(nx), Ny: int32(ny), Nz: int32(nz), Rows: int32(t.rows), Order: int32(t.order), Sides: int32(f.sides), From: f.data}
	blocks := cuda.Flat((2*f.off() + 1) * t.padded())
	if f.how.Double {
		t.double = stepsOf[float64](s, t.padded(), f.off())
		if s.Ready() {
			s.Note(k.PackDouble(s.Stream, blocks, PatchesPackDoubleArgs{
				Nx: args.Nx, Ny: args.Ny, Nz: args.Nz, Rows: args.Rows, Order: args.Order, Sides: args.Sides, From: f.data, To: t.double.data,
			}))
		}
	} else {
		t.single = stepsOf[float32](s, t.padded(), f.off())
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
	t.s.Discard(t.planned[0], t.planned[1], t.state, t.single.data, t.single.field, t.double.data, t.double.field)
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
	nx, ny, nz, rows, order := int32(t.nx), int32(t.ny), int32(t.nz), int32(t.rows), int32(t.order)
	square := [3]uint32{t.squares(), 1, 1}
	lower, upper := k.LowerStar, k.UpperStar
	if t.order == 1 {
		lower, upper = k.LowerDiamond, k.UpperDiamond
	}
	s.Note(k.ToSteps(s.Stream, square, PatchesToStepsArgs{Nx: nx, Ny: ny, Nz: nz, Rows: rows, Order: order, From: r, To: f.field, State: t.state, States: int32(2 * t.states())}))
	sweep := PatchesLowerStarArgs{
		Nq: int32(t.nq), Nb: int32(t.nb), Nz: nz, Rows: rows, TileP: int32(t.tileP), TileQ: int32(t.tileQ), Chunk: t.chunk,
		Plan: t.planned[0], State: t.state, Off: f.below, Inverse: f.inverse, W: f.field,
	}
	s.Note(lower(s.Stream, [3]uint32{t.tiles(0), 1, 1}, t.shared(4), sweep))
	sweep.Plan, sweep.State, sweep.Off = t.planned[1], t.state.Add(t.states()), f.above
	s.Note(upper(s.Stream, [3]uint32{t.tiles(1), 1, 1}, t.shared(4), sweep))
	s.Note(k.FromSteps(s.Stream, square, PatchesFromStepsArgs{Nx: nx, Ny: ny, Nz: nz, Rows: rows, Order: order, From: f.field, To: z}))
}

func (t *cudaPatches) solveDouble(z, r cudriver.Ptr[float32]) {
	s, k, f := t.s, t.k, &t.double
	nx, ny, nz, rows, order := int32(t.nx), int32(t.ny), int32(t.nz), int32(t.rows), int32(t.order)
	square := [3]uint32{t.squares(), 1, 1}
	lower, upper := k.LowerStarDouble, k.UpperStarDouble
	if t.order == 1 {
		lower, upper = k.LowerDiamondDouble, k.UpperDiamondDouble
	}
	s.Note(k.ToStepsDouble(s.Stream, square, PatchesToStepsDoubleArgs{Nx: nx, Ny: ny, Nz: nz, Rows: rows, Order: order, From: r, To: f.field, State: t.state, States: int32(2 * t.states())}))
	sweep := PatchesLowerStarDoubleArgs{
		Nq: int32(t.nq), Nb: int32(t.nb), Nz: nz, Rows: rows, TileP: int32(t.tileP), TileQ: int32(t.tileQ), Chunk: t.chunk,
		Plan: t.planned[0], State: t.state, Off: f.below, Inverse: f.inverse, W: f.field,
	}
	s.Note(lower(s.Stream, [3]uint32{t.tiles(0), 1, 1}, t.shared(8), sweep))
	sweep.Plan, sweep.State, sweep.Off = t.planned[1], t.state.Add(t.states()), f.above
	s.Note(upper(s.Stream, [3]uint32{t.tiles(1), 1, 1}, t.shared(8), sweep))
	s.Note(k.FromStepsDouble(s.Stream, square, PatchesFromStepsDoubleArgs{Nx: nx, Ny: ny, Nz: nz, Rows: rows, Order: order, From: f.field, To: z}))
}
