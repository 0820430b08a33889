package hotspot

import (
	"math"

	"thermsim/interop/network"
	"thermsim/stack"
)

// The nodes outside the die, in HotSpot's order: the spreader's, the sink's over the spreader, the sink's beyond it.
const (
	spreaderRim = 4 * iota
	innerRim
	outerRim
	rimNodes
)

// Sides of the rim, in HotSpot's order.
const (
	west = iota
	east
	north
	south
)

// builder assembles HotSpot's grid model: nodes over the die, layer by layer, and those of the rim.
type builder struct {
	*converter
	emulate emulation
	net     *network.Network
	cw, ch  float64
	rim     int32 // first node of the rim
	rx, ry  [][]float64
	rz      [][]float64
}

// simulatorNetwork is HotSpot's network (formulas: package.c and temperature_grid.c of HotSpot 7).
func (c *converter) simulatorNetwork(o emulation) *network.Network {
	b := &builder{converter: c, emulate: o, net: &network.Network{}}
	b.cw, b.ch = c.cell()
	b.rim = int32(len(c.slabs) * c.rows * c.cols)
	for s := range c.slabs {
		b.cells(s)
	}
	for s := range c.slabs {
		b.lateral(s)
		if s > 0 {
			b.vertical(s - 1)
		}
	}
	b.toAmbient()
	b.boardToAmbient()
	b.rims()
	b.initialTemperatures()
	return b.net
}

// node of a cell; row 0 is the southern one.
func (b *builder) node(s, row, col int) int32 { return int32((s*b.rows+row)*b.cols + col) }

// factor on heat capacities.
func (b *builder) factor() float64 {
	if b.emulate.capacity {
		return capacityFactor
	}
	return 1
}

// cells makes the nodes of a slab, with resistances along the axes, capacities and sources.
func (b *builder) cells(s int) {
	sl := &b.slabs[s]
	n := b.rows * b.cols
	rx, ry, rz := make([]float64, n), make([]float64, n), make([]float64, n)
	at := make([]int32, n)
	capacity := sl.c * sl.thickness * b.cw * b.ch * b.factor()
	if s == len(b.slabs)-1 && b.htc() == 0 {
		capacity += b.factor() * b.config.number("c_convec") * b.cw * b.ch / (b.sink().side * b.sink().side)
	}
	for i := range n {
		at[i] = b.node(s, i/b.cols, i%b.cols)
		rx[i], ry[i], rz[i] = b.resistances(sl.k, sl.thickness)
		b.net.Capacity = append(b.net.Capacity, capacity)
	}
	b.net.At = append(b.net.At, at)
	b.rx, b.ry, b.rz = append(b.rx, rx), append(b.ry, ry), append(b.rz, rz)
	if b.detailed && !sl.plate {
		b.units(s)
	}
	if s == len(b.slabs)-1 {
		for i := range rz {
			if b.emulate.flat {
				rz[i] = 0
			}
			rz[i] += b.convection(b.cw * b.ch)
		}
	}
	if !sl.power {
		return
	}
	for u := range sl.units {
		f := &sl.units[u]
		b.eachCell(f, func(row, col int, share float64) {
			b.net.Sources = append(b.net.Sources, network.Source{Node: b.node(s, row, col), Layer: s, Block: u,
				Share: share * b.cw * b.ch / (f.width * f.height)})
		})
	}
}

// resistances of a cell along the axes.
func (b *builder) resistances(k, thickness float64) (x, y, z float64) {
	return b.cw / (k * b.ch * thickness), b.ch / (k * b.cw * thickness), thickness / (k * b.cw * b.ch)
}

// convection is the resistance from an area of the sink to the ambient.
func (b *builder) convection(area float64) float64 {
	if h := b.htc(); h > 0 {
		return 1 / (h * area)
	}
	return b.config.number("r_convec") * b.sink().side * b.sink().side / area
}

// cell is the size of a cell.
func (c *converter) cell() (cw, ch float64) {
	return c.width / float64(c.cols), c.height / float64(c.rows)
}

// eachCell calls f for every cell that a block touches, with the covered share of the cell.
func (c *converter) eachCell(u *unit, f func(row, col int, share float64)) {
	cw, ch := c.cell()
	r0, r1, c0, c1 := cellsOf(u, cw, ch)
	for row := max(r0, 0); row < min(r1, c.rows); row++ {
		for col := max(c0, 0); col < min(c1, c.cols); col++ {
			w := math.Min(u.x+u.width, float64(col+1)*cw) - math.Max(u.x, float64(col)*cw)
			h := math.Min(u.y+u.height, float64(row+1)*ch) - math.Max(u.y, float64(row)*ch)
			if share := snapShare(w/cw) * snapShare(h/ch); share > 0 {
				f(row, col, share)
			}
		}
	}
}

// delta is HotSpot's tolerance for rounding.
const delta = 1e-6

// snapShare rounds shares that are 0 or 1 within the tolerance.
func snapShare(v float64) float64 {
	switch {
	case v < delta:
		return 0
	case math.Abs(v-1) < delta:
		return 1
	}
	return v
}

// cellsOf are the rows from r0 to before r1 and the columns from c0 to before c1 that a block touches; rows count from
// the south.
func cellsOf(u *unit, cw, ch float64) (r0, r1, c0, c1 int) {
	return tolerant(u.y/ch, math.Floor), tolerant((u.y+u.height)/ch, math.Ceil), tolerant(u.x/cw, math.Floor),
		tolerant((u.x+u.width)/cw, math.Ceil)
}

func tolerant(v float64, round func(float64) float64) int {
	if nearest := math.Floor(v + 0.5); math.Abs(v-nearest) < delta {
		return int(nearest)
	}
	return int(round(v))
}

