package ilu

import (
	"fmt"
	"math"
	"math/bits"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cudriver"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/precond"
)

// strip is the shape of strips in solves by columns.cu: a lane has so many planes of a row.
type strip struct {
	order, rows, planes int
	chunk               int // steps that are loaded at a time
	lower, upper        func(*Columns, cudriver.Stream, [3]uint32, uint32, ColumnsLowerStarBy16Args) error
}

// strips are the shapes there are, each order's default first.
var strips = []strip{
	{0, 16, 5, 4, (*Columns).LowerStarBy16, (*Columns).UpperStarBy16},
	{0, 16, 5, 2, (*Columns).LowerStarBy16x2, (*Columns).UpperStarBy16x2},
	{0, 16, 5, 8, (*Columns).LowerStarBy16x8, (*Columns).UpperStarBy16x8},
	{0, 8, 3, 4, (*Columns).LowerStarBy8, (*Columns).UpperStarBy8},
	{0, 8, 3, 8, (*Columns).LowerStarBy8x8, (*Columns).UpperStarBy8x8},
	{0, 32, 10, 2, (*Columns).LowerStarBy32, (*Columns).UpperStarBy32},
	{1, 16, 5, 4, (*Columns).LowerDiamondBy16, (*Columns).UpperDiamondBy16},
	{1, 16, 5, 2, (*Columns).LowerDiamondBy16x2, (*Columns).UpperDiamondBy16x2},
	{1, 8, 3, 4, (*Columns).LowerDiamondBy8, (*Columns).UpperDiamondBy8},
}

// room is the shared memory, in bytes, for three chunks of so many numbers of a lane and step.
func (s strip) room(numbers int) uint32 { return uint32(3 * s.chunk * numbers * ColumnsLanes * 4) }

// stripFor finds the shape for a grid of so many planes, with the rows and the chunk that are asked for, 0 for any.
func stripFor(order, planes, rows, chunk int) (strip, bool) {
	for _, s := range strips {
		if s.order == order && planes <= s.height() && (rows == 0 || s.rows == rows) && (chunk == 0 || s.chunk == chunk) {
			return s, true
		}
	}
	return strip{}, false
}

// shortest is the least length of rows: 10 chunks of the longest, and more, so that what is read and what is written at a time lie apart in the layout.
const shortest = 64

// height is how many planes a strip has.
func (s strip) height() int { return s.planes * ColumnsLanes / s.rows }

// cudaColumns is a factor that is ready for solves by strips, in FP32.
type cudaColumns struct {
	s *cuda.Space
	k *Columns
	strip
	nx, ny, nz, strips int
	numbers            int // of a lane's part of a factor at a step
	bytes              int64
	state              cudriver.Ptr[int32] // of both solves
	below, above       cudriver.Ptr[float32]
	inverse, field     cudriver.Ptr[float32]
	messages           cudriver.Ptr[float32] // all taken between solves
}

