package host

import "math"

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
	lx, ly, lz := d.Lower()
	addBand(y, x, d.X, lx, 1, lo, hi)
	addBand(y, x, d.Y, ly, d.NX, lo, hi)
	addBand(y, x, d.Z, lz, d.NX*d.NY, lo, hi)
}

// addBand adds the products of the diagonals at an offset above and below the main one.
func addBand[T float32 | float64](y []float64, x []T, upper, lower []float64, offset, lo, hi int) {
	for c := lo; c < min(hi, len(upper)); c++ {
		y[c] += upper[c] * float64(x[c+offset])
	}
	for c := max(lo, offset); c < min(hi, len(lower)+offset); c++ {
		y[c] += lower[c-offset] * float64(x[c-offset])
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
	lx, ly, lz := d.Lower()
	for _, b := range [...]struct {
		upper, lower []float64
		offset       int
	}{{d.X, lx, 1}, {d.Y, ly, d.NX}, {d.Z, lz, d.NX * d.NY}} {
		if c < len(b.upper) {
			sum += math.Abs(b.upper[c] * x[c+b.offset])
		}
		if n := c - b.offset; n >= 0 && n < len(b.lower) {
			sum += math.Abs(b.lower[n] * x[n])
		}
	}
	return sum
}
