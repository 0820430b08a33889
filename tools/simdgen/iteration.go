package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// iteration are the kernels of conjugate gradients.
func iteration() {
	kernel("directionAVX2", "(p, z *float32, beta float32, n int)", "p = z + beta p")
	p, z := pointer("p"), pointer("z")
	beta := parameter("beta")
	cells(func(c block) { c.store(add(c.load(z), mul(beta, c.load(p))), p) })

	kernel("dotAVX2", "(p *float32, q *float64, n int) float64", "the sum of p q")
	p, q := pointer("p"), pointer("q")
	total := newSum()
	forCells(count(), func(c block) { total.add(mulDouble(c.widen(p), c.loadDouble(q))) })
	Store(total.value(), ReturnIndex(0))
	end()

	kernel("dotMaxAVX2", "(r, z *float32, n int) (sum float64, top float32)", "the sum of r z, and the largest |z|")
	r, z := pointer("r"), pointer("z")
	total = newSum()
	top, positive := YMM(), YMM()
	VXORPS(top, top, top)
	VPCMPEQD(positive, positive, positive)
	VPSRLD(Imm(1), positive, positive)
	forCells(count(), func(c block) {
		v := c.load(z)
		total.add(mulDouble(c.widen(r), promote(v)))
		size := YMM()
		VANDPS(v, positive, size)
		VMAXPS(size, top, top)
	})
	Store(total.value(), ReturnIndex(0))
	Store(largest(top), ReturnIndex(1))
	end()

	kernel("updateAVX2", "(x, r *float64, r32, p *float32, q *float64, alpha float64, n int) float64",
		"x += alpha p, r -= alpha q, r32 = r; the sum of r r")
	x, rd := pointer("x"), pointer("r")
	r32, p := pointer("r32"), pointer("p")
	q = pointer("q")
	alpha := parameterDouble("alpha")
	total = newSum()
	forCells(count(), func(c block) {
		c.storeDouble(addDouble(c.loadDouble(x), mulDouble(alpha, c.widen(p))), x)
		v := subDouble(c.loadDouble(rd), mulDouble(alpha, c.loadDouble(q)))
		c.storeDouble(v, rd)
		c.store(narrow(v), r32)
		total.add(mulDouble(v, v))
	})
	Store(total.value(), ReturnIndex(0))
	end()

	states()
}

// states are the kernels of states in FP64.
func states() {
	kernel("combineDoubleAVX2", "(dst, x, y *float64, a, c float64, n int)", "dst = a x + c y")
	dst, x, y := pointer("dst"), pointer("x"), pointer("y")
	a, factor := parameterDouble("a"), parameterDouble("c")
	cells(func(c block) {
		c.storeDouble(addDouble(mulDouble(a, c.loadDouble(x)), mulDouble(factor, c.loadDouble(y))), dst)
	})

	kernel("storedAVX2", "(conductance *float32, x, old *float64, n int) float64", "the sum of g (x - old)")
	g, old := pointer("conductance"), pointer("old")
	x = pointer("x")
	total := newSum()
	forCells(count(), func(c block) {
		total.add(mulDouble(c.widen(g), subDouble(c.loadDouble(x), c.loadDouble(old))))
	})
	Store(total.value(), ReturnIndex(0))
	end()
}
