package simd

import "math"

// Magnitude sets size to the sum of each cell's six couplings, in FP32, times |x|: up to a factor of 2 the scale of the
// rounding errors of Flow.
func Magnitude(size []float64, l *Lateral[float64], gzBelow, gzAbove []float32) {
	n := len(size)
	l.fits(n)
	gb, ga := gzBelow[:n], gzAbove[:n]
	if avx2 {
		magnitudeAVX2(&size[0], &l.GX[0], &l.GY[0], &gb[0], &ga[0], &l.X[0], l.NX, n)
		return
	}
	own, _, _, _, _ := l.neighbours(n)
	gw, ge, gs, gn := l.couplings(n)
	gw, ge, gs, gn = gw[:n], ge[:n], gs[:n], gn[:n]
	for i, v := range own[:n] {
		size[i] = float64(gw[i]+ge[i]+gs[i]+gn[i]+gb[i]+ga[i]) * math.Abs(v)
	}
}

// AddMagnitude sets size += g |x|.
func AddMagnitude(size []float64, g []float32, x []float64) {
	n := len(size)
	g, x = g[:n], x[:n]
	if avx2 {
		addMagnitudeAVX2(&size[0], &g[0], &x[0], n)
		return
	}
	for i := range size {
		size[i] += float64(float64(g[i]) * math.Abs(x[i]))
	}
}

// Hold adds the heat that capacities take up between old and x: q += g (x - old). It returns the sum of (b + g old)^2 -
// b^2.
func Hold(q, b []float64, g []float32, x, old []float64) float64 {
	n := len(q)
	b, g, x, old = b[:n], g[:n], x[:n], old[:n]
	if avx2 {
		return holdAVX2(&q[0], &b[0], &g[0], &x[0], &old[0], n)
	}
	var s lanes
	for i := range q {
		v := float64(g[i])
		q[i] += float64(v * (x[i] - old[i]))
		whole := b[i] + float64(v*old[i])
		s[i%8] += float64(whole*whole) - float64(b[i]*b[i])
	}
	return s.value()
}

// Residual sets r and r32 to b - q. It returns the sums of r^2, of b^2 and of (size + |b|)^2.
func Residual(r []float64, r32 []float32, b, q, size []float64) (rr, bb, ff float64) {
	n := len(r)
	r32, b, q, size = r32[:n], b[:n], q[:n], size[:n]
	if avx2 {
		return residualAVX2(&r[0], &r32[0], &b[0], &q[0], &size[0], n)
	}
	var sr, sb, sf lanes
	for i := range r {
		v := b[i] - q[i]
		r[i] = v
		r32[i] = float32(v)
		f := size[i] + math.Abs(b[i])
		sr[i%8] += float64(v * v)
		sb[i%8] += float64(b[i] * b[i])
		sf[i%8] += float64(f * f)
	}
	return sr.value(), sb.value(), sf.value()
}
