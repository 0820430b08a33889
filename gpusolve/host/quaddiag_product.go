package host

import (
	"fmt"

	"thermsim/gpusolve/ops"
)

// product64 and product32 set y = (A x)[lo:hi].
func (a *stored) product64(entries ops.Precision, y, x []float64, lo, hi int) {
	switch {
	case a.rows != nil && entries == ops.Double:
		byRows(a, a.rows.Val, y, x, lo, hi)
	case a.rows != nil:
		byRows(a, a.values, y, x, lo, hi)
	case entries == ops.Double:
		byBands(a, a.double, y, x, lo, hi)
	default:
		byBands(a, a.single, y, x, lo, hi)
	}
}

// whole says that products in FP16 are rounded as sums only.
func (a *stored) product32(entries ops.Precision, whole bool, y, x []float32, lo, hi int) {
	switch {
	case a.rows != nil:
		byRows(a, a.values, y, x, lo, hi)
		return
	case entries == ops.Single:
		byBands(a, a.single, y, x, lo, hi)
		return
	case whole:
		byBands(a, a.half, y, x, lo, hi)
	default:
		a.physics(y, x, lo, hi)
	}
	for i := range y {
		y[i] *= a.undo
	}
}

func byRows[M, V number](a *stored, values []M, y, x []V, lo, hi int) {
	for r := lo; r < hi; r++ {
		var sum V
		for at := a.rows.RowPtr[r]; at < a.rows.RowPtr[r+1]; at++ {
			sum += V(values[at]) * x[a.rows.Col[at]]
		}
		y[r-lo] = sum
	}
}

// byBands goes along the diagonals one by one.
func byBands[M, V number](a *stored, b bands[M], y, x []V, lo, hi int) {
	for c := lo; c < hi; c++ {
		y[c-lo] = V(b.main[c]) * x[c]
	}
	band(y, x, b.x, 1, lo, hi)
	band(y, x, b.y, a.nx, lo, hi)
	band(y, x, b.z, a.sheet, lo, hi)
}

func band[M, V number](y, x []V, g []M, offset, lo, hi int) {
	for c := lo; c < min(hi, len(g)); c++ {
		y[c-lo] += V(g[c]) * x[c+offset]
	}
	for c := max(lo, offset); c < min(hi, len(g)+offset); c++ {
		y[c-lo] += V(g[c-offset]) * x[c-offset]
	}
}

// physics multiplies FP16 entries: the main and the promoted diagonals in FP32, the others in FP16.
func (a *stored) physics(y, x []float32, lo, hi int) {
	b := a.half
	for c := lo; c < hi; c++ {
		y[c-lo] = b.main[c] * x[c]
	}
	// bits of the plane of row c, by segments that lie in one plane each.
	for from := lo; from < hi; {
		k := from / a.sheet
		to := min(hi, (k+1)*a.sheet)
		out := y[from-lo : to-lo]
		bits := a.promote[k]
		upper(out, x, b.x, 1, from, to, bits&1 != 0)
		lower(out, x, b.x, 1, from, to, bits&1 != 0)
		upper(out, x, b.y, a.nx, from, to, bits&2 != 0)
		lower(out, x, b.y, a.nx, from, to, bits&2 != 0)
		upper(out, x, b.z, a.sheet, from, to, bits&4 != 0)
		lower(out, x, b.z, a.sheet, from, to, k > 0 && a.promote[max(k-1, 0)]&4 != 0)
		from = to
	}
}

func upper(y, x, g []float32, offset, lo, hi int, wide bool) {
	for c := lo; c < min(hi, len(g)); c++ {
		y[c-lo] += physical(g[c], x[c+offset], wide)
	}
}

func lower(y, x, g []float32, offset, lo, hi int, wide bool) {
	for c := max(lo, offset); c < min(hi, len(g)+offset); c++ {
		y[c-lo] += physical(g[c-offset], x[c-offset], wide)
	}
}

// physical is the product of a half with a number, in FP32 or in FP16. The product of two halves is exact in FP32 before it is rounded.
func physical(g, x float32, wide bool) float32 {
	if wide {
		return g * x
	}
	return roundHalf(float64(g * roundHalf(float64(x))))
}

// MixedMultiply sets y = A x.
func (s *Space) MixedMultiply(m ops.Stored, entries ops.Precision, y, x ops.Vector) {
	a := m.(*stored)
	s.blockwise(func(lo, hi, _ int) (sum, top float64) {
		a.block(entries, y, x, lo, hi)
		return 0, 0
	})
}

// block sets rows lo to hi of y = A x.
func (a *stored) block(entries ops.Precision, y, x ops.Vector, lo, hi int) {
	switch x := x.(type) {
	case *vec64:
		a.product64(entries, y.(*vec64).values()[lo:hi], x.values(), lo, hi)
	case *vec32:
		a.product32(entries, false, y.(*vec32).values()[lo:hi], x.values(), lo, hi)
	case *vec16:
		out := y.(*vec16).wide.values()[lo:hi]
		a.product32(entries, true, out, x.wide.values(), lo, hi)
		roundHalves(out)
	default:
		panic(fmt.Sprintf("host: no product with a %T", x))
	}
}

// MixedCurve sets q = A p, PQ and Alpha.
func (s *iteration) MixedCurve(m ops.Stored, entries ops.Precision, q, p ops.Vector) {
	a := m.(*stored)
	sum, _ := s.blockwise(func(lo, hi, _ int) (sum, top float64) {
		a.block(entries, q, p, lo, hi)
		switch p := p.(type) {
		case *vec64:
			return inner(p.values()[lo:hi], q.(*vec64).values()[lo:hi])
		case *vec32:
			return inner(p.values()[lo:hi], q.(*vec32).values()[lo:hi])
		}
		return inner(p.(*vec16).wide.values()[lo:hi], q.(*vec16).wide.values()[lo:hi])
	})
	s.setPQ(sum)
}
