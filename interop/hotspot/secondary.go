package hotspot

import (
	"fmt"
	"slices"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// secondaryPart is a layer of HotSpot's path to the board. Conductivity in W/(m K) and heat capacity in J/(m3 K) are
// compiled into HotSpot 7 (temperature.h).
type secondaryPart struct {
	name, prefix    string
	side, thickness string // parameters; side is empty for a layer that ends with the die
	k, c            float64
}

// secondaryParts from the board up. HotSpot has the last two without a layer list only.
var secondaryParts = []secondaryPart{
	{"board", "pcb_", "s_pcb", "t_pcb", 1 / 0.333, 1.32e6},
	{"solder", "solder_", "s_solder", "t_solder", 1 / 0.06, 2.1e6},
	{"substrate", "sub_", "s_sub", "t_sub", 1 / 0.5, 1.6e6},
	{"c4", "c4_", "", "t_c4", 1 / 0.8, 1.65e6},
	{"metal", "metal_", "", "t_metal", 1 / 0.0025, 3.55e6},
}

// Slabs of the secondary path.
const (
	boardSlab = iota
	solderSlab
	substrateSlab
	secondaryPlates
)

// Nodes outside the die of the secondary path follow those of the sink, in HotSpot's order.
const (
	substrateRim = rimNodes + 4*iota
	solderRim
	innerBoardRim
	outerBoardRim
	secondaryRimNodes
)

// unusedParts are parameters of the path that HotSpot reads and does not use.
var unusedParts = []string{"n_metal", "s_c4", "n_c4"}

// readSecondary adds the layers of the path to the board below the die.
func (c *converter) readSecondary() {
	k := c.config
	on := k.on("model_secondary")
	for _, p := range parameters {
		switch {
		case p.kind != board || !k.given(p.name):
		case !on:
			c.Note(importer.NotCarried, k.pos(p.name), "%s belongs to a model that is off", p.name)
		case slices.Contains(unusedParts, p.name):
			c.Note(importer.NotCarried, k.pos(p.name), "%s: HotSpot 7 does not use it", p.name)
		}
	}
	if !on {
		return
	}
	parts := secondaryParts
	if k.path("grid_layer_file") != "" {
		parts = parts[:secondaryPlates]
		for i := range len(c.slabs) - 2 { // HotSpot numbers the layers of a list from the board on in its files
			c.slabs[i].prefix = fmt.Sprintf("layer_%d_", i+len(parts))
		}
	}
	units, die := c.slabs[0].units, max(c.width, c.height)
	var below []slab
	for _, p := range parts {
		s := slab{name: p.name, prefix: p.prefix, units: units, thickness: k.number(p.thickness), k: p.k, c: p.c,
			lateral: true, plate: true, pos: k.pos(p.thickness)}
		if p.side != "" {
			s.side = k.number(p.side)
			if s.side < die {
				c.Faults.Add(k.pos(p.side), "make it at least as large as the die", "the %s of %g mm is smaller than "+
					"the die of %g x %g mm", p.name, s.side*1e3, c.width*1e3, c.height*1e3)
			}
		}
		below = append(below, s)
	}
	if below[boardSlab].side < below[solderSlab].side {
		c.Faults.Add(k.pos("s_pcb"), "make it at least as large as the solder", "the board of %g mm is smaller than "+
			"the solder of %g mm", below[boardSlab].side*1e3, below[solderSlab].side*1e3)
	}
	if c.cooled() {
		c.Faults.Add(k.pos("model_secondary"), "set one of them to 0", "the secondary heat path cannot be combined "+
			"with microchannels: the stack ends with the die there")
	}
	c.slabs, c.below = append(below, c.slabs...), len(below)
	c.Note(importer.Adapted, k.pos("model_secondary"), "secondary heat path: %d layers below the die, of the "+
		"materials that are compiled into HotSpot 7", len(below))
}

// rimCount is the number of nodes outside the die.
func (c *converter) rimCount() int {
	if c.below > 0 {
		return secondaryRimNodes
	}
	return rimNodes
}

// boardFilm is the resistance in K/W from an area of the board to the ambient.
func (c *converter) boardFilm(area float64) float64 {
	side := c.slabs[boardSlab].side
	return c.config.number("r_convec_sec") * side * side / area
}

// boardToAmbient links the board's cells below the die with the ambient. HotSpot's nodes are on the lower face of the
// board, others in the middle.
func (b *builder) boardToAmbient() {
	if b.below == 0 {
		return
	}
	area := b.cw * b.ch
	for at := range b.rows * b.cols {
		r := b.boardFilm(area)
		if !b.emulate.face && !b.emulate.convec {
			r += b.rz[boardSlab][at] / 2
		}
		b.boardGround(int32(at), r)
		b.net.Capacity[at] += b.boardCapacity(area)
	}
}

func (b *builder) boardGround(n int32, resistance float64) {
	b.ground(n, resistance)
	if g := b.net.Grounds; len(g) > 0 && g[len(g)-1].Node == n {
		g[len(g)-1].Face = stack.Bottom
	}
}

// boardCapacity is the share of c_convec_sec of an area.
func (b *builder) boardCapacity(area float64) float64 {
	side := b.slabs[boardSlab].side
	return b.factor() * b.config.number("c_convec_sec") * area / (side * side)
}

// boardRim adds the nodes outside the die on one side of substrate, solder and board.
func (b *builder) boardRim(side int) {
	board, solder, substrate := &b.slabs[boardSlab], &b.slabs[solderSlab], &b.slabs[substrateSlab]
	outer, inner := b.trapezoid(side, substrate.side), b.trapezoid(side, solder.side)
	node := func(first int) int32 { return b.rim + int32(first+side) }
	b.border(side,
		attachment{substrateSlab, node(substrateRim), outer.near(substrate)},
		attachment{solderSlab, node(solderRim), inner.near(solder)},
		attachment{boardSlab, node(innerBoardRim), inner.near(board)})
	b.link(node(substrateRim), node(solderRim), inner.through(solder))
	b.link(node(solderRim), node(innerBoardRim), inner.through(board))
	corner := (board.side*board.side - solder.side*solder.side) / 4
	b.outwards(node(innerBoardRim), node(outerBoardRim), inner.far(board)+between(board, solder.side))
	b.boardGround(node(innerBoardRim), b.boardFilm(inner.area()))
	b.boardGround(node(outerBoardRim), b.boardFilm(corner))
	b.capacity(node(substrateRim), substrate, outer.area(), 0)
	b.capacity(node(solderRim), solder, inner.area(), 0)
	b.capacity(node(innerBoardRim), board, inner.area(), b.boardCapacity(inner.area()))
	b.capacity(node(outerBoardRim), board, corner, b.boardCapacity(corner))
}

// trapezoid is the part of a square plate outside the die on one side: along and across are the die's lengths along the
// heat flow and across it.
type trapezoid struct{ side, along, across float64 }

func (b *builder) trapezoid(side int, plate float64) trapezoid {
	if side == north || side == south {
		return trapezoid{plate, b.height, b.width}
	}
	return trapezoid{plate, b.width, b.height}
}

func (t trapezoid) area() float64 { return (t.side + t.across) * (t.side - t.along) / 4 }

// near and far are the resistances of the halves next to the die and away from it.
func (t trapezoid) near(s *slab) float64 {
	return (t.side - t.along) / 4 / (s.k * ((t.side + 3*t.across) / 4 * s.thickness))
}

func (t trapezoid) far(s *slab) float64 {
	return (t.side - t.along) / 4 / (s.k * ((3*t.side + t.across) / 4 * s.thickness))
}

// through is the vertical resistance.
func (t trapezoid) through(s *slab) float64 { return s.thickness / (s.k * t.area()) }

// between is the resistance of a plate beyond a smaller square.
func between(s *slab, inner float64) float64 {
	return (s.side - inner) / 4 / (s.k * ((s.side + 3*inner) / 4 * s.thickness))
}

// attachment links the cells of a slab along a side of the die with a node outside it.
type attachment struct {
	slab int
	node int32
	near float64
}

// border attaches the cells along a side of the die.
func (b *builder) border(side int, all ...attachment) {
	cells, edge := b.rows, b.rx
	if side == north || side == south {
		cells, edge = b.cols, b.ry
	}
	for n := range cells {
		row, col := n, 0
		switch side {
		case east:
			col = b.cols - 1
		case north:
			row, col = b.rows-1, n
		case south:
			row, col = 0, n
		}
		for _, a := range all {
			b.link(b.node(a.slab, row, col), a.node, edge[a.slab][row*b.cols+col]/2+float64(cells)*a.near)
		}
	}
}

// outwards links the inner with the outer node of a plate.
func (b *builder) outwards(inner, outer int32, resistance float64) {
	if !(resistance > 0) {
		resistance = 1 // neither has another link: any will do
	}
	b.link(inner, outer, resistance)
}

// capacity sets that of a node outside the die.
func (b *builder) capacity(node int32, s *slab, area, convective float64) {
	b.net.Capacity[node] = b.factor()*s.c*s.thickness*area + convective
}
