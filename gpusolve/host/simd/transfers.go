package simd

// KeepLateral sets r = lateral x + keep b.
func KeepLateral(r, b []float32, keep float32, l *Lateral[float32]) {
	n := len(r)
	b = b[:n]
	l.fits(n)
	if avx2 {
		keepLateralAVX2(&r[0], &b[0], &l.GX[0], &l.GY[0], &l.X[0], keep, l.NX, n)
		return
	}
	_, xw, xe, xs, xn := l.neighbours(n)
	gw, ge, gs, gn := l.couplings(n)
	xw, xe, xs, xn = xw[:n], xe[:n], xs[:n], xn[:n]
	gw, ge, gs, gn = gw[:n], ge[:n], gs[:n], gn[:n]
	for i := range r {
		v := float32(ge[i]*xe[i]) + float32(gw[i]*xw[i]) + float32(gn[i]*xn[i]) + float32(gs[i]*xs[i])
		r[i] = v + float32(keep*b[i])
	}
}

// Inflow sets r = b + what the lateral neighbours give to each cell, each its coupling times its excess over the cell.
func Inflow(r, b []float32, l *Lateral[float32]) {
	n := len(r)
	b = b[:n]
	l.fits(n)
	if avx2 {
		inflowAVX2(&r[0], &b[0], &l.GX[0], &l.GY[0], &l.X[0], l.NX, n)
		return
	}
	own, xw, xe, xs, xn := l.neighbours(n)
	gw, ge, gs, gn := l.couplings(n)
	own, xw, xe, xs, xn = own[:n], xw[:n], xe[:n], xs[:n], xn[:n]
	gw, ge, gs, gn = gw[:n], ge[:n], gs[:n], gn[:n]
	for i, v := range own {
		r[i] = b[i] + float32(gw[i]*(xw[i]-v)) + float32(ge[i]*(xe[i]-v)) + float32(gs[i]*(xs[i]-v)) +
			float32(gn[i]*(xn[i]-v))
	}
}

// Couple sets r += g (other - own).
func Couple(r, g, own, other []float32) {
	n := len(r)
	g, own, other = g[:n], own[:n], other[:n]
	if avx2 {
		coupleAVX2(&r[0], &g[0], &own[0], &other[0], n)
		return
	}
	for i := range r {
		r[i] += float32(g[i] * (other[i] - own[i]))
	}
}

// Drain sets r -= g own.
func Drain(r, g, own []float32) {
	n := len(r)
	g, own = g[:n], own[:n]
	if avx2 {
		drainAVX2(&r[0], &g[0], &own[0], n)
		return
	}
	for i := range r {
		r[i] -= float32(g[i] * own[i])
	}
}

// Add sets dst += w src.
func Add(dst, src []float32, w float32) {
	n := len(dst)
	src = src[:n]
	if avx2 {
		addAVX2(&dst[0], &src[0], w, n)
		return
	}
	for i := range dst {
		dst[i] += float32(w * src[i])
	}
}

// Split adds a row of fine cells to two coarse rows, to the far one by the weights wy, and of both to the coarse cells
// beyond the own ones by the weights wx.
func Split(nearOwn, nearFar, farOwn, farFar, v, wx, wy []float32) {
	n := len(v)
	nearOwn, nearFar, farOwn, farFar, wx, wy = nearOwn[:n], nearFar[:n], farOwn[:n], farFar[:n], wx[:n], wy[:n]
	if avx2 {
		splitAVX2(&nearOwn[0], &nearFar[0], &farOwn[0], &farFar[0], &v[0], &wx[0], &wy[0], n)
		return
	}
	for i, x := range v {
		far := float32(wy[i] * x)
		near := x - far
		nearBeyond, farBeyond := float32(wx[i]*near), float32(wx[i]*far)
		nearOwn[i] += near - nearBeyond
		nearFar[i] += nearBeyond
		farOwn[i] += far - farBeyond
		farFar[i] += farBeyond
	}
}

// Blend adds to x the interpolation between two coarse rows: of each between the values of the own coarse cell and the
// one beyond by the weights wx, and of both by the weights wy. It is the adjoint of Split.
func Blend(x, nearOwn, nearFar, farOwn, farFar, wx, wy []float32) {
	n := len(x)
	nearOwn, nearFar, farOwn, farFar, wx, wy = nearOwn[:n], nearFar[:n], farOwn[:n], farFar[:n], wx[:n], wy[:n]
	if avx2 {
		blendAVX2(&x[0], &nearOwn[0], &nearFar[0], &farOwn[0], &farFar[0], &wx[0], &wy[0], n)
		return
	}
	for i := range x {
		near := nearOwn[i] + float32(wx[i]*(nearFar[i]-nearOwn[i]))
		far := farOwn[i] + float32(wx[i]*(farFar[i]-farOwn[i]))
		x[i] += near + float32(wy[i]*(far-near))
	}
}

// GatherPairs sums pairs of cells and a share of the adjacent cells:
//
//	dst[i] = far v[2i] + near (v[2i+1] + v[2i+2]) + far v[2i+3]
//
// v has two values more than twice the length of dst.
func GatherPairs(dst, v []float32, near, far float32) {
	n := len(dst)
	v = v[:2*n+2]
	first := 0
	if avx2 && n >= 8 {
		first = n &^ 7
		gatherPairsAVX2(&dst[0], &v[0], near, far, first)
	}
	for i := first; i < n; i++ {
		q := v[2*i : 2*i+4]
		dst[i] = float32(far*q[0]) + float32(near*(q[1]+q[2])) + float32(far*q[3])
	}
}

// SpreadPairs is the adjoint of GatherPairs, away from the ends of the row:
//
//	x[2i] += near v[i+1] + far v[i],  x[2i+1] += near v[i+1] + far v[i+2]
//
// v has two values more than half the length of x.
func SpreadPairs(x, v []float32, near, far float32) {
	n := len(x) / 2
	x, v = x[:2*n], v[:n+2]
	first := 0
	if avx2 && n >= 8 {
		first = n &^ 7
		spreadPairsAVX2(&x[0], &v[1], near, far, first)
	}
	for i := first; i < n; i++ {
		own := near * v[i+1]
		x[2*i] += float32(own) + float32(far*v[i])
		x[2*i+1] += float32(own) + float32(far*v[i+2])
	}
}
