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
type bands struct{ main, x, y, z cu.DevicePtr }

// stored is a matrix in one or several precisions: as four diagonals, or by rows.
type stored struct {
	s          *space
	nx, ny, nz int
	copies     [3]bands // by precision; none where the matrix is by rows
	unit, undo float32  // of FP16 entries: the main diagonal where it is not kept, and the inverse of their power of two
	promote    cu.DevicePtr
	promoted   [3]int
	scale      cu.DevicePtr // S in FP32, 0 in the plain form
	rows       *rows        // by rows, with values in FP64
	single     cu.DevicePtr // values by rows in FP32
	owned      []cu.DevicePtr
	bytes      int64
}

var _ ops.Stored = (*stored)(nil)

// Bytes of device memory.
func (a *stored) Bytes() int64 { return a.bytes }

// Promoted counts the planes in which each off-diagonal is multiplied in FP32.
func (a *stored) Promoted() [3]int { return a.promoted }

// Release gives the memory back.
func (a *stored) Release() {
	for _, p := range a.owned {
		a.s.free(p)
	}
	a.owned, a.bytes = nil, 0
}

func (a *stored) alloc(bytes int64) cu.DevicePtr {
	p := a.s.alloc(bytes)
	if p != 0 {
		a.owned = append(a.owned, p)
		a.bytes += bytes
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
		a.scale = a.alloc(4 * s.cells)
		if s.ready() {
			s.note(q.RootScale(s.stream, flat(s.cells), s.cells, from.main, a.scale))
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
	part := s.alloc(8 * 5 * kernels.QuaddiagParts * int64(a.nz))
	defer s.free(part)
	if s.ready() {
		s.note(q.Extent(s.stream, [3]uint32{kernels.QuaddiagParts * uint32(a.nz), 1, 1}, int64(a.nx), from.sheet(), s.cells, from.main, from.x, from.y, from.z, a.scale, part))
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

// keep lays out the copies.
func (a *stored) keep(q *kernels.Quaddiag, from *diagonals, c ops.Copies, sizes [][4]float64) {
	keep := func(p ops.Precision, store func(cu.Stream, [3]uint32, int64, int64, cu.DevicePtr, cu.DevicePtr, float32, cu.DevicePtr) error, factor float32, main bool) {
		// Some zeros on either side of x and y, so that kernels need not look for the ends.
		one := func(src cu.DevicePtr, offset, zeros int64) cu.DevicePtr {
			n := a.s.cells - offset
			at := a.alloc(p.Bytes()*(n+2*zeros)) + cu.DevicePtr(p.Bytes()*zeros)
			if a.s.ready() && n > 0 {
				a.s.note(store(a.s.stream, flat(n), n, offset, src, a.scale, factor, at))
			}
			return at
		}
		nx := int64(a.nx)
		b := bands{x: one(from.x, 1, 1), y: one(from.y, nx, nx), z: one(from.z, from.sheet(), 0)}
		if main {
			b.main = one(from.main, 0, 0)
		}
		a.copies[p] = b
	}
	if c.Double {
		keep(ops.Double, q.KeepDouble, 1, true)
	}
	if c.Single {
		keep(ops.Single, q.KeepSingle, 1, true)
	}
	if !c.Half {
		return
	}
	exponent := ops.HalfExponent(sizes)
	a.unit, a.undo = float32(math.Ldexp(1, exponent)), float32(math.Ldexp(1, -exponent))
	keep(ops.Half, q.KeepHalf, a.unit, !c.Scaled)
	masks, promoted := ops.Promotions(sizes, c.PromotePlanes)
	a.promoted = promoted
	if c.PromotePlanes {
		a.promote = a.alloc(4 * int64(len(masks)))
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
		a.single = a.alloc(4 * a.rows.entries)
		if s.ready() {
			s.note(m.DoubleToSingle(s.stream, flat(a.rows.entries), a.rows.entries, 1, a.rows.val, a.single))
		}
	}
	return a, s.err
}

// NewMixed makes a zero vector whose pads reach as far as the grid's rows.
func (s *space) NewMixed(a ops.Stored, p ops.Precision) (ops.Vector, error) {
	return s.newVector(s.cells, max(s.pad, int64(a.(*stored).nx)), p.Bytes()), s.err
}

// errPrecision is a fault of the caller.
var errPrecision = errors.New("no kernel multiplies entries and vectors of these precisions")

// MixedMultiply sets y = A x.
func (s *space) MixedMultiply(m ops.Stored, entries ops.Precision, y, x ops.Vector) {
	a := m.(*stored)
	if a.rows != nil {
		s.multiplyRows(a, entries, y, x)
		return
	}
	q, err := module(s.Device, "quaddiag", kernels.LoadQuaddiag)
	s.note(err)
	if !s.ready() {
		return
	}
	nx, ny, nz := a.shape()
	grid, b := a.tiles(precision(x), 0), a.copies[entries]
	switch (pair{entries, precision(x)}) {
	case pair{ops.Double, ops.Double}:
		err = q.MultiplyDouble(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, ptr(x), ptr(y))
	case pair{ops.Single, ops.Double}:
		err = q.MultiplyDecoupled(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, ptr(x), ptr(y))
	case pair{ops.Single, ops.Single}:
		err = q.MultiplySingle(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, ptr(x), ptr(y))
	case pair{ops.Half, ops.Single}:
		if a.promote != 0 {
			err = q.MultiplyPlanes(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, a.unit, a.undo, a.promote, ptr(x), ptr(y))
			break
		}
		err = q.MultiplyPhysics(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, a.unit, a.undo, ptr(x), ptr(y))
	case pair{ops.Half, ops.Half}:
		err = q.MultiplyHalf(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, a.unit, a.undo, ptr(x), ptr(y))
	default:
		err = errPrecision
	}
	s.note(err)
}

// MixedCurve sets q = A p, PQ and Alpha.
func (s *space) MixedCurve(m ops.Stored, entries ops.Precision, out, p ops.Vector) {
	a := m.(*stored)
	if a.rows != nil {
		s.curveRows(a, entries, out, p)
		return
	}
	q, err := module(s.Device, "quaddiag", kernels.LoadQuaddiag)
	s.note(err)
	if !s.ready() {
		return
	}
	nx, ny, nz := a.shape()
	grid, b := a.tiles(precision(p), s.maxBlocks), a.copies[entries]
	switch (pair{entries, precision(p)}) {
	case pair{ops.Double, ops.Double}:
		err = q.CurveDouble(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, ptr(p), ptr(out), s.partial, s.scalarsDev, s.ticket)
	case pair{ops.Single, ops.Double}:
		err = q.CurveDecoupled(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, ptr(p), ptr(out), s.partial, s.scalarsDev, s.ticket)
	case pair{ops.Single, ops.Single}:
		err = q.CurveSingle(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, ptr(p), ptr(out), s.partial, s.scalarsDev, s.ticket)
	case pair{ops.Half, ops.Half}:
		err = q.CurveHalf(s.stream, grid, nx, ny, nz, b.main, b.x, b.y, b.z, a.unit, a.undo, ptr(p), ptr(out), s.partial, s.scalarsDev, s.ticket)
	default:
		err = errPrecision
	}
	s.note(err)
}

// pair is what a product multiplies.
type pair struct{ entries, vector ops.Precision }

// precision of a vector.
func precision(v ops.Vector) ops.Precision {
	switch v.(*vector).elem {
	case 8:
		return ops.Double
	case 4:
		return ops.Single
	}
	return ops.Half
}
