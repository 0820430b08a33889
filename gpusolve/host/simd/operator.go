package simd

// Flow sets q to the heat that leaves each cell for its six neighbours, in FP64. Differences come first: a large common
// rise then costs no digits. below and above are the rows of the planes there, gzBelow and gzAbove the couplings to
// them.
func Flow[T float32 | float64](q []float64, l *Lateral[T], gzBelow, gzAbove []float32, below, above []T) {
	n := len(q)
	l.fits(n)
	gb, ga := gzBelow[:n], gzAbove[:n]
	xb, xa := below[:n], above[:n]
	if avx2 {
		switch x := any(&l.X[0]).(type) {
		case *float32:
			flowSingleAVX2(&q[0], &l.GX[0], &l.GY[0], &gb[0], &ga[0], x, any(&xb[0]).(*float32), any(&xa[0]).(*float32),
				l.NX, n)
		case *float64:
			flowDoubleAVX2(&q[0], &l.GX[0], &l.GY[0], &gb[0], &ga[0], x, any(&xb[0]).(*float64), any(&xa[0]).(*float64),
				l.NX, n)
		}
		return
	}
	own, xw, xe, xs, xn := l.neighbours(n)
	gw, ge, gs, gn := l.couplings(n)
	own, xw, xe, xs, xn = own[:n], xw[:n], xe[:n], xs[:n], xn[:n]
	gw, ge, gs, gn = gw[:n], ge[:n], gs[:n], gn[:n]
	for i := range q {
		v := float64(own[i])
		q[i] = float64(float64(gw[i])*(v-float64(xw[i]))) + float64(float64(ge[i])*(v-float64(xe[i]))) +
			float64(float64(gs[i])*(v-float64(xs[i]))) + float64(float64(gn[i])*(v-float64(xn[i]))) +
			float64(float64(gb[i])*(v-float64(xb[i]))) + float64(float64(ga[i])*(v-float64(xa[i])))
	}
}

// AddProduct sets q += g x, in FP64.
func AddProduct[T float32 | float64](q []float64, g []float32, x []T) {
	n := len(q)
	g, x = g[:n], x[:n]
	if avx2 {
		switch x := any(&x[0]).(type) {
		case *float32:
			addProductSingleAVX2(&q[0], &g[0], x, n)
		case *float64:
			addProductDoubleAVX2(&q[0], &g[0], x, n)
		}
		return
	}
	for i := range q {
		q[i] += float64(float64(g[i]) * float64(x[i]))
	}
}
