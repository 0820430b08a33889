package cuda

import (
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/cu"
	"thermsim/gpusolve/kernels"
	"thermsim/gpusolve/ops"
)

// bands are the four diagonals of a symmetric matrix in one precision.
type bands[T number] struct{ main, x, y, z cu.Ptr[T] }

// stored is a matrix in one or several precisions: as four diagonals, or by rows.
type stored struct {
	s          *space
	nx, ny, nz int
	double     bands[float64] // the copies; none where the matrix is by rows
	single     bands[float32]
	half       bands[cu.Half]
	unit, undo float32 // of FP16 entries: the main diagonal where it is not kept, and the inverse of their power of two
	promote    cu.Ptr[int32]
	promoted   [3]int
	scale      cu.Ptr[float32] // S, nowhere in the plain form
	rows       *rows           // by rows, with values in FP64
	rowValues  cu.Ptr[float32] // values by rows in FP32
	owned      []cu.Pointer
	bytes      int64
}

var _ ops.Stored = (*stored)(nil)

// Bytes of device memory.
func (a *stored) Bytes() int64 { return a.bytes }

// Promoted counts the planes in which each off-diagonal is multiplied in FP32.
func (a *stored) Promoted() [3]int { return a.promoted }

// Release gives the memory back.
func (a *stored) Release() {
	a.s.free(a.owned...)
	a.owned, a.bytes = nil, 0
}

// own takes memory that goes with the copies.
func own[T any](a *stored, n int64) cu.Ptr[T] {
	p := alloc[T](a.s, n)
	if !p.IsNil() {
		a.owned = append(a.owned, p)
		a.bytes += n * sizeOf[T]()
	}
	return p
}

// tiles is the grid of kernels that march columns. most bounds the blocks, as reductions need; 0 leaves them free.
func (a *stored) tiles(vectors ops.Precision, most int) [3]uint32 {
	threads := kernels.QuaddiagThreads
	if vectors == ops.Double {
		threads = kernels.QuaddiagBroad
	}
	x, y := blocks(a.nx, kernels.Tile), min(blocks(a.ny, threads/kernels.Tile), uint32(a.s.mostRows))
	if most > 0 {
		y = min(y, uint32(max(1, most/int(x))))
	}
	return [3]uint32{x, y, 1}
}

func (a *stored) shape() (nx, ny, nz int32) { return int32(a.nx), int32(a.ny), int32(a.nz) }

var errUnsymmetric = errors.New("the matrix is not symmetric")

// StoreDiagonals copies a symmetric matrix in the precisions asked for.
func (s *space) StoreDiagonals(d ops.Diagonals, c ops.Copies) (ops.Stored, error) {
	q, err := module(s.Device, "quaddiag", kernels.LoadQuaddiag)
	if err != nil {
		return nil, err
	}
	from := d.(*diagonals)
	if !from.symmetric {
		return nil, errUnsymmetric
	}
	a := &stored{s: s, nx: from.nx, ny: from.ny, nz: from.nz, undo: 1}
	sizes, err := a.extent(q, from)
	if err == nil && c.Scaled {
		a.scale = own[float32](a, s.cells)
		if s.ready() {
			s.note(q.RootScale(s.stream, flat(s.cells), kernels.QuaddiagRootScaleArgs{N: s.cells, Diagonal: from.main, Scale: a.scale}))
		}
		sizes, err = a.extent(q, from)
	}
	if err == nil {
		a.keep(q, from, c, sizes)
		err = s.err
	}
	if err != nil {
		a.Release()
		return nil, err
	}
	return a, nil
}

// extent is the largest size of the entries main, x, y and z of every plane.
func (a *stored) extent(q *kernels.Quaddiag, from *diagonals) ([][4]float64, error) {
	s := a.s
	part := alloc[[kernels.QuaddiagParts][5]float64](s, int64(a.nz))
	defer s.free(part)
	if s.ready() {
		s.note(q.Extent(s.stream, [3]uint32{kernels.QuaddiagParts * uint32(a.nz), 1, 1}, kernels.QuaddiagExtentArgs{
			Nx: int64(a.nx), Sheet: from.sheet(), N: s.cells, Main: from.main, X: from.x, Y: from.y, Z: from.z, Scale: a.scale,
			Sizes: cu.At[float64](part.Address()),
		}))
	}
	got := make([][kernels.QuaddiagParts][5]float64, a.nz)
	receiveSlice(s, got, part)
	sizes := make([][4]float64, a.nz)
	for k := range got {
		for _, b := range got[k] {
			for i := range sizes[k] {
				sizes[k][i] = math.Max(sizes[k][i], b[i])
			}
			if least := -b[4]; s.err == nil && !(least > 0) {
				return nil, fmt.Errorf("the main diagonal is not positive: it goes down to %g", least)
			}
		}
	}
	return sizes, s.err
}

