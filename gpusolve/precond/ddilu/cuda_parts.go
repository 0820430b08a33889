package ddilu

import (
	"fmt"
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
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

// wide are values in FP64.
func wide(p cudriver.Ptr[float32]) cudriver.Ptr[float64] { return cudriver.At[float64](p.Address()) }

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

// factorise launches the factorisation and waits for what it says of pivots.
func (f *cudaParts) factorise(m *PartMatrix, how PartOptions) error {
	s, l, u := f.s, &f.lower, &f.upper
	args := PartsFactorPartsArgs{
		First: f.first, Row: f.row, RowPtr: cuda.Upload(s, m.RowPtr), Diagonal: cuda.Upload(s, m.Diagonal),
		Col: cuda.Upload(s, m.Col), Val: cuda.Upload(s, m.Val), LowerFirst: l.first, LowerLevel: l.level,
		LowerPtr: l.ptr, UpperPtr: u.ptr, UpperOrder: f.order, Scale: 1 + how.Shift, Lower: l.val, Upper: u.val,
		Inverse: f.inverse, Refused: cuda.Upload(s, []uint64{uint64(len(m.Row))}),
	}
	defer s.Discard(args.RowPtr, args.Diagonal, args.Col, args.Val, args.Refused)
	if how.Symmetric {
		args.Symmetric = 1
	}
	if f.double {
		cuda.Launch(s, f.k.FactorPartsDouble, f.grid, PartsFactorPartsDoubleArgs{
			First: f.first, Row: f.row, RowPtr: args.RowPtr, Diagonal: args.Diagonal, Col: args.Col, Val: args.Val,
			LowerFirst: l.first, LowerLevel: l.level, LowerPtr: l.ptr, UpperPtr: u.ptr, UpperOrder: f.order,
			Scale: args.Scale, Symmetric: args.Symmetric, Lower: wide(l.val), Upper: wide(u.val),
			Inverse: wide(f.inverse), Refused: args.Refused,
		})
	} else {
		cuda.Launch(s, f.k.FactorParts, f.grid, args)
	}
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
		cuda.LaunchShared(s, k.SolvePartsEdges, f.grid, f.shared, PartsSolvePartsEdgesArgs{
			First: f.first, Row: f.row, LowerPtr: l.ptr, LowerCol: l.col, LowerVal: l.val, LowerFirst: l.first,
			LowerLevel: l.level, LowerOwner: l.owner, UpperPtr: u.ptr, UpperCol: u.col, UpperVal: u.val,
			UpperFirst: u.first, UpperLevel: u.level, UpperOwner: u.owner, Inverse: f.inverse, R: from, Z: to,
		})
	case f.double:
		cuda.LaunchShared(s, k.SolvePartsDouble, f.grid, f.shared, PartsSolvePartsDoubleArgs{
			First: f.first, Row: f.row, LowerPtr: l.ptr, LowerCol: l.col, LowerVal: wide(l.val), LowerFirst: l.first,
			LowerLevel: l.level, UpperPtr: u.ptr, UpperCol: u.col, UpperVal: wide(u.val), UpperFirst: u.first,
			UpperLevel: u.level, UpperOrder: f.order, Inverse: wide(f.inverse), R: from, Z: to,
		})
	default:
		cuda.LaunchShared(s, k.SolveParts, f.grid, f.shared, PartsSolvePartsArgs{
			First: f.first, Row: f.row, LowerPtr: l.ptr, LowerCol: l.col, LowerVal: l.val, LowerFirst: l.first,
			LowerLevel: l.level, UpperPtr: u.ptr, UpperCol: u.col, UpperVal: u.val, UpperFirst: u.first,
			UpperLevel: u.level, UpperOrder: f.order, Inverse: f.inverse, R: from, Z: to,
		})
	}
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
		cuda.LaunchShared(s.Space, k.AssignLevels, [3]uint32{uint32(m.parts()), 1, 1}, uint32(shared), args)
		cuda.Receive(s.Space, to, args.Level)
	}
	return lower, upper, s.Err()
}
