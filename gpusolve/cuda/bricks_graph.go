package cuda

import (
	"fmt"
	"slices"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// parts is a factor of a matrix by rows.
type parts struct {
	s            *space
	k            *kernels.Parts
	count        int
	shared       uint32 // bytes for the longest part
	first, row   cu.Ptr[int32]
	order        cu.Ptr[int32]
	inverse      cu.Ptr[float32]
	lower, upper triangle
	bytes        int64
	memory       []cu.Pointer
}

type triangle struct {
	rowPtr            cu.Ptr[int64]
	col, first, level cu.Ptr[int32]
	val               cu.Ptr[float32]
}

// LoadParts copies the factor to the GPU.
func (s *space) LoadParts(p *ops.Parts) (ops.Factor, error) {
	k, err := module(s.Device, "parts", kernels.LoadParts)
	if err != nil {
		return nil, err
	}
	f := &parts{s: s, k: k, count: len(p.First) - 1}
	longest := int32(0)
	for n := range f.count {
		longest = max(longest, p.First[n+1]-p.First[n])
	}
	f.shared = 4 * uint32(longest)
	if most := s.sharedMemory(); int(f.shared) > most {
		return nil, fmt.Errorf("a part of %d rows takes %d bytes of shared memory, this GPU has %d for a block; take smaller parts", longest, f.shared, most)
	}
	before := s.live
	f.first, f.row = keep(f, p.First), keep(f, p.Row)
	f.order, f.inverse = keep(f, p.UpperOrder), keep(f, p.Inverse)
	f.lower, f.upper = f.keepTriangle(&p.Lower), f.keepTriangle(&p.Upper)
	f.bytes = s.live - before
	return f, s.err
}

func keep[T any](f *parts, v []T) cu.Ptr[T] {
	p := upload(f.s, v)
	f.memory = append(f.memory, p)
	return p
}

func (f *parts) keepTriangle(t *ops.Triangle) triangle {
	return triangle{rowPtr: keep(f, t.RowPtr), col: keep(f, t.Col), val: keep(f, t.Val), first: keep(f, t.First), level: keep(f, t.Level)}
}

// Bytes of the factor.
func (f *parts) Bytes() int64 { return f.bytes }

// Release gives the memory back.
func (f *parts) Release() {
	for _, p := range slices.Backward(f.memory) {
		f.s.free(p)
	}
	f.memory = nil
}

func (f *parts) solve(z, r cu.Ptr[float32]) {
	s, l, u := f.s, &f.lower, &f.upper
	s.note(f.k.SolveParts(s.stream, [3]uint32{uint32(f.count), 1, 1}, f.shared, kernels.PartsSolvePartsArgs{
		First: f.first, Row: f.row, LowerPtr: l.rowPtr, LowerCol: l.col, LowerVal: l.val, LowerFirst: l.first, LowerLevel: l.level,
		UpperPtr: u.rowPtr, UpperCol: u.col, UpperVal: u.val, UpperFirst: u.first, UpperLevel: u.level, UpperOrder: f.order,
		Inverse: f.inverse, R: r, Z: z,
	}))
}
