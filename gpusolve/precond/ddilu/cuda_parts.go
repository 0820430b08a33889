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
	count        int
	way          Traversal
	shared       uint32 // bytes for the longest part
	first, row   cudriver.Ptr[int32]
	order        cudriver.Ptr[int32]
	lower, upper cudaTriangle
	single       partValues[float32] // in one of the two
	double       partValues[float64]
	bytes        int64
	memory       []cudriver.Pointer
}

// cudaTriangle is a pattern. owner is the row of each entry, for ByEdges.
type cudaTriangle struct {
	ptr                      cudriver.Ptr[int64]
	col, first, level, owner cudriver.Ptr[int32]
}

// partValues are the entries of L and U beside their diagonals, and 1/D.
type partValues[T float32 | float64] struct {
	lower, upper, inverse cudriver.Ptr[T]
}

// factorParts copies the matrix to the GPU and factors it there.
func (s gpuOperations) factorParts(m *PartMatrix, how PartOptions) (Factor, error) {
	k, err := cuda.Module(s.Device, "parts", LoadParts)
	if err != nil {
		return nil, err
	}
	width := 4
	if how.Double {
		width = 8
	}
	f := &cudaParts{s: s.Space, k: k, count: m.parts(), way: how.Way, shared: uint32(width * m.longest())}
	if most := s.sharedMemory(); int(f.shared) > most {
		return nil, fmt.Errorf("a part of %d rows takes %d bytes of shared memory, this GPU has %d for a block; take "+
			"smaller parts", m.longest(), f.shared, most)
	}
	before := s.Allocated()
	f.first, f.row, f.order = keep(f, m.First), keep(f, m.Row), keep(f, m.UpperOrder)
	f.lower, f.upper = f.keepTriangle(m, &m.Lower, nil), f.keepTriangle(m, &m.Upper, m.UpperOrder)
	if how.Double {
		f.double = valuesOf[float64](f, m)
	} else {
		f.single = valuesOf[float32](f, m)
	}
	f.bytes = s.Allocated() - before
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

func valuesOf[T float32 | float64](f *cudaParts, m *PartMatrix) partValues[T] {
	v := partValues[T]{cuda.AllocRaw[T](f.s, int64(len(m.Lower.Col))), cuda.AllocRaw[T](f.s, int64(len(m.Upper.Col))),
		cuda.AllocRaw[T](f.s, int64(len(m.Row)))}
	f.memory = append(f.memory, v.lower, v.upper, v.inverse)
	return v
}

// factorise launches the factorisation and waits for what it says of pivots.
func (f *cudaParts) factorise(m *PartMatrix, how PartOptions) error {
	s, grid := f.s, [3]uint32{uint32(f.count), 1, 1}
	args := PartsFactorPartsDoubleArgs{
		First: f.first, Row: f.row, RowPtr: cuda.Upload(s, m.RowPtr), Diagonal: cuda.Upload(s, m.Diagonal),
		Col: cuda.Upload(s, m.Col), Val: cuda.Upload(s, m.Val),
		LowerFirst: f.lower.first, LowerLevel: f.lower.level, LowerPtr: f.lower.ptr, UpperPtr: f.upper.ptr,
		UpperOrder: f.order,
		Scale:      1 + how.Shift, Lower: f.double.lower, Upper: f.double.upper, Inverse: f.double.inverse,
		Refused: cuda.Upload(s, []uint64{uint64(len(m.Row))}),
	}
	defer s.Discard(args.RowPtr, args.Diagonal, args.Col, args.Val, args.Refused)
	if how.Symmetric {
		args.Symmetric = 1
	}
	switch {
	case !s.Ready():
	case how.Double:
		s.Note(f.k.FactorPartsDouble(s.Stream, grid, args))
	default:
		s.Note(f.k.FactorParts(s.Stream, grid, PartsFactorPartsArgs{
			First: f.first, Row: f.row, RowPtr: args.RowPtr, Diagonal: args.Diagonal, Col: args.Col, Val: args.Val,
			LowerFirst: args.LowerFirst, LowerLevel: args.LowerLevel, LowerPtr: args.LowerPtr, UpperPtr: args.UpperPtr,
			UpperOrder: f.order,
			Scale:      args.Scale, Symmetric: args.Symmetric, Lower: f.single.lower, Upper: f.single.upper,
			Inverse: f.single.inverse, Refused: args.Refused,
		}))
	}
	row := cuda.ReceiveOne(s, args.Refused)
	if s.Err() == nil && row < uint64(len(m.Row)) {
		return &BadPivot{Row: int(row)}
	}
	return s.Err()
}

// Bytes of the factor.
func (f *cudaParts) Bytes() int64 { return f.bytes }

// Release gives the memory back.
func (f *cudaParts) Release() {
	for _, p := range slices.Backward(f.memory) {
		f.s.Discard(p)
	}
	f.memory = nil
}

// Solve sets z = M^-1 r.
func (f *cudaParts) Solve(z, r ops.Vector) {
	s, k, l, u, grid := f.s, f.k, &f.lower, &f.upper, [3]uint32{uint32(f.count), 1, 1}
	switch {
	case !s.Ready():
	case f.way == ByEdges:
		s.Note(k.SolvePartsEdges(s.Stream, grid, f.shared, PartsSolvePartsEdgesArgs{
			First: f.first, Row: f.row, LowerPtr: l.ptr, LowerCol: l.col, LowerVal: f.single.lower, LowerFirst: l.first,
			LowerLevel: l.level, LowerOwner: l.owner,
			UpperPtr: u.ptr, UpperCol: u.col, UpperVal: f.single.upper, UpperFirst: u.first, UpperLevel: u.level,
			UpperOwner: u.owner,
			Inverse:    f.single.inverse, R: cuda.F32(r), Z: cuda.F32(z),
		}))
	case !f.double.inverse.IsNil():
		s.Note(k.SolvePartsDouble(s.Stream, grid, f.shared, PartsSolvePartsDoubleArgs{
			First: f.first, Row: f.row, LowerPtr: l.ptr, LowerCol: l.col, LowerVal: f.double.lower, LowerFirst: l.first,
			LowerLevel: l.level,
			UpperPtr:   u.ptr, UpperCol: u.col, UpperVal: f.double.upper, UpperFirst: u.first, UpperLevel: u.level,
			UpperOrder: f.order,
			Inverse:    f.double.inverse, R: cuda.F32(r), Z: cuda.F32(z),
		}))
	default:
		s.Note(k.SolveParts(s.Stream, grid, f.shared, PartsSolvePartsArgs{
			First: f.first, Row: f.row, LowerPtr: l.ptr, LowerCol: l.col, LowerVal: f.single.lower, LowerFirst: l.first,
			LowerLevel: l.level,
			UpperPtr:   u.ptr, UpperCol: u.col, UpperVal: f.single.upper, UpperFirst: u.first, UpperLevel: u.level,
			UpperOrder: f.order,
			Inverse:    f.single.inverse, R: cuda.F32(r), Z: cuda.F32(z),
		}))
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
		if args.Upper = int32(n); s.Ready() {
			s.Note(k.AssignLevels(s.Stream, [3]uint32{uint32(m.parts()), 1, 1}, uint32(shared), args))
		}
		cuda.Receive(s.Space, to, args.Level)
	}
	return lower, upper, s.Err()
}
