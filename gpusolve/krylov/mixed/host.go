package mixed

import (
	"errors"
	"fmt"
	"math"

	"thermsim/gpusolve/host"
	"thermsim/gpusolve/ops"
	"thermsim/gpusolve/reuse"
	"thermsim/gpusolve/sparse"
)

// hostOperations are those of a workspace on the processor.
type hostOperations struct{ *host.Iteration }

func onHost(w ops.Workspace) (Operations, bool, error) {
	i, ok := host.IterationOf(w)
	return hostOperations{i}, ok, nil
}

type number interface{ float32 | float64 }

// bands are the four diagonals of a symmetric matrix.
type bands[M number] struct{ main, x, y, z []M }

// HostMatrix is a Stored of the processor: as four diagonals, or by rows.
type HostMatrix struct {
	s        *host.Space
	nx       int
	sheet    int
	double   bands[float64]
	single   bands[float32]
	half     bands[float32] // numbers of FP16, times a power of two
	undo     float32        // its inverse
	promote  []int32        // by plane
	promoted [3]int
	scale    []float32 // S, nil in the plain form
	rows     *sparse.CSR
	values   []float32 // by rows, FP32
	bytes    int64
}

var _ Stored = (*HostMatrix)(nil)

// Bytes of memory.
func (a *HostMatrix) Bytes() int64 { return a.bytes }

// Promoted counts the planes in which each off-diagonal is multiplied in FP32.
func (a *HostMatrix) Promoted() [3]int { return a.promoted }

// Release forgets the copies.
func (a *HostMatrix) Release() {
	a.s.Account(-a.bytes)
	*a = HostMatrix{s: a.s}
}

var errUnsymmetric = errors.New("the matrix is not symmetric")

// StoreDiagonals copies a symmetric matrix in the precisions asked for.
func (s hostOperations) StoreDiagonals(d ops.Diagonals, c Copies) (Stored, error) {
	from := d.Download()
	if !from.Symmetric() {
		return nil, errUnsymmetric
	}
	a := &HostMatrix{s: s.Space, nx: from.NX, sheet: from.NX * from.NY, undo: 1}
	for _, v := range from.Main {
		if !(v > 0) {
			return nil, fmt.Errorf("the main diagonal is not positive: it goes down to %g", v)
		}
	}
	if c.Scaled {
		a.scale = reuse.Make[float32](s.Arrays(), len(from.Main))
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
		e := HalfExponent(sizes)
		a.undo = float32(math.Ldexp(1, -e))
		a.half = keep(a, from, func(v float64) float32 { return roundHalf(math.Ldexp(v, e)) })
		a.promote, a.promoted = Promotions(sizes, c.PromotePlanes)
	}
	s.Account(a.bytes)
	return a, nil
}

// Scale is S, nil in the plain form.
func (a *HostMatrix) Scale() []float32 { return a.scale }

// entry is that of S A S, or of A where there is no S.
func (a *HostMatrix) entry(v float64, row, col int) float64 {
	if a.scale == nil {
		return v
	}
	return v * float64(a.scale[row]) * float64(a.scale[col])
}

// extent is the largest size of the entries main, x, y and z of every plane.
func (a *HostMatrix) extent(d *sparse.Diagonals) [][4]float64 {
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

func keep[M number](a *HostMatrix, d *sparse.Diagonals, round func(float64) M) bands[M] {
	band := func(from []float64, offset int) []M {
		to := reuse.Make[M](a.s.Arrays(), len(from))
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
func (s hostOperations) StoreRows(r ops.Rows, c Copies) (Stored, error) {
	if c.Scaled || c.Half {
		return nil, errors.New("a matrix by rows is kept neither scaled nor in FP16")
	}
	a := &HostMatrix{s: s.Space, rows: r.Download(), undo: 1}
	if c.Single {
		a.values = reuse.Make[float32](s.Arrays(), len(a.rows.Val))
		convert(a.values, a.rows.Val, 1)
		a.bytes = 4 * int64(len(a.values))
		s.Account(a.bytes)
	}
	return a, nil
}

// NewVector makes a zero vector.
func (s hostOperations) NewVector(_ Stored, p Precision) (ops.Vector, error) {
	switch p {
	case Double:
		return s.New64()
	case Single:
		return s.New32()
	}
	wide, err := s.New32()
	return &halves{wide}, err
}

// Release gives vectors back, halves too.
func (s hostOperations) Release(vectors ...ops.Vector) {
	for _, v := range vectors {
		if h, ok := v.(*halves); ok {
			v = h.Vector
		}
		s.Iteration.Release(v)
	}
}
