package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transfers are the kernels between a level and the next coarser.
func transfers() {
	restricted()
	lines()
	blends()
	pairs()
}

// restricted are the kernels of the residual that is restricted.
func restricted() {
	kernel("keepLateralAVX2", "(r, b, gx, gy, x *float32, keep float32, nx, n int)", "r = lateral x + keep b")
	r, b := pointer("r"), pointer("b")
	s := newLateral(4)
	keep := parameter("keep")
	cells(func(c block) { c.store(add(s.sum(c), mul(keep, c.load(b))), r) })

	kernel("inflowAVX2", "(r, b, gx, gy, x *float32, nx, n int)", "r = b + lateral (x - own)")
	r, b = pointer("r"), pointer("b")
	s = newLateral(4)
	cells(func(c block) { c.store(s.inflow(c, c.load(b), c.load(s.own)), r) })

	kernel("coupleAVX2", "(r, conductance, own, other *float32, n int)", "r += g (other - own)")
	r = pointer("r")
	g, own, other := pointer("conductance"), pointer("own"), pointer("other")
	cells(func(c block) {
		c.store(add(c.load(r), mul(c.load(g), sub(c.load(other), c.load(own)))), r)
	})

	kernel("drainAVX2", "(r, conductance, own *float32, n int)", "r -= g own")
	r, g, own = pointer("r"), pointer("conductance"), pointer("own")
	cells(func(c block) { c.store(sub(c.load(r), mul(c.load(g), c.load(own))), r) })
}

// lines are the kernels that carry whole lines.
func lines() {
	kernel("addAVX2", "(dst, src *float32, w float32, n int)", "dst += w src")
	dst, src := pointer("dst"), pointer("src")
	w := parameter("w")
	cells(func(c block) { c.store(add(c.load(dst), mul(w, c.load(src))), dst) })
}

// blends are the kernels between fine rows and two coarse ones, whose values lie at the fine cells.
func blends() {
	kernel("splitAVX2", "(nearOwn, nearFar, farOwn, farFar, v, wx, wy *float32, n int)",
		"far = wy v and near = v - far; of either, Far += wx of it and Own += the rest")
	nearOwn, nearFar := pointer("nearOwn"), pointer("nearFar")
	farOwn, farFar := pointer("farOwn"), pointer("farFar")
	v, wx, wy := pointer("v"), pointer("wx"), pointer("wy")
	cells(func(c block) {
		all, along := c.load(v), c.load(wx)
		far := mul(c.load(wy), all)
		give := func(v single, own, beyond row) {
			part := mul(along, v)
			c.store(add(c.load(own), sub(v, part)), own)
			c.store(add(c.load(beyond), part), beyond)
		}
		give(sub(all, far), nearOwn, nearFar)
		give(far, farOwn, farFar)
	})

	kernel("blendAVX2", "(x, nearOwn, nearFar, farOwn, farFar, wx, wy *float32, n int)",
		"x += near + wy (far - near), with near and far = Own + wx (Far - Own)")
	x := pointer("x")
	nearOwn, nearFar = pointer("nearOwn"), pointer("nearFar")
	farOwn, farFar = pointer("farOwn"), pointer("farFar")
	wx, wy = pointer("wx"), pointer("wy")
	cells(func(c block) {
		along := c.load(wx)
		between := func(own, beyond row) single {
			v := c.load(own)
			return add(v, mul(along, sub(c.load(beyond), v)))
		}
		near := between(nearOwn, nearFar)
		far := between(farOwn, farFar)
		c.store(add(c.load(x), add(near, mul(c.load(wy), sub(far, near)))), x)
	})
}

// pairs are the kernels between pairs of cells and their coarse ones.
func pairs() {
	kernel("gatherPairsAVX2", "(dst, v *float32, near, far float32, n int)",
		"dst[i] = far v[2i] + near (v[2i+1] + v[2i+2]) + far v[2i+3] for whole blocks of eight; n is a multiple of 8")
	dst := pointer("dst")
	v := pointer("v")
	near, far := parameter("near"), parameter("far")
	forBlocks(count(), func(c block) {
		// Sixteen values as their even and odd ones, from v and from v[2:].
		even, odd := c.evenOdd(v)
		evenNext, oddNext := c.evenOdd(v.by(8))
		c.store(add(add(mul(far, even), mul(near, add(odd, evenNext))), mul(far, oddNext)), dst)
	})
	end()

	kernel("spreadPairsAVX2", "(x, v *float32, near, far float32, n int)",
		"x[2i] += near v[i] + far v[i-1], x[2i+1] += near v[i] + far v[i+1] for whole blocks of eight; n is a "+
			"multiple of 8")
	x := pointer("x")
	v = pointer("v")
	near, far = parameter("near"), parameter("far")
	forBlocks(count(), func(c block) {
		own := mul(near, c.load(v))
		low := add(own, mul(far, c.load(v.by(-4))))
		high := add(own, mul(far, c.load(v.by(4))))
		// Interleaved: the low halves of both lanes' pairs, then put in order.
		first, second, a, b := YMM(), YMM(), YMM(), YMM()
		VUNPCKLPS(high, low, first)
		VUNPCKHPS(high, low, second)
		VPERM2F128(Imm(0x20), second, first, a)
		VPERM2F128(Imm(0x31), second, first, b)
		pair := block{cell: GP64()}
		LEAQ(Mem{Base: c.cell, Index: c.cell, Scale: 1}, pair.cell)
		pair.store(add(pair.load(x), a), x)
		pair.store(add(pair.load(x.by(32)), b), x.by(32))
	})
	end()
}

// evenOdd reads sixteen values at twice the cell's index.
func (b block) evenOdd(r row) (even, odd single) {
	lo, hi := YMM(), YMM()
	VMOVUPS(Mem{Base: r.base, Index: b.cell, Scale: 8, Disp: r.disp}, lo)
	VMOVUPS(Mem{Base: r.base, Index: b.cell, Scale: 8, Disp: r.disp + 32}, hi)
	// Within each half of 128 bits; VPERMPD then puts the four pairs in order.
	even, odd = YMM(), YMM()
	VSHUFPS(Imm(0x88), hi, lo, even)
	VSHUFPS(Imm(0xdd), hi, lo, odd)
	VPERMPD(Imm(0xd8), even, even)
	VPERMPD(Imm(0xd8), odd, odd)
	return even, odd
}

// forBlocks is forCells for a multiple of eight cells.
func forBlocks(n reg.Register, f func(b block)) {
	cell := GP64()
	XORQ(cell, cell)
	CMPQ(cell, n)
	JGE(LabelRef("done"))
	Label("blocks")
	f(block{cell: cell})
	ADDQ(Imm(width), cell)
	CMPQ(cell, n)
	JL(LabelRef("blocks"))
	Label("done")
}
