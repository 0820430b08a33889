package simd

// lanes are partial sums: that of cell i is in lane i mod 8.
type lanes [8]float64

func (s *lanes) value() float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// Direction sets p = z + beta p.
func Direction(p, z []float32, beta float32) {
	n := len(p)
	z = z[:n]
	if avx2 {
		directionAVX2(&p[0], &z[0], beta, n)
		return
	}
	for i := range p {
		p[i] = z[i] + float32(beta*p[i])
	}
}

// Dot is the sum of p q.
func Dot(p []float32, q []float64) float64 {
	n := len(p)
	q = q[:n]
	if avx2 {
		return dotAVX2(&p[0], &q[0], n)
	}
	var s lanes
	for i := range p {
		s[i%8] += float64(float64(p[i]) * q[i])
	}
	return s.value()
}

// DotMax is the sum of r z and the largest |z|. A z that is no number shows in the sum.
func DotMax(r, z []float32) (sum float64, top float32) {
	n := len(r)
	z = z[:n]
	if avx2 {
		return dotMaxAVX2(&r[0], &z[0], n)
	}
	var s lanes
	for i := range r {
		s[i%8] += float64(r[i]) * float64(z[i]) // exact in FP64
		size := z[i]
		if size < 0 {
			size = -size
		}
		if size > top {
			top = size
		}
	}
	return s.value(), top
}

// Update sets x += alpha p, r -= alpha q and r32 = r; it returns the sum of r r.
func Update(x, r []float64, r32, p []float32, q []float64, alpha float64) float64 {
	n := len(x)
	r, r32, p, q = r[:n], r32[:n], p[:n], q[:n]
	if avx2 {
		return updateAVX2(&x[0], &r[0], &r32[0], &p[0], &q[0], alpha, n)
	}
	var s lanes
	for i := range x {
		x[i] += float64(alpha * float64(p[i]))
		v := r[i] - float64(alpha*q[i])
		r[i] = v
		r32[i] = float32(v)
		s[i%8] += float64(v * v)
	}
	return s.value()
}

// CombineDoubles sets dst = a x + c y.
func CombineDoubles(dst, x, y []float64, a, c float64) {
	n := len(dst)
	x, y = x[:n], y[:n]
	if avx2 {
		combineDoubleAVX2(&dst[0], &x[0], &y[0], a, c, n)
		return
	}
	for i := range dst {
		dst[i] = float64(a*x[i]) + float64(c*y[i])
	}
}

// Stored is the sum of g (x - old).
func Stored(g []float32, x, old []float64) float64 {
	n := len(g)
	x, old = x[:n], old[:n]
	if avx2 {
		return storedAVX2(&g[0], &x[0], &old[0], n)
	}
	var s lanes
	for i, v := range g {
		s[i%8] += float64(float64(v) * (x[i] - old[i]))
	}
	return s.value()
}
