package main

import (
	. "github.com/mmcloughlin/avo/build"
)

// lateral is the stencil of a row of cells within its plane. The arguments gx, gy and x begin before the row: gx a
// cell, the others a row of nx.
type lateral struct {
	g, x struct{ west, east, south, north row }
	own  row // of x
}

// newLateral reads the arguments; bytes is the size of the elements of x.
func newLateral(bytes uint8) (s lateral) {
	gx, gy, x := pointer("gx"), pointer("gy"), pointer("x")
	nx := GP64()
	Load(Param("nx"), nx)
	s.g.west, s.g.east = gx, gx.by(4)
	s.g.south, s.g.north = gy, gy.plus(nx, 4)
	s.own = x.plus(nx, bytes)
	s.x.west, s.x.east = s.own.by(-int(bytes)), s.own.by(int(bytes))
	s.x.south, s.x.north = x, s.own.plus(nx, bytes)
	return s
}

// sum of couplings times neighbors.
func (s *lateral) sum(c block) single {
	v := mul(c.load(s.g.east), c.load(s.x.east))
	v = add(v, mul(c.load(s.g.west), c.load(s.x.west)))
	v = add(v, mul(c.load(s.g.north), c.load(s.x.north)))
	return add(v, mul(c.load(s.g.south), c.load(s.x.south)))
}

// inflow adds to v the sum of couplings times the differences of the neighbors from the cell.
func (s *lateral) inflow(c block, v, own single) single {
	v = add(v, mul(c.load(s.g.west), sub(c.load(s.x.west), own)))
	v = add(v, mul(c.load(s.g.east), sub(c.load(s.x.east), own)))
	v = add(v, mul(c.load(s.g.south), sub(c.load(s.x.south), own)))
	return add(v, mul(c.load(s.g.north), sub(c.load(s.x.north), own)))
}
