package main

import (
	. "github.com/mmcloughlin/avo/build"
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
