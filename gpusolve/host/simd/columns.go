package simd

// Columns are eliminated from the bottom plane up and substituted from the top plane down, a row of columns at a time.

// Start sets y = (b + g below) inverse; g is nil where nothing lies below.
func Start(y, b, inverse, g, below []float32) {
	n := len(y)
	b, inverse = b[:n], inverse[:n]
	if g == nil {
		if avx2 {
			startAVX2(&y[0], &b[0], &inverse[0], n)
			return
		}
		for i := range y {
			y[i] = b[i] * inverse[i]
		}
		return
	}
	g, below = g[:n], below[:n]
	if avx2 {
		startOnAVX2(&y[0], &b[0], &inverse[0], &g[0], &below[0], n)
		return
	}
	for i := range y {
		y[i] = (b[i] + float32(g[i]*below[i])) * inverse[i]
	}
}

// Eliminate sets y = (b + lateral x + g below) inverse, where lateral x are the couplings times the values of the four
// neighbours; g is nil where nothing lies below.
func Eliminate(y, b, inverse, g, below []float32, l *Lateral[float32]) {
	n := len(y)
	b, inverse = b[:n], inverse[:n]
	l.fits(n)
	if g != nil {
		g, below = g[:n], below[:n]
	}
	if avx2 {
		if g == nil {
			eliminateAVX2(&y[0], &b[0], &inverse[0], &l.GX[0], &l.GY[0], &l.X[0], l.NX, n)
		} else {
			eliminateOnAVX2(&y[0], &b[0], &inverse[0], &l.GX[0], &l.GY[0], &l.X[0], &g[0], &below[0], l.NX, n)
		}
		return
	}
	_, xw, xe, xs, xn := l.neighbours(n)
	gw, ge, gs, gn := l.couplings(n)
	xw, xe, xs, xn = xw[:n], xe[:n], xs[:n], xn[:n]
	gw, ge, gs, gn = gw[:n], ge[:n], gs[:n], gn[:n]
	if g == nil {
		for i := range y {
			v := float32(ge[i]*xe[i]) + float32(gw[i]*xw[i]) + float32(gn[i]*xn[i]) + float32(gs[i]*xs[i])
			y[i] = (b[i] + v) * inverse[i]
		}
		return
	}
	for i := range y {
		v := float32(ge[i]*xe[i]) + float32(gw[i]*xw[i]) + float32(gn[i]*xn[i]) + float32(gs[i]*xs[i])
		y[i] = (b[i] + v + float32(g[i]*below[i])) * inverse[i]
	}
}

// Substitute adds what the solved plane above contributes: y += g inverse above.
func Substitute(y, g, inverse, above []float32) {
	n := len(y)
	g, inverse, above = g[:n], inverse[:n], above[:n]
	if avx2 {
		substituteAVX2(&y[0], &g[0], &inverse[0], &above[0], n)
		return
	}
	for i := range y {
		y[i] += float32(g[i] * inverse[i] * above[i])
	}
}

// Scale sets dst = c x.
func Scale(dst, x []float32, c float32) {
	n := len(dst)
	x = x[:n]
	if avx2 {
		scaleAVX2(&dst[0], &x[0], c, n)
		return
	}
	for i := range dst {
		dst[i] = c * x[i]
	}
}

// Combine sets dst = a x + c y.
func Combine(dst, x, y []float32, a, c float32) {
	n := len(dst)
	x, y = x[:n], y[:n]
	if avx2 {
		combineAVX2(&dst[0], &x[0], &y[0], a, c, n)
		return
	}
	for i := range dst {
		dst[i] = float32(a*x[i]) + float32(c*y[i])
	}
}

// Momentum sets dst = x + a (x - prev) + c (y - x).
func Momentum(dst, x, prev, y []float32, a, c float32) {
	n := len(dst)
	x, prev, y = x[:n], prev[:n], y[:n]
	if avx2 {
		momentumAVX2(&dst[0], &x[0], &prev[0], &y[0], a, c, n)
		return
	}
	for i, v := range x {
		dst[i] = v + float32(a*(v-prev[i])) + float32(c*(y[i]-v))
	}
}

// Pull sets product = 1/(1/link + 0.5/far) and sum = product + 2 own, and both to 0 where link is 0.
func Pull(product, sum, link, own, far []float32) {
	n := len(product)
	sum, link, own, far = sum[:n], link[:n], own[:n], far[:n]
	if avx2 {
		pullAVX2(&product[0], &sum[0], &link[0], &own[0], &far[0], n)
		return
	}
	for i, g := range link {
		if product[i], sum[i] = 0, 0; g != 0 {
			product[i] = 1 / (1/g + 0.5/far[i])
			sum[i] = product[i] + float32(2*own[i])
		}
	}
}

// Carry sets row += f below and pivot += f under with f = g/(g + under).
func Carry(row, pivot, g, below, under []float32) {
	n := len(row)
	pivot, g, below, under = pivot[:n], g[:n], below[:n], under[:n]
	if avx2 {
		carryAVX2(&row[0], &pivot[0], &g[0], &below[0], &under[0], n)
		return
	}
	for i, v := range g {
		f := v / (v + under[i])
		row[i] += float32(f * below[i])
		pivot[i] += float32(f * under[i])
	}
}

// Settle sets row = above + (row - pivot above)/(g + pivot).
func Settle(row, pivot, g, above []float32) {
	n := len(row)
	pivot, g, above = pivot[:n], g[:n], above[:n]
	if avx2 {
		settleAVX2(&row[0], &pivot[0], &g[0], &above[0], n)
		return
	}
	for i, p := range pivot {
		row[i] = above[i] + (row[i]-float32(p*above[i]))/(g[i]+p)
	}
}

// Factor eliminates the columns of a row of cells. With m the conductances of a cell to everything beside its column it
// sets rest = m + g (rest/(g + rest)) and inverse = 1/(above + rest); g is the coupling to the plane below.
func Factor(inverse, rest, ground, g, above []float32, l *Lateral[float32]) {
	n := len(inverse)
	rest, ground, g, above = rest[:n], ground[:n], g[:n], above[:n]
	_, _ = l.GX[n], l.GY[n+l.NX-1]
	if avx2 {
		factorAVX2(&inverse[0], &rest[0], &l.GX[0], &l.GY[0], &ground[0], &g[0], &above[0], l.NX, n)
		return
	}
	gw, ge, gs, gn := l.couplings(n)
	gw, ge, gs, gn = gw[:n], ge[:n], gs[:n], gn[:n]
	for i, t := range rest {
		m := ge[i] + gw[i] + gn[i] + gs[i] + ground[i] + float32(g[i]*(t/(g[i]+t)))
		rest[i], inverse[i] = m, 1/(above[i]+m)
	}
}
