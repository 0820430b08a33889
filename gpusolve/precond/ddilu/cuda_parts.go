package ddilu

import (
	"fmt"
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/cuda/kernels/launch"
	"thermsim/gpusolve/ops"
)

// cudaParts is a factor of a matrix by rows.
type cudaParts struct {
	s            *cuda.Space
	k            *Parts
	grid         [3]uint32 // a block for each part
	way          Traversal
	shared       uint32 // bytes for the longest part
	first, row   cudriver.Ptr[int32]
	order        cudriver.Ptr[int32]
	lower, upper cudaTriangle
	inverse      cudriver.Ptr[float32] // 1/D
	double       bool                  // entries and inverse are FP64
	memory       []cudriver.Pointer
}

// cudaTriangle is a pattern with its entries beside the diagonal. owner is the row of each entry, for ByEdges.
type cudaTriangle struct {
	ptr                      cudriver.Ptr[int64]
	col, first, level, owner cudriver.Ptr[int32]
	val                      cudriver.Ptr[float32]
}

// as is the address of values that are FP64 where the factor is.
func as[T any](p cudriver.Ptr[float32]) cudriver.Ptr[T] { return cudriver.At[T](p.Address()) }

func (s gpuOperations) factorParts(m *PartMatrix, how PartOptions) (Factor, error) {
	k, err := cuda.Module(s.Device, "parts", LoadParts)
	if err != nil {
		return nil, err
	}
	width := 1 // in FP32 numbers
	if how.Double {
		width = 2
	}
	f := &cudaParts{s: s.Space, k: k, grid: [3]uint32{uint32(m.parts()), 1, 1}, way: how.Way, double: how.Double,
		shared: uint32(4 * width * m.longest())}
	if most := s.sharedMemory(); int(f.shared) > most {
		return nil, fmt.Errorf("a part of %d rows takes %d bytes of shared memory, this GPU has %d for a block; take "+
			"smaller parts", m.longest(), f.shared, most)
	}
	f.first, f.row, f.order = keep(f, m.First), keep(f, m.Row), keep(f, m.UpperOrder)
	f.lower, f.upper = f.keepTriangle(m, &m.Lower, nil), f.keepTriangle(m, &m.Upper, m.UpperOrder)
	for _, v := range []struct {
		at *cudriver.Ptr[float32]
		n  int
	}{{&f.lower.val, len(m.Lower.Col)}, {&f.upper.val, len(m.Upper.Col)}, {&f.inverse, len(m.Row)}} {
		*v.at = cuda.AllocRaw[float32](s.Space, int64(width*v.n))
		f.memory = append(f.memory, *v.at)
	}
	if err := f.factorise(m, how); err != nil {
		f.Release()
		return nil, err
	}
	return f, nil
}

func keep[T any](f *cudaParts, v []T) cudriver.Ptr[T] {
	p := cuda.Upload(f.s, v)
	f.memory = append(f.memory, p)
	return p
}

func (f *cudaParts) keepTriangle(m *PartMatrix, t *Triangle, order []int32) cudaTriangle {
	kept := cudaTriangle{ptr: keep(f, t.Ptr), col: keep(f, t.Col), first: keep(f, t.First), level: keep(f, t.Level)}
	if f.way == ByEdges {
		kept.owner = keep(f, t.owners(m, order))
	}
	return kept
}

func (f *cudaParts) factorise(m *PartMatrix, how PartOptions) error {
	if f.double {
		return factoriseParts(f, &f.k.FactorPartsDouble, m, how)
	}
	return factoriseParts(f, &f.k.FactorParts, m, how)
}

