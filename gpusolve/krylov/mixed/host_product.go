package mixed

import "thermsim/gpusolve/ops"

// Product64 sets y = (A x)[lo:hi] with entries in FP64 or FP32.
func (a *HostMatrix) Product64(entries Precision, y, x []float64, lo, hi int) {
	switch {
	case a.rows != nil && entries == Double:
		byRows(a, a.rows.Val, y, x, lo, hi)
	case a.rows != nil:
		byRows(a, a.values, y, x, lo, hi)
	case entries == Double:
		byBands(a, a.double, y, x, lo, hi)
	default:
		byBands(a, a.single, y, x, lo, hi)
	}
}

// Product32 sets y = (A x)[lo:hi]. whole says that products in FP16 are rounded as sums only.
func (a *HostMatrix) Product32(entries Precision, whole bool, y, x []float32, lo, hi int) {
	switch {
	case a.rows != nil:
		byRows(a, a.values, y, x, lo, hi)
		return
	case entries == Single:
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

func byRows[M, V number](a *HostMatrix, values []M, y, x []V, lo, hi int) {
	for r := lo; r < hi; r++ {
		var sum V
		for at := a.rows.RowPtr[r]; at < a.rows.RowPtr[r+1]; at++ {
			sum += V(values[at]) * x[a.rows.Col[at]]
		}
		y[r-lo] = sum
	}
}

// byBands goes along the diagonals one by one.
func byBands[M, V number](a *HostMatrix, b bands[M], y, x []V, lo, hi int) {
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
func (a *HostMatrix) physics(y, x []float32, lo, hi int) {
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
		x1, y1 := halfBand{b.x, 1, bits&1 != 0}, halfBand{b.y, a.nx, bits&2 != 0}
		z1 := halfBand{b.z, a.sheet, bits&4 != 0}
		x1.upper(out, x, from, to)
		x1.lower(out, x, from, to)
		y1.upper(out, x, from, to)
		y1.lower(out, x, from, to)
		z1.upper(out, x, from, to)
		z1.wide = k > 0 && a.promote[max(k-1, 0)]&4 != 0
		z1.lower(out, x, from, to)
		from = to
	}
}

// halfBand is FP16 entries of the diagonal at an offset; a wide one is multiplied in FP32.
type halfBand struct {
	g      []float32
	offset int
	wide   bool
}

// upper adds the products of rows lo to hi with the diagonal to y, lower those with its mirror image.
func (h halfBand) upper(y, x []float32, lo, hi int) {
	for c := lo; c < min(hi, len(h.g)); c++ {
		y[c-lo] += physical(h.g[c], x[c+h.offset], h.wide)
	}
}

func (h halfBand) lower(y, x []float32, lo, hi int) {
	for c := max(lo, h.offset); c < min(hi, len(h.g)+h.offset); c++ {
		y[c-lo] += physical(h.g[c-h.offset], x[c-h.offset], h.wide)
	}
}

// physical is the product of a half with a number, in FP32 or in FP16. The product of two halves is exact in FP32
// before it is rounded.
func physical(g, x float32, wide bool) float32 {
	if wide {
		return g * x
	}
	return roundHalf(float64(g * roundHalf(float64(x))))
}

// Multiply sets y = A x.
func (s hostOperations) Multiply(m Stored, entries Precision, y, x ops.Vector) {
	a := m.(*HostMatrix)
	s.Blockwise(func(lo, hi, _ int) (sum, top float64) {
		a.block(entries, y, x, lo, hi)
		return 0, 0
	})
}

// block sets rows lo to hi of y = A x.
func (a *HostMatrix) block(entries Precision, y, x ops.Vector, lo, hi int) {
	to, to32, half := HostValues(y)
	from, from32, _ := HostValues(x)
	if from != nil {
		a.Product64(entries, to[lo:hi], from, lo, hi)
		return
	}
	a.Product32(entries, half, to32[lo:hi], from32, lo, hi)
	if half {
		RoundHalves(to32[lo:hi])
	}
}

// Curve sets q = A p, PQ and Alpha.
func (s hostOperations) Curve(m Stored, entries Precision, q, p ops.Vector) {
	a := m.(*HostMatrix)
	sum, _ := s.Blockwise(func(lo, hi, _ int) (sum, top float64) {
		a.block(entries, q, p, lo, hi)
		p64, p32, _ := HostValues(p)
		q64, q32, _ := HostValues(q)
		if p64 != nil {
			return inner(p64[lo:hi], q64[lo:hi])
		}
		return inner(p32[lo:hi], q32[lo:hi])
	})
	s.SetPQ(sum)
}