// inColumns lays the factor out for solves by strips.
func (f *cudaFactor) inColumns() (Triangles, error) {
	s, w := f.s, f.wavefront
	shape, ok := stripFor(w.order, w.nz, f.how.TileY, f.how.Chunk)
	if !ok || w.nx < shortest {
		return nil, fmt.Errorf("%w: form=columns is for flat grids, and has no strips for %d planes and %d cells along x; leave form away", precond.ErrRefused, w.nz, w.nx)
	}
	k, err := cuda.Module(s.Device, "ilu columns", LoadColumns)
	if err != nil {
		return nil, err
	}
	t := &cudaColumns{s: s, k: k, strip: shape, nx: w.nx, ny: w.ny, nz: w.nz, strips: (w.ny + w.order*(w.nz-1) + shape.rows - 1) / shape.rows}
	before := s.Allocated()
	t.numbers = (int(f.off())*t.planes + 3) / 4 * 4
	lines := int64(t.strips) * int64(t.nx) * ColumnsLanes // of a lane
	field, factor := lines*int64(t.planes), lines*int64(t.numbers)
	words := int64(t.strips) * int64(t.nx+t.height()+t.order) * int64(ColumnsLanes/t.rows*((t.planes+3)/4*4))
	t.state, t.messages = cuda.Alloc[int32](s, 2), cuda.AllocRaw[float32](s, words)
	t.field, t.inverse = cuda.AllocRaw[float32](s, field), cuda.AllocRaw[float32](s, field)
	t.below = cuda.AllocRaw[float32](s, factor)
	t.above = t.below
	n := s.Cells()
	if s.Ready() {
		s.Note(s.Driver.MemsetD32Async(t.messages.Address(), math.MaxUint32, words, s.Stream))
	}
	t.pack(f.data, int32(f.off()), t.below)
	if f.sides > 1 {
		t.above = cuda.AllocRaw[float32](s, factor)
		t.pack(f.data.Add(f.off()*n), int32(f.off()), t.above)
	}
	t.pack(f.data.Add(f.sides*f.off()*n), 1, t.inverse)
	t.bytes = s.Allocated() - before
	if err := s.Err(); err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

// pack lays diagonals of the factor out by strips.
func (t *cudaColumns) pack(from cudriver.Ptr[float64], diagonals int32, to cudriver.Ptr[float32]) {
	if t.s.Ready() {
		t.s.Note(t.k.PackStrips(t.s.Stream, cuda.Flat(t.s.Cells()), ColumnsPackStripsArgs{
			Order: int32(t.order), Nx: int32(t.nx), Ny: int32(t.ny), Nz: int32(t.nz), Strips: int32(t.strips), Rows: int32(t.rows), Planes: int32(t.planes), Diagonals: diagonals, From: from, To: to,
		}))
	}
}

// Bytes of the factor on the device.
func (t *cudaColumns) Bytes() int64 { return t.bytes }

// Release gives the memory back.
func (t *cudaColumns) Release() {
	t.s.Discard(t.state, t.messages, t.field, t.inverse, t.below)
	if t.above != t.below {
		t.s.Discard(t.above)
	}
}

// Solve sets z = (L D U)^-1 r.
func (t *cudaColumns) Solve(z, r ops.Vector) {
	s, k := t.s, t.k
	if !s.Ready() {
		return
	}
	nx, ny, nz, planes, count := int32(t.nx), int32(t.ny), int32(t.nz), int32(t.planes), int32(t.strips)
	fold := int32(bits.TrailingZeros(uint(t.rows)))
	s.Note(k.ToStrips(s.Stream, t.squares(t.height()), ColumnsToStripsArgs{
		Order: int32(t.order), Nx: nx, Ny: ny, Nz: nz, Strips: count, Bits: fold, Planes: planes, From: cuda.F32(r), To: t.field, State: t.state,
	}))
	sweep := ColumnsLowerStarBy16Args{Nx: nx, Strips: count, State: t.state, Factor: t.below, Inverse: t.inverse, W: t.field, Messages: t.messages}
	blocks := [3]uint32{uint32(t.strips), 1, 1}
	s.Note(t.lower(k, s.Stream, blocks, t.room(t.numbers+t.planes), sweep))
	sweep.State, sweep.Factor = t.state.Add(1), t.above
	s.Note(t.upper(k, s.Stream, blocks, t.room(t.numbers+2*t.planes), sweep))
	s.Note(k.FromStrips(s.Stream, t.squares(t.nz), ColumnsFromStripsArgs{Order: int32(t.order), Nx: nx, Ny: ny, Strips: count, Bits: fold, Planes: planes, From: t.field, To: cuda.F32(z)}))
}

// squares is how many blocks turn so many planes from one layout to the other.
func (t *cudaColumns) squares(planes int) [3]uint32 {
	const s = ColumnsSquare
	return [3]uint32{uint32((t.nx+s-1)/s) * uint32((t.strips*t.rows+s-1)/s) * uint32(planes), 1, 1}
}