// factoriseParts launches the factorisation and waits for what it says of pivots.
func factoriseParts[T any](f *cudaParts, kernel *launch.Kernel[PartsFactorPartsArgs[T]], m *PartMatrix,
	how PartOptions) error {
	s, l, u := f.s, &f.lower, &f.upper
	args := PartsFactorPartsArgs[T]{
		First: f.first, Row: f.row, RowPtr: cuda.Upload(s, m.RowPtr), Diagonal: cuda.Upload(s, m.Diagonal),
		Col: cuda.Upload(s, m.Col), Val: cuda.Upload(s, m.Val), LowerFirst: l.first, LowerLevel: l.level,
		LowerPtr: l.ptr, UpperPtr: u.ptr, UpperOrder: f.order, Scale: 1 + how.Shift, Lower: as[T](l.val),
		Upper: as[T](u.val), Inverse: as[T](f.inverse), Refused: cuda.Upload(s, []uint64{uint64(len(m.Row))}),
	}
	defer s.Discard(args.RowPtr, args.Diagonal, args.Col, args.Val, args.Refused)
	if how.Symmetric {
		args.Symmetric = 1
	}
	cuda.Launch(s, kernel, f.grid, args)
	row := cuda.ReceiveOne(s, args.Refused)
	if s.Err() == nil && row < uint64(len(m.Row)) {
		return &BadPivot{Row: int(row)}
	}
	return s.Err()
}

func (f *cudaParts) Release() {
	for _, p := range slices.Backward(f.memory) {
		f.s.Discard(p)
	}
	f.memory = nil
}

func (f *cudaParts) Solve(z, r ops.Vector) {
	s, k, l, u, to, from := f.s, f.k, &f.lower, &f.upper, cuda.F32(z), cuda.F32(r)
	switch {
	case f.way == ByEdges:
		cuda.LaunchShared(s, &k.SolvePartsEdges, f.grid, f.shared, PartsSolvePartsEdgesArgs{
			First: f.first, Row: f.row, LowerPtr: l.ptr, LowerCol: l.col, LowerVal: l.val, LowerFirst: l.first,
			LowerLevel: l.level, LowerOwner: l.owner, UpperPtr: u.ptr, UpperCol: u.col, UpperVal: u.val,
			UpperFirst: u.first, UpperLevel: u.level, UpperOwner: u.owner, Inverse: f.inverse, R: from, Z: to,
		})
	case f.double:
		launchSolveParts(f, &k.SolvePartsDouble, to, from)
	default:
		launchSolveParts(f, &k.SolveParts, to, from)
	}
}

func launchSolveParts[T any](f *cudaParts, kernel *launch.DynamicKernel[PartsSolvePartsArgs[T]],
	z, r cudriver.Ptr[float32]) {
	l, u := &f.lower, &f.upper
	cuda.LaunchShared(f.s, kernel, f.grid, f.shared, PartsSolvePartsArgs[T]{
		First: f.first, Row: f.row, LowerPtr: l.ptr, LowerCol: l.col, LowerVal: as[T](l.val), LowerFirst: l.first,
		LowerLevel: l.level, UpperPtr: u.ptr, UpperCol: u.col, UpperVal: as[T](u.val), UpperFirst: u.first,
		UpperLevel: u.level, UpperOrder: f.order, Inverse: as[T](f.inverse), R: r, Z: z,
	})
}

// levels finds the levels of a cut matrix's rows on the GPU. Parts too long for its shared memory are left to the
// processor.
func (s gpuOperations) levels(m *PartMatrix) (lower, upper []int32, err error) {
	k, err := cuda.Module(s.Device, "parts", LoadParts)
	if err != nil {
		return nil, nil, err
	}
	shared := 8 * m.longest()
	if shared > s.sharedMemory() {
		lower, upper = levelsOf(m)
		return lower, upper, nil
	}
	args := PartsAssignLevelsArgs{First: cuda.Upload(s.Space, m.First), RowPtr: cuda.Upload(s.Space, m.RowPtr),
		Diagonal: cuda.Upload(s.Space, m.Diagonal),
		Col:      cuda.Upload(s.Space, m.Col), Level: cuda.AllocRaw[int32](s.Space, s.Cells())}
	defer s.Discard(args.First, args.RowPtr, args.Diagonal, args.Col, args.Level)
	lower, upper = make([]int32, len(m.Row)), make([]int32, len(m.Row))
	for n, to := range [][]int32{lower, upper} {
		args.Upper = int32(n)
		cuda.LaunchShared(s.Space, &k.AssignLevels, [3]uint32{uint32(m.parts()), 1, 1}, uint32(shared), args)
		cuda.Receive(s.Space, to, args.Level)
	}
	return lower, upper, s.Err()
}
