package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// products is the kernel of products with a matrix.
func products() {
	const rows = 4
	kernel("addRowsAVX2", "(y, x, w *float64, stride, n int)",
		"y += w[0] x + w[1] x[stride:] + w[2] x[2 stride:] + w[3] x[3 stride:], one after the other")
	y, x, weights := pointer("y"), pointer("x"), pointer("w")
	stride := Load(Param("stride"), GP64()).(reg.GPVirtual)
	var w [rows]double
	var from [rows]row
	for m := range w {
		v := YMM()
		VBROADCASTSD(Mem{Base: weights.base, Disp: 8 * m}, v)
		w[m] = double{v, v}
		if from[m] = x; m > 0 {
			from[m] = from[m-1].plus(stride, 8)
		}
	}
	cells(func(c block) {
		v := c.loadDouble(y)
		for m := range w {
			v = addDouble(v, mulDouble(w[m], c.loadDouble(from[m])))
		}
		c.storeDouble(v, y)
	})
}
