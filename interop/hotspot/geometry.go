package hotspot

import (
	"cmp"
	"fmt"
	"math"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// capacityFactor is the factor that HotSpot applies to every heat capacity.
const capacityFactor = 0.333

// emulation is the set of HotSpot's numerics that a network emulates.
type emulation struct {
	rim      bool // lumped nodes for the plates outside the die
	face     bool // nodes on the faces away from the sink (detailed_3D off)
	convec   bool // half of the convection resistance between spreader and sink, the whole of layer 0 (detailed_3D on)
	swapped  bool // lateral resistances of the other direction
	shared   bool // cells of several blocks as detailed_3D has them
	leakage  bool // at one temperature per block
	flat     bool // no resistance across the package (PACT)
	capacity bool
}

func (o emulation) any() bool {
	return o.rim || o.face || o.convec || o.swapped || o.shared || o.leakage
}

// choose lists the deviations of this project and picks those to emulate.
func (c *converter) choose() (o emulation) {
	k := c.config
	pos := k.pos("s_spreader")
	if c.overhangs() {
		what := fmt.Sprintf("HotSpot has cells over the die only; spreader and sink outside it (%g and %g mm "+
			"wide) are 4 and 8 nodes", c.spreader().side*1e3, c.sink().side*1e3)
		if c.below > 0 {
			what += "; substrate, solder and board are 4, 4 and 8"
		}
		o.rim = c.Emulates(importer.Deviation{
			Name: "rim-nodes", Pos: pos, Field: true, What: what,
			Instead: "the plates have cells over their whole area",
		})
	}
	var with []string
	if c.overhangs() {
		with = []string{"rim-nodes"}
	}
	if c.theirsDetailed() {
		o.convec = c.Emulates(importer.Deviation{
			Name: "half-convection", Pos: k.pos("detailed_3D"), Field: true, With: with,
			What: "with detailed_3D HotSpot adds r_convec to the sink's height: half of it lies between " +
				"spreader and sink, and the whole above; of layer 0 it uses the full height",
			Instead: "r_convec lies above the sink, and every node is in the middle of its layer",
		})
		if at, found := c.sharedCells(); found {
			o.shared = c.Emulates(importer.Deviation{
				Name: "shared-cells", Pos: at, Field: true, With: with,
				What: "with detailed_3D the blocks in a cell conduct in parallel by area, in every direction; " +
					"a block over 95 % of a cell conducts alone, and gaps do not conduct",
				Instead: "cells that an edge cuts are homogenised direction by direction, and gaps conduct as " +
					"their layer",
			})
		}
	} else {
		o.face = c.Emulates(importer.Deviation{
			Name: "face-node", Pos: k.pos("detailed_3D"), Field: true, With: with,
			What: "HotSpot's nodes lie on the faces away from the sink: each layer adds its whole height " +
				"to the path",
			Instead: "nodes are in the middle of the cells, and thick layers have several",
		})
	}
	cw, ch := c.cell()
	if math.Abs(cw-ch) > 1e-9*cw {
		o.swapped = c.Emulates(importer.Deviation{
			Name: "swapped-lateral", Pos: k.pos("grid_rows"), Field: true, With: with,
			What: fmt.Sprintf("HotSpot uses the resistance along x for neighbours along y and vice versa, "+
				"wrong by the square of %.4g for these cells", cw/ch),
			Instead: "each direction has its resistance",
		})
	}
	o.leakage = c.emulateLeakage()
	o.capacity = c.Emulates(importer.Deviation{
		Name: "third-of-capacity", Pos: stack.Pos{File: k.file}, InTime: true,
		What:    "HotSpot multiplies every heat capacity by 0.333, which does not affect steady states",
		Instead: "heat capacities are as given",
	})
	c.Emulates(importer.Deviation{
		Name: "cell-average", Pos: k.pos("grid_map_mode"),
		What:    "HotSpot's block temperatures weight all cells that a block touches equally",
		Instead: "means in blocks.csv are exact over the area; --format hotspot writes HotSpot's values",
	})
	return o
}

// overhangs reports whether the plates extend beyond the die by more than a thousandth of it.
func (c *converter) overhangs() bool {
	return c.side()-math.Min(c.width, c.height) > 1e-3*math.Min(c.width, c.height)
}

// side is that of the largest plate.
func (c *converter) side() (side float64) {
	for i := range c.slabs {
		side = math.Max(side, c.slabs[i].side)
	}
	return side
}

// square is a square of the stack around the die.
func (c *converter) square(side float64) stack.Rect {
	edge := (c.Stack.Size[0] - side) / 2
	return stack.Rect{X: edge, Y: edge, Width: side, Height: side}
}

// materials makes one for each slab, equal ones shared.
func (c *converter) materials() {
	for i := range c.slabs {
		c.slabMaterial(&c.slabs[i])
	}
}

// material is the index of a material with these properties, added if necessary.
func (c *converter) material(name string, k, capacity float64) int {
	if c.pact == nil && c.Request.Emulates("third-of-capacity") {
		capacity *= capacityFactor
	}
	for i, m := range c.Stack.Materials {
		if m.K[0] == k && m.C == capacity {
			return i
		}
	}
	c.Stack.Materials = append(c.Stack.Materials, stack.Material{Name: name, K: [3]float64{k, k, k}, C: capacity})
	return len(c.Stack.Materials) - 1
}

func (c *converter) slabMaterial(s *slab) int { return c.material(cmp.Or(s.label, s.name), s.k, s.c) }

// addLayers appends a layer for each slab, one cell in height, which adapt changes.
func (c *converter) addLayers(adapt func(s int, l *stack.Layer)) {
	for i := range c.slabs {
		s := &c.slabs[i]
		l := stack.Layer{Name: s.name, Material: c.slabMaterial(s), Thickness: s.thickness, Cells: 1, Pos: s.pos}
		adapt(i, &l)
		c.Stack.Layers = append(c.Stack.Layers, l)
		c.Comments.Layers[i] = []string{origin(s)}
	}
	for s := range c.slabs {
		c.power(s)
	}
}

// onDie is the grid over the die's footprint.
func (c *converter) onDie() {
	c.Stack.Size = [2]float64{c.width, c.height}
	c.Stack.Grid.X.Cells, c.Stack.Grid.Y.Cells = c.cols, c.rows
}

// dieOnly is the stack over the die's footprint, one cell per layer in height, as in HotSpot's grid.
func (c *converter) dieOnly() {
	c.onDie()
	c.addLayers(func(int, *stack.Layer) {})
	c.Comments.Grid = []string{fmt.Sprintf("grid_cols = %d, grid_rows = %d; the plates outside the die are nodes of "+
		"a network, which a stack file cannot represent", c.cols, c.rows)}
	if !c.Request.Direct {
		c.Note(importer.Warning, stack.Pos{File: c.config.file}, "%s's numerics are a network, which a stack "+
			"file cannot represent: this file has the die's part of it; run 'thermsim steady %s --compat' for "+
			"its results", c.Format.Title, c.Request.Files[0])
	}
}

func origin(s *slab) string {
	if s.pos.Line == 0 {
		return "default of HotSpot"
	}
	return fmt.Sprintf("%s, line %d", s.pos.File, s.pos.Line)
}

// filler surrounds the die and the spreader: still air. HotSpot has nothing there.
var filler = stack.Material{Name: "still_air", K: [3]float64{0.026, 0.026, 0.026}, C: 1.2e3}

// Cells of the plates in height, and outwards from the die.
const (
	spreaderCells = 2
	sinkCells     = 6
	ringCells     = 14
	plateCells    = 12
)

// realGeometry is the stack as it is built: die, spreader and sink of full size, grid_cols x grid_rows cells over the
// die and growing cells outside it.
func (c *converter) realGeometry() {
	c.onDie()
	if c.overhangs() {
		side := c.side()
		c.x, c.y = (side-c.width)/2, (side-c.height)/2
		c.Stack.Size = [2]float64{side, side}
		c.Stack.Grid.X = c.graded(c.x, c.width, c.cols)
		c.Stack.Grid.Y = c.graded(c.y, c.height, c.rows)
		c.Comments.Grid =
			[]string{fmt.Sprintf("%d x %d cells over the die (grid_cols, grid_rows); coarser ones over the "+
				"plates outside it", c.cols, c.rows)}
	}
	c.addLayers(func(s int, l *stack.Layer) {
		around := stack.Rect{X: c.x, Y: c.y, Width: c.width, Height: c.height}
		if side := c.slabs[s].side; side > 0 {
			cells := spreaderCells
			if s == len(c.slabs)-1 {
				cells = sinkCells
			}
			l.Cells = platePlanes(l.Thickness, cells)
			around = c.square(side)
		}
		if c.overhangs() && around.Width < c.Stack.Size[0]*(1-1e-9) {
			own := l.Material
			l.Material = c.air()
			l.Regions = []stack.Region{{Name: l.Name, Material: own, Rect: around, Pos: l.Pos}}
		}
		c.addUnitRegions(s, l)
	})
	c.startLayers()
}

// platePlanes is one cell for very thin plates.
func platePlanes(thickness float64, cells int) int {
	if thickness < 1e-6 {
		return 1
	}
	return cells
}

func (c *converter) air() int {
	for i, m := range c.Stack.Materials {
		if m.Name == filler.Name {
			return i
		}
	}
	c.Stack.Materials = append(c.Stack.Materials, filler)
	n := len(c.Stack.Materials) - 1
	c.Comments.Materials[n] = []string{"around the die; " + c.Format.Title + " has nothing there"}
	return n
}

// graded divides the side of the largest plate: equal cells over the die, growing ones to the spreader's edge, then
// equal ones.
func (c *converter) graded(from, length float64, cells int) stack.Axis {
	end := from + length
	side := c.side()
	edge := (side - c.spreader().side) / 2
	cell := length / float64(cells)
	// grows is the ratio of the last to the first of n cells over a span that begin with the size of the die's.
	grows := func(span float64, n int) float64 {
		ratio := 1.0
		for range 60 { // the ratio q per cell with cell (q^n - 1)/(q - 1) = span, by fixed point
			q := math.Pow(ratio, 1/math.Max(1, float64(n-1)))
			sum := float64(n)
			if q > 1+1e-12 {
				sum = (math.Pow(q, float64(n)) - 1) / (q - 1)
			}
			ratio *= math.Max(0.5, math.Min(2, span/(cell*sum)))
			ratio = math.Max(1, math.Min(1e4, ratio))
		}
		return ratio
	}
	var a stack.Axis
	add := func(to float64, n int, ratio float64) {
		if len(a.Segments) > 0 && to-a.Segments[len(a.Segments)-1].To <= 1e-12 || len(a.Segments) == 0 && to <= 1e-12 {
			return
		}
		a.Segments = append(a.Segments, stack.Segment{To: to, Cells: n, Ratio: ratio})
		a.Cells += n
	}
	ring := grows(from-edge, ringCells)
	add(edge, plateCells, 1)
	add(from, ringCells, 1/ring)
	add(end, cells, 1)
	add(side-edge, ringCells, ring)
	add(side, plateCells, 1)
	return a
}

// addUnitRegions gives blocks with separate properties, which apply with detailed_3D, a region.
func (c *converter) addUnitRegions(s int, l *stack.Layer) {
	sl := &c.slabs[s]
	for i := range sl.units {
		u := &sl.units[i]
		if u.resistivity == 0 || !c.detailed || sl.plate {
			continue
		}
		m := c.material(cmp.Or(u.label, sl.name+"_"+u.name), 1/u.resistivity, u.capacity)
		l.Regions = append(l.Regions, stack.Region{Name: u.name, Material: m, Rect: c.inStack(u), Pos: u.pos})
	}
}
