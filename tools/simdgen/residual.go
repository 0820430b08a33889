package main

import (
	. "github.com/mmcloughlin/avo/build"
)

// residual are the kernels of b - A x and of the size that its terms have.
func residual() {
	kernel("magnitudeAVX2", "(size *float64, gx, gy, gzBelow, gzAbove *float32, x *float64, nx, n int)",
		"size = the sum of the couplings of the cells of a row, in FP32, times |x|")
	size := pointer("size")
	gb, ga := pointer("gzBelow"), pointer("gzAbove")
	s := newLateral(8)
	cells(func(c block) {
		g := add(c.load(s.g.west), c.load(s.g.east))
		for _, next := range []row{s.g.south, s.g.north, gb, ga} {
			g = add(g, c.load(next))
		}
		c.storeDouble(mulDouble(promote(g), absDouble(c.loadDouble(s.own))), size)
	})

	kernel("addMagnitudeAVX2", "(size *float64, conductance *float32, x *float64, n int)", "size += g |x|")
	size = pointer("size")
	g, x := pointer("conductance"), pointer("x")
	cells(func(c block) {
		c.storeDouble(addDouble(c.loadDouble(size), mulDouble(c.widen(g), absDouble(c.loadDouble(x)))), size)
	})

	kernel("holdAVX2", "(q, b *float64, conductance *float32, x, old *float64, n int) float64",
		"q += g (x - old); the sum of (b + g old)^2 - b^2")
	q, b := pointer("q"), pointer("b")
	g, x = pointer("conductance"), pointer("x")
	old := pointer("old")
	total := newSum()
	forCells(count(), func(c block) {
		capacity, before := c.widen(g), c.loadDouble(old)
		c.storeDouble(addDouble(c.loadDouble(q), mulDouble(capacity, subDouble(c.loadDouble(x), before))), q)
		source := c.loadDouble(b)
		whole := addDouble(source, mulDouble(capacity, before))
		total.add(subDouble(mulDouble(whole, whole), mulDouble(source, source)))
	})
	Store(total.value(), ReturnIndex(0))
	end()

	kernel("residualAVX2", "(r *float64, r32 *float32, b, q, size *float64, n int) (rr, bb, ff float64)",
		"r = r32 = b - q; the sums of r^2, b^2 and (size + |b|)^2")
	r, r32 := pointer("r"), pointer("r32")
	b, q, size = pointer("b"), pointer("q"), pointer("size")
	rr, bb, ff := newSum(), newSum(), newSum()
	forCells(count(), func(c block) {
		source := c.loadDouble(b)
		v := subDouble(source, c.loadDouble(q))
		c.storeDouble(v, r)
		c.store(narrow(v), r32)
		rr.add(mulDouble(v, v))
		bb.add(mulDouble(source, source))
		f := addDouble(c.loadDouble(size), absDouble(source))
		ff.add(mulDouble(f, f))
	})
	for i, s := range []*sum{rr, bb, ff} {
		Store(s.value(), ReturnIndex(i))
	}
	end()
}