// keepBands lays out a copy, with some zeros on either side of x and y, so that kernels need not look for the ends.
func keepBands[T number](a *stored, from *diagonals, main bool, store func(grid [3]uint32, n, offset int64, src cu.Ptr[float64], to cu.Ptr[T]) error) (b bands[T]) {
	one := func(src cu.Ptr[float64], offset, zeros int64) cu.Ptr[T] {
		n := a.s.cells - offset
		to := own[T](a, n+2*zeros).Add(zeros)
		if a.s.ready() && n > 0 {
			a.s.note(store(flat(n), n, offset, src, to))
		}
		return to
	}
	nx := int64(a.nx)
	b.x, b.y, b.z = one(from.x, 1, 1), one(from.y, nx, nx), one(from.z, from.sheet(), 0)
	if main {
		b.main = one(from.main, 0, 0)
	}
	return b
}

// keep makes the copies asked for.
func (a *stored) keep(q *kernels.Quaddiag, from *diagonals, c ops.Copies, sizes [][4]float64) {
	s := a.s
	if c.Double {
		a.double = keepBands(a, from, true, func(grid [3]uint32, n, offset int64, src, to cu.Ptr[float64]) error {
			return q.KeepDouble(s.stream, grid, kernels.QuaddiagKeepDoubleArgs{N: n, Offset: offset, From: src, Scale: a.scale, Factor: 1, To: to})
		})
	}
	if c.Single {
		a.single = keepBands(a, from, true, func(grid [3]uint32, n, offset int64, src cu.Ptr[float64], to cu.Ptr[float32]) error {
			return q.KeepSingle(s.stream, grid, kernels.QuaddiagKeepSingleArgs{N: n, Offset: offset, From: src, Scale: a.scale, Factor: 1, To: to})
		})
	}
	if !c.Half {
		return
	}
	exponent := ops.HalfExponent(sizes)
	a.unit, a.undo = float32(math.Ldexp(1, exponent)), float32(math.Ldexp(1, -exponent))
	a.half = keepBands(a, from, !c.Scaled, func(grid [3]uint32, n, offset int64, src cu.Ptr[float64], to cu.Ptr[cu.Half]) error {
		return q.KeepHalf(s.stream, grid, kernels.QuaddiagKeepHalfArgs{N: n, Offset: offset, From: src, Scale: a.scale, Factor: a.unit, To: to})
	})
	masks, promoted := ops.Promotions(sizes, c.PromotePlanes)
	a.promoted = promoted
	if c.PromotePlanes {
		a.promote = own[int32](a, int64(len(masks)))
		sendSlice(a.s, a.promote, masks)
	}
}

// StoreRows keeps FP32 values beside those of r.
func (s *space) StoreRows(r ops.Rows, c ops.Copies) (ops.Stored, error) {
	if c.Scaled || c.Half {
		return nil, errors.New("a matrix by rows is kept neither scaled nor in FP16")
	}
	m, err := module(s.Device, "mixed", kernels.LoadMixed)
	if err != nil {
		return nil, err
	}
	a := &stored{s: s, rows: r.(*rows), undo: 1}
	a.nx, a.ny, a.nz = int(s.pad), 1, 1
	if c.Single {
		a.rowValues = own[float32](a, a.rows.entries)
		if s.ready() {
			s.note(m.DoubleToSingle(s.stream, flat(a.rows.entries), kernels.MixedDoubleToSingleArgs{
				N: a.rows.entries, Factor: 1, From: a.rows.val, To: a.rowValues,
			}))
		}
	}
	return a, s.err
}

// NewMixed makes a zero vector whose pads reach as far as the grid's rows.
func (s *space) NewMixed(a ops.Stored, p ops.Precision) (ops.Vector, error) {
	pad := max(s.pad, int64(a.(*stored).nx))
	switch p {
	case ops.Double:
		return newVector[float64](s, s.cells, pad), s.err
	case ops.Single:
		return newVector[float32](s, s.cells, pad), s.err
	}
	return newVector[cu.Half](s, s.cells, pad), s.err
}
