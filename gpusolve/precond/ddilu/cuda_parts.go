package ddilu

import (
	"fmt"
	"slices"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/ops"
)

// cudaParts is a factor of a matrix by rows.
type cudaParts struct {
	s            *cuda.Space
	k            *Parts
	count        int
	shared       uint32 // bytes for the longest part
	first, row   cudriver.Ptr[int32]
	order        cudriver.Ptr[int32]
	inverse      cudriver.Ptr[float32]
	lower, upper cudaTriangle
	bytes        int64
	memory       []cudriver.Pointer
}

type cudaTriangle struct {
	rowPtr            cudriver.Ptr[int64]
	col, first, level cudriver.Ptr[int32]
	val               cudriver.Ptr[float32]
}

// loadParts copies the factor to the GPU.
func (s onGPU) loadParts(p *PartFactors) (Factor, error) {
	k, err := cuda.Module(s.Device, "parts", LoadParts)
	if err != nil {
		return nil, err
	}
	f := &cudaParts{s: s.Space, k: k, count: len(p.First) - 1}
	longest := int32(0)
	for n := range f.count {
		longest = max(longest, p.First[n+1]-p.First[n])
	}
	f.shared = 4 * uint32(longest)
	if most := s.sharedMemory(); int(f.shared) > most {
		return nil, fmt.Errorf("a part of %d rows takes %d bytes of shared memory, this GPU has %d for a block; take smaller parts", longest, f.shared, most)
	}
	before := s.Allocated()
	f.first, f.row = keep(f, p.First), keep(f, p.Row)
	f.order, f.inverse = keep(f, p.UpperOrder), keep(f, p.Inverse)
	f.lower, f.upper = f.keepTriangle(&p.Lower), f.keepTriangle(&p.Upper)
	f.bytes = s.Allocated() - before
	return f, s.Err()
}

func keep[T any](f *cudaParts, v []T) cudriver.Ptr[T] {
	p := cuda.Upload(f.s, v)
	f.memory = append(f.memory, p)
	return p
}

func (f *cudaParts) keepTriangle(t *Triangle) cudaTriangle {
	return cudaTriangle{rowPtr: keep(f, t.RowPtr), col: keep(f, t.Col), val: keep(f, t.Val), first: keep(f, t.First), level: keep(f, t.Level)}
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
	s, l, u := f.s, &f.lower, &f.upper
	if !s.Ready() {
		return
	}
	s.Note(f.k.SolveParts(s.Stream, [3]uint32{uint32(f.count), 1, 1}, f.shared, PartsSolvePartsArgs{
		First: f.first, Row: f.row, LowerPtr: l.rowPtr, LowerCol: l.col, LowerVal: l.val, LowerFirst: l.first, LowerLevel: l.level,
		UpperPtr: u.rowPtr, UpperCol: u.col, UpperVal: u.val, UpperFirst: u.first, UpperLevel: u.level, UpperOrder: f.order,
		Inverse: f.inverse, R: cuda.F32(r), Z: cuda.F32(z),
	}))
}
