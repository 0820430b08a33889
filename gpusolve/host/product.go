package host

import (
	"math"

	"thermsim/gpusolve/sparse"
)

// product sets y = A x for the rows from lo to hi, in FP64.
func product[T float32 | float64](m *matrix, y []float64, x []T, lo, hi int) {
	if m.rows != nil {
		for r := lo; r < hi; r++ {
			cols, vals := m.rows.Row(r)
			sum := 0.0
			for i, c := range cols {
				sum += vals[i] * float64(x[c])
			}
			y[r] = sum
		}
		return
	}
	d := m.by
	for c := lo; c < hi; c++ {
		y[c] = d.Main[c] * float64(x[c])
	}
	for _, b := range bandsOf(d) {
		addBand(y, x, b, lo, hi)
	}
}

// band are the diagonals at an offset above and below the main one.
type band struct {
	upper, lower []float64
	offset       int
}

func bandsOf(d *sparse.Diagonals) [3]band {
	lx, ly, lz := d.Lower()
	return [3]band{{d.X, lx, 1}, {d.Y, ly, d.NX}, {d.Z, lz, d.NX * d.NY}}
}

// addBand adds the products of a band.
func addBand[T float32 | float64](y []float64, x []T, b band, lo, hi int) {
	for c := lo; c < min(hi, len(b.upper)); c++ {
		y[c] += b.upper[c] * float64(x[c+b.offset])
	}
	for c := max(lo, b.offset); c < min(hi, len(b.lower)+b.offset); c++ {
		y[c] += b.lower[c-b.offset] * float64(x[c-b.offset])
	}
}

// magnitude is the sum of |A_cn| |x_n| over the entries of row c.
func (m *matrix) magnitude(x []float64, c int) float64 {
	sum := 0.0
	if m.rows != nil {
		cols, vals := m.rows.Row(c)
		for i, n := range cols {
			sum += math.Abs(vals[i] * x[n])
		}
		return sum
	}
	d := m.by
	sum = math.Abs(d.Main[c] * x[c])
	for _, b := range bandsOf(d) {
		if c < len(b.upper) {
			sum += math.Abs(b.upper[c] * x[c+b.offset])
		}
		if n := c - b.offset; n >= 0 && n < len(b.lower) {
			sum += math.Abs(b.lower[n] * x[n])
		}
	}
	return sum
}
