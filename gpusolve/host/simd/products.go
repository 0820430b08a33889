package simd

// AddRows sets y += w[0] x + w[1] x[stride:] + w[2] x[2 stride:] + ..., term by term.
func AddRows(y, x, w []float64, stride int) {
	n := len(y)
	for ; avx2 && len(w) >= 4; w = w[4:] {
		_ = x[3*stride+n-1]
		addRowsAVX2(&y[0], &x[0], &w[0], stride, n)
		x = x[min(4*stride, len(x)):]
	}
	for m, f := range w {
		row := x[m*stride:][:n]
		for i := range y {
			y[i] += float64(f * row[i])
		}
	}
}
