package main

// operator are the FP64 kernels of the product with the matrix, whose entries are FP32. Each comes for vectors of both
// precisions.
func operator() {
	for _, p := range []struct {
		suffix, kind string
		bytes        uint8
		load         func(block, row) double
	}{
		{"Single", "float32", 4, block.widen},
		{"Double", "float64", 8, block.loadDouble},
	} {
		kernel("flow"+p.suffix+"AVX2", "(q *float64, gx, gy, gzBelow, gzAbove *float32, x, "+
			"below, above *"+p.kind+", nx, n int)",
			"q = the heat that leaves the cells of a row for their six neighbours")
		q := pointer("q")
		gb, ga := pointer("gzBelow"), pointer("gzAbove")
		xb, xa := pointer("below"), pointer("above")
		s := newLateral(p.bytes)
		cells(func(c block) {
			own := p.load(c, s.own)
			leave := func(g, x row) double { return mulDouble(c.widen(g), subDouble(own, p.load(c, x))) }
			v := leave(s.g.west, s.x.west)
			v = addDouble(v, leave(s.g.east, s.x.east))
			v = addDouble(v, leave(s.g.south, s.x.south))
			v = addDouble(v, leave(s.g.north, s.x.north))
			v = addDouble(v, leave(gb, xb))
			c.storeDouble(addDouble(v, leave(ga, xa)), q)
		})

		kernel("addProduct"+p.suffix+"AVX2", "(q *float64, conductance *float32, x *"+p.kind+", n int)", "q += g x")
		q = pointer("q")
		g, x := pointer("conductance"), pointer("x")
		cells(func(c block) {
			c.storeDouble(addDouble(c.loadDouble(q), mulDouble(c.widen(g), p.load(c, x))), q)
		})
	}
}
