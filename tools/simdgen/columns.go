package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// columns defines the kernels that solve columns along z, a row of them at a time.
func columns() {
	kernel("startAVX2", "(y, b, inverse *float32, n int)", "y = b inverse")
	y, b, inverse := pointer("y"), pointer("b"), pointer("inverse")
	cells(func(c block) { c.store(mul(c.load(b), c.load(inverse)), y) })

	kernel("startOnAVX2", "(y, b, inverse, conductance, below *float32, n int)", "y = (b + g below) inverse")
	y, b, inverse = pointer("y"), pointer("b"), pointer("inverse")
	g, below := pointer("conductance"), pointer("below")
	cells(func(c block) {
		c.store(mul(add(c.load(b), mul(c.load(g), c.load(below))), c.load(inverse)), y)
	})

	kernel("eliminateAVX2", "(y, b, inverse, gx, gy, x *float32, nx, n int)", "y = (b + lateral x) inverse")
	y, b, inverse = pointer("y"), pointer("b"), pointer("inverse")
	s := newLateral(4)
	cells(func(c block) {
		c.store(mul(add(c.load(b), s.sum(c)), c.load(inverse)), y)
	})

	kernel("eliminateOnAVX2", "(y, b, inverse, gx, gy, x, conductance, below *float32, nx, n int)",
		"y = (b + lateral x + g below) inverse")
	y, b, inverse = pointer("y"), pointer("b"), pointer("inverse")
	g, below = pointer("conductance"), pointer("below")
	s = newLateral(4)
	cells(func(c block) {
		v := add(c.load(b), s.sum(c))
		c.store(mul(add(v, mul(c.load(g), c.load(below))), c.load(inverse)), y)
	})

	kernel("substituteAVX2", "(y, conductance, inverse, above *float32, n int)", "y += g inverse above")
	y, g, inverse, above := pointer("y"), pointer("conductance"), pointer("inverse"), pointer("above")
	cells(func(c block) {
		c.store(add(c.load(y), mul(mul(c.load(g), c.load(inverse)), c.load(above))), y)
	})

	kernel("scaleAVX2", "(dst, x *float32, c float32, n int)", "dst = c x")
	dst, x := pointer("dst"), pointer("x")
	factor := parameter("c")
	cells(func(c block) { c.store(mul(factor, c.load(x)), dst) })

	kernel("combineAVX2", "(dst, x, y *float32, a, c float32, n int)", "dst = a x + c y")
	dst, x, y = pointer("dst"), pointer("x"), pointer("y")
	a, factor := parameter("a"), parameter("c")
	cells(func(c block) {
		c.store(add(mul(a, c.load(x)), mul(factor, c.load(y))), dst)
	})

	kernel("momentumAVX2", "(dst, x, prev, y *float32, a, c float32, n int)", "dst = x + a (x - prev) + c (y - x)")
	dst, x, y = pointer("dst"), pointer("x"), pointer("y")
	prev := pointer("prev")
	a, factor = parameter("a"), parameter("c")
	cells(func(c block) {
		v := c.load(x)
		c.store(add(add(v, mul(a, sub(v, c.load(prev)))), mul(factor, sub(c.load(y), v))), dst)
	})
}

func count() reg.Register { return Load(Param("n"), GP64()) }

// weights are the kernels of the interpolation by conductances, whose columns are solved like those of temperatures.
func weights() {
	kernel("pullAVX2", "(product, sum, link, own, far *float32, n int)",
		"product = 1/(1/link + 0.5/far), sum = product + 2 own; both 0 where link is 0")
	product, total := pointer("product"), pointer("sum")
	link, own, far := pointer("link"), pointer("own"), pointer("far")
	one, half, zero := constant(1), constant(0.5), YMM()
	VXORPS(zero, zero, zero)
	cells(func(c block) {
		g, there := c.load(link), YMM()
		VCMPPS(Imm(4), zero, g, there) // not equal
		v := div(one, add(div(one, g), div(half, c.load(far))))
		VANDPS(there, v, v)
		both := c.load(own)
		both = add(v, add(both, both))
		VANDPS(there, both, both)
		c.store(v, product)
		c.store(both, total)
	})

	kernel("carryAVX2", "(row, pivot, conductance, below, under *float32, n int)",
		"f = g/(g + under); row += f below, pivot += f under")
	row, pivot := pointer("row"), pointer("pivot")
	g, below, under := pointer("conductance"), pointer("below"), pointer("under")
	cells(func(c block) {
		v, u := c.load(g), c.load(under)
		f := div(v, add(v, u))
		c.store(add(c.load(row), mul(f, c.load(below))), row)
		c.store(add(c.load(pivot), mul(f, u)), pivot)
	})

	kernel("settleAVX2", "(row, pivot, conductance, above *float32, n int)",
		"row = above + (row - pivot above)/(g + pivot)")
	row, pivot = pointer("row"), pointer("pivot")
	g, above := pointer("conductance"), pointer("above")
	cells(func(c block) {
		a, p := c.load(above), c.load(pivot)
		c.store(add(a, div(sub(c.load(row), mul(p, a)), add(c.load(g), p))), row)
	})
}

// factors is the kernel that eliminates columns.
func factors() {
	kernel("factorAVX2", "(inverse, rest, gx, gy, ground, conductance, above *float32, nx, n int)",
		"rest = lateral couplings + ground + g (rest/(g + rest)), inverse = 1/(above + rest)")
	inverse, rest := pointer("inverse"), pointer("rest")
	gx, gy := pointer("gx"), pointer("gy")
	ground, g, above := pointer("ground"), pointer("conductance"), pointer("above")
	nx := GP64()
	Load(Param("nx"), nx)
	north := gy.plus(nx, 4)
	one := constant(1)
	cells(func(c block) {
		m := add(add(add(c.load(gx.by(4)), c.load(gx)), c.load(north)), c.load(gy))
		below, t := c.load(g), c.load(rest)
		m = add(add(m, c.load(ground)), mul(below, div(t, add(below, t))))
		c.store(m, rest)
		c.store(div(one, add(c.load(above), m)), inverse)
	})
}

// constant is the same value in all lanes.
func constant(v float32) single {
	bits, x, all := GP32(), XMM(), YMM()
	MOVL(U32(math.Float32bits(v)), bits)
	VMOVD(bits, x)
	VBROADCASTSS(x, all)
	return all
}