// occupied is the share of a cell from which a single block determines its heat capacity.
const occupied = 0.95

// units gives cells the resistances of the blocks in them: in parallel, by area. In HotSpot uncovered area does not
// conduct, and a block over most of a cell determines its properties.
func (b *builder) units(s int) {
	sl := &b.slabs[s]
	type sum struct{ k, covered float64 }
	sums := make([]sum, b.rows*b.cols)
	locked := make([]bool, len(sums))
	for i := range sl.units {
		u := &sl.units[i]
		k, capacity := u.k(sl), sl.c
		if u.capacity > 0 {
			capacity = u.capacity
		}
		b.eachCell(u, func(row, col int, share float64) {
			at := row*b.cols + col
			if locked[at] {
				return
			}
			if share >= occupied && (b.emulate.shared || share == 1) {
				locked[at] = true
				sums[at] = sum{k, 1}
				b.net.Capacity[b.node(s, row, col)] = capacity * sl.thickness * b.cw * b.ch * b.factor()
				return
			}
			sums[at].k += share * k
			sums[at].covered += share
			if !b.emulate.shared {
				b.net.Capacity[b.node(s, row, col)] += share * (capacity - sl.c) * sl.thickness * b.cw * b.ch *
					b.factor()
			}
		})
	}
	for i, v := range sums {
		if !b.emulate.shared {
			v.k += math.Max(0, 1-v.covered) * sl.k
		}
		if v.k > 0 {
			b.rx[s][i], b.ry[s][i], b.rz[s][i] = b.resistances(v.k, sl.thickness)
		}
	}
}

// link joins two nodes. An infinite resistance, between plates of equal size, is no link.
func (b *builder) link(p, q int32, resistance float64) {
	if !math.IsInf(resistance, 1) {
		b.net.Links = append(b.net.Links, network.Link{A: p, B: q, Conductance: 1 / resistance})
	}
}

// lateral links the cells of a slab.
func (b *builder) lateral(s int) {
	if !b.slabs[s].lateral {
		return
	}
	rx, ry := b.rx[s], b.ry[s]
	if b.emulate.swapped {
		rx, ry = ry, rx
	}
	for row := range b.rows {
		for col := range b.cols {
			at := row*b.cols + col
			if col+1 < b.cols {
				b.link(b.node(s, row, col), b.node(s, row, col+1), (rx[at]+rx[at+1])/2)
			}
			if row+1 < b.rows {
				b.link(b.node(s, row, col), b.node(s, row+1, col), (ry[at]+ry[at+b.cols])/2)
			}
		}
	}
}

// vertical links slab s with the one above.
func (b *builder) vertical(s int) {
	for at := range b.rows * b.cols {
		below, above := b.rz[s][at], b.rz[s+1][at]
		top := s+1 == len(b.slabs)-1
		if top && !b.emulate.face && !b.emulate.convec {
			above -= b.convection(b.cw * b.ch)
		}
		r := below/2 + above/2
		switch {
		case b.emulate.face:
			r = below
		case b.emulate.convec && s == 0:
			r = below + above/2
		}
		b.link(int32(s*b.rows*b.cols+at), int32((s+1)*b.rows*b.cols+at), r)
	}
}

func (b *builder) ground(n int32, resistance float64) {
	if math.IsInf(resistance, 1) {
		return
	}
	b.net.Grounds = append(b.net.Grounds,
		network.Ground{Node: n, Conductance: 1 / resistance, Temperature: b.Stack.Ambient, Face: stack.Top})
}

// toAmbient links the sink's cells over the die with the ambient.
func (b *builder) toAmbient() {
	last := len(b.slabs) - 1
	for at, r := range b.rz[last] {
		if !b.emulate.face && !b.emulate.convec {
			r -= (r - b.convection(b.cw*b.ch)) / 2 // from the middle of the sink
		}
		b.ground(int32(last*b.rows*b.cols+at), r)
	}
}

// rims adds the nodes outside the die. Areas are those of trapezoids.
func (b *builder) rims() {
	if b.htc() > 0 {
		return
	}
	b.net.Capacity = append(b.net.Capacity, make([]float64, b.rimCount())...)
	for side := range 4 {
		b.sinkRim(side)
		if b.below > 0 {
			b.boardRim(side)
		}
	}
}

// sinkRim adds the nodes outside the die on one side of spreader and sink.
func (b *builder) sinkRim(side int) {
	spreaderSlab, sinkSlab := len(b.slabs)-2, len(b.slabs)-1
	sp, hs := &b.slabs[spreaderSlab], &b.slabs[sinkSlab]
	t := b.trapezoid(side, sp.side)
	node := func(first int) int32 { return b.rim + int32(first+side) }
	convective := func(area float64) float64 {
		return b.factor() * b.config.number("c_convec") * area / (hs.side * hs.side)
	}
	b.border(side, attachment{spreaderSlab, node(spreaderRim), t.near(sp)},
		attachment{sinkSlab, node(innerRim), t.near(hs)})
	b.link(node(spreaderRim), node(innerRim), t.through(sp))
	b.outwards(node(innerRim), node(outerRim), t.far(hs)+between(hs, sp.side))
	area, corner := t.area(), (hs.side*hs.side-sp.side*sp.side)/4
	b.ground(node(innerRim), t.through(hs)+b.convection(area))
	b.ground(node(outerRim), hs.thickness/(hs.k*corner)+b.convection(corner))
	b.capacity(node(spreaderRim), sp, area, 0)
	b.capacity(node(innerRim), hs, area, convective(area))
	b.capacity(node(outerRim), hs, corner, convective(corner))
}
