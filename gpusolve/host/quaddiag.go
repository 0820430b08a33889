package host

import (
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/sparse"
)

type number interface{ float32 | float64 }

// bands are the four diagonals of a symmetric matrix.
type bands[M number] struct{ main, x, y, z []M }

// stored is a matrix in one or several precisions: as four diagonals, or by rows.
type stored struct {
	s        *Space
	nx       int
	sheet    int
	double   bands[float64]
	single   bands[float32]
	half     bands[float32] // numbers of FP16, times a power of two
	undo     float32        // its inverse
	promote  []int32        // by plane
	promoted [3]int
	scale    []float32 // S, nil in the plain form
	lift     float64   // factor of the right side of a running Chebyshev iteration
	rows     *sparse.CSR
	values   []float32 // by rows, FP32
	bytes    int64
}

var _ ops.Stored = (*stored)(nil)

// Bytes of memory.
func (a *stored) Bytes() int64 { return a.bytes }

// Promoted counts the planes in which each off-diagonal is multiplied in FP32.
func (a *stored) Promoted() [3]int { return a.promoted }

// Release forgets the copies.
func (a *stored) Release() {
	a.s.Account(-a.bytes)
	*a = stored{s: a.s}
}

var errUnsymmetric = errors.New("the matrix is not symmetric")

// StoreDiagonals copies a symmetric matrix in the precisions asked for.
func (s *Space) StoreDiagonals(d ops.Diagonals, c ops.Copies) (ops.Stored, error) {
	from := d.(*diagonals)
	if !from.Symmetric() {
		return nil, errUnsymmetric
	}
	a := &stored{s: s, nx: from.NX, sheet: from.NX * from.NY, undo: 1, lift: 1}
	for _, v := range from.Main {
		if !(v > 0) {
			return nil, fmt.Errorf("the main diagonal is not positive: it goes down to %g", v)
		}
	}
	if c.Scaled {
		a.scale = make([]float32, len(from.Main))
		for i, v := range from.Main {
			a.scale[i] = float32(1 / math.Sqrt(v))
		}
		a.bytes += 4 * int64(len(a.scale))
	}
	if c.Double {
		a.double = keep(a, from, func(v float64) float64 { return v })
	}
	if c.Single {
		a.single = keep(a, from, func(v float64) float32 { return float32(v) })
	}
	if c.Half {
		sizes := a.extent(from)
		e := ops.HalfExponent(sizes)
		a.undo = float32(math.Ldexp(1, -e))
		a.half = keep(a, from, func(v float64) float32 { return roundHalf(math.Ldexp(v, e)) })
		a.promote, a.promoted = ops.Promotions(sizes, c.PromotePlanes)
	}
	s.Account(a.bytes)
	return a, nil
}

// entry is that of S A S, or of A where there is no S.
func (a *stored) entry(v float64, row, col int) float64 {
	if a.scale == nil {
		return v
	}
	return v * float64(a.scale[row]) * float64(a.scale[col])
}

// extent is the largest size of the entries main, x, y and z of every plane.
func (a *stored) extent(d *diagonals) [][4]float64 {
	sizes := make([][4]float64, d.NZ)
	for i, band := range [][]float64{d.Main, d.X, d.Y, d.Z} {
		offset := []int{0, 1, d.NX, a.sheet}[i]
		for c, v := range band {
			size := &sizes[c/a.sheet][i]
			*size = math.Max(*size, math.Abs(a.entry(v, c, c+offset)))
		}
	}
	return sizes
}

func keep[M number](a *stored, d *diagonals, round func(float64) M) bands[M] {
	band := func(from []float64, offset int) []M {
		to := make([]M, len(from))
		for c, v := range from {
			to[c] = round(a.entry(v, c, c+offset))
		}
		var m M
		_, single := any(m).(float32)
		a.bytes += map[bool]int64{true: 4, false: 8}[single] * int64(len(to))
		return to
	}
	return bands[M]{band(d.Main, 0), band(d.X, 1), band(d.Y, d.NX), band(d.Z, a.sheet)}
}

// StoreRows keeps FP32 values beside those of r.
func (s *Space) StoreRows(r ops.Rows, c ops.Copies) (ops.Stored, error) {
	if c.Scaled || c.Half {
		return nil, errors.New("a matrix by rows is kept neither scaled nor in FP16")
	}
	a := &stored{s: s, rows: r.(*rows).CSR, undo: 1, lift: 1}
	if c.Single {
		a.values = make([]float32, len(a.rows.Val))
		round(a.values, a.rows.Val)
		a.bytes = 4 * int64(len(a.values))
		s.Account(a.bytes)
	}
	return a, nil
}

// NewMixed makes a zero vector.
func (s *Space) NewMixed(_ ops.Stored, p ops.Precision) (ops.Vector, error) {
	switch p {
	case ops.Double:
		return s.New64()
	case ops.Single:
		return s.New32()
	}
	return &vec16{s.new32()}, nil
}

// blockwise runs f on blocks of values and adds up what it returns, the second part by its maximum.
func (s *Space) blockwise(f func(lo, hi, worker int) (sum, top float64)) (sum, top float64) {
	blocks := (s.cells + blockRows - 1) / blockRows
	parts := make([][2]float64, blocks)
	s.Run(blockTask(func(b, worker int) {
		parts[b][0], parts[b][1] = f(b*blockRows, min((b+1)*blockRows, s.cells), worker)
	}), blocks, s.cells)
	for _, p := range parts {
		sum += p[0]
		top = math.Max(top, p[1])
	}
	return sum, top
}

// blockTask is a loop body over blocks.
type blockTask func(block, worker int)

func (t blockTask) Run(lo, hi, worker int) {
	for b := lo; b < hi; b++ {
		t(b, worker)
	}
}
