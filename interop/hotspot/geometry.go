package hotspot

import (
	"fmt"
	"math"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// capacityFactor is what HotSpot multiplies every heat capacity with.
const capacityFactor = 0.333

// own says which parts of HotSpot's arithmetic a network emulates.
type own struct {
	rim      bool // lumped nodes for the plates beside the die
	face     bool // nodes on the faces away from the sink (detailed_3D off)
	convec   bool // half of the convection resistance between spreader and sink, the whole of layer 0 (detailed_3D on)
	swapped  bool // lateral resistances of the other direction
	shared   bool // cells of several blocks as detailed_3D has them
	capacity bool
}

func (o own) any() bool { return o.rim || o.face || o.convec || o.swapped || o.shared }

// choose lists the deviations of this project and picks those to emulate.
func (c *converter) choose() (o own) {
	k := c.config
	pos := k.pos("s_spreader")
	if c.overhangs() {
		o.rim = c.Emulates(importer.Deviation{
			Name: "rim-nodes", Pos: pos, Field: true,
			What: fmt.Sprintf("HotSpot has cells over the die alone; spreader and sink beside it (%g and %g mm "+
				"wide) are 4 and 8 nodes", c.spreader.side*1e3, c.sink.side*1e3),
			Instead: "the plates have cells over all of their area",
		})
	}
	var with []string
	if c.overhangs() {
		with = []string{"rim-nodes"}
	}
	if c.theirsDetailed() {
		o.convec = c.Emulates(importer.Deviation{
			Name: "half-convection", Pos: k.pos("detailed_3D"), Field: true, With: with,
			What: "with detailed_3D HotSpot counts r_convec to the sink's height: half of it lies between " +
				"spreader and sink, and the whole above; of layer 0 it counts the full height",
			Instead: "r_convec lies above the sink, and every layer counts from its middle",
		})
		if at, found := c.sharedCells(); found {
			o.shared = c.Emulates(importer.Deviation{
				Name: "shared-cells", Pos: at, Field: true, With: with,
				What: "with detailed_3D HotSpot lets the blocks in a cell conduct in parallel by area, in every " +
					"direction, one over 95 % of it alone, and gaps not at all",
				Instead: "cells that an edge cuts are homogenised direction by direction, and gaps conduct as " +
					"their layer does",
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
			What: fmt.Sprintf("HotSpot takes the resistance along x for neighbours along y and the other way "+
				"round, wrong by the square of %.4g for these cells", cw/ch),
			Instead: "each direction has its own",
		})
	}
	o.capacity = c.Emulates(importer.Deviation{
		Name: "third-of-capacity", Pos: stack.Pos{File: k.file}, InTime: true,
		What:    "HotSpot multiplies every heat capacity by 0.333, which no steady state shows",
		Instead: "heat capacities are as given",
	})
	c.Emulates(importer.Deviation{
		Name: "cell-average", Pos: k.pos("grid_map_mode"),
		What:    "HotSpot's block temperatures count every cell that a block touches alike",
		Instead: "averages in blocks.csv are exact over the area; --format hotspot writes what HotSpot means",
	})
	return o
}

// overhangs tells whether the plates reach beyond the die by more than a thousandth of it.
func (c *converter) overhangs() bool {
	return c.sink.side-math.Min(c.width, c.height) > 1e-3*math.Min(c.width, c.height)
}

// materials makes one for each slab, equal ones shared.
func (c *converter) materials() {
	for i := range c.slabs {
		s := &c.slabs[i]
		cap := s.c
		if c.Request.Emulates("third-of-capacity") {
			cap *= capacityFactor
		}
		c.material(s.name, s.k, cap)
	}
}

// material is the index of a material with these figures, made if need be.
func (c *converter) material(name string, k, capacity float64) int {
	for i, m := range c.stack.Materials {
		if m.K[0] == k && m.C == capacity {
			return i
		}
	}
	c.stack.Materials = append(c.stack.Materials, stack.Material{Name: name, K: [3]float64{k, k, k}, C: capacity})
	return len(c.stack.Materials) - 1
}

func (c *converter) slabMaterial(s *slab) int {
	cap := s.c
	if c.Request.Emulates("third-of-capacity") {
		cap *= capacityFactor
	}
	return c.material(s.name, s.k, cap)
}

// dieOnly is the stack over the die's footprint, one cell per layer in height, as HotSpot's grid has it.
func (c *converter) dieOnly() {
	c.stack.Size = [2]float64{c.width, c.height}
	c.stack.Grid.X.Cells, c.stack.Grid.Y.Cells = c.cols, c.rows
	for s := range c.slabs {
		sl := &c.slabs[s]
		c.stack.Layers = append(c.stack.Layers,
			stack.Layer{Name: sl.name, Material: c.slabMaterial(sl), Thickness: sl.thickness, Cells: 1, Pos: sl.pos})
	}
	for s := range c.slabs {
		c.comments.Layers[s] = []string{origin(&c.slabs[s])}
		c.power(s, s, 0, 0)
	}
	c.comments.Grid = []string{fmt.Sprintf("grid_cols = %d, grid_rows = %d; the plates beside the die are nodes of a "+
		"network, which a stack file cannot hold", c.cols, c.rows)}
	if !c.Request.Direct {
		c.Note(importer.Warning, stack.Pos{File: c.config.file}, "HotSpot's own arithmetic is a network that no "+
			"stack file can hold: this file has the die's part of it; run 'thermsim steady %s --compat' for "+
			"the numbers", c.config.file)
	}
}

func origin(s *slab) string {
	if s.pos.Line == 0 {
		return "default of HotSpot"
	}
	return fmt.Sprintf("%s, line %d", s.pos.File, s.pos.Line)
}

// filler surrounds the die and the spreader: still air, in place of HotSpot's nothing.
var filler = stack.Material{Name: "still_air", K: [3]float64{0.026, 0.026, 0.026}, C: 1.2e3}

// Cells in height of the plates, and outwards beside the die.
const (
	spreaderCells = 2
	sinkCells     = 6
	ringCells     = 14
	plateCells    = 12
)

// realGeometry is the stack as it is built: die, spreader and sink as large as they are, cells of the given number over
// the die and growing beside it.
func (c *converter) realGeometry() {
	w, h := c.width, c.height
	x, y := 0.0, 0.0
	if c.overhangs() {
		x, y = (c.sink.side-w)/2, (c.sink.side-h)/2
		c.stack.Size = [2]float64{c.sink.side, c.sink.side}
		c.stack.Grid.X = c.graded(x, w, c.cols)
		c.stack.Grid.Y = c.graded(y, h, c.rows)
		c.comments.Grid =
			[]string{fmt.Sprintf("%d x %d cells over the die (grid_cols, grid_rows); coarser ones over the "+
				"plates beside it", c.cols, c.rows)}
	} else {
		c.stack.Size = [2]float64{w, h}
		c.stack.Grid.X.Cells, c.stack.Grid.Y.Cells = c.cols, c.rows
	}
	die := stack.Rect{X: x, Y: y, Width: w, Height: h}
	for s := range c.slabs {
		sl := &c.slabs[s]
		l := stack.Layer{Name: sl.name, Material: c.slabMaterial(sl), Thickness: sl.thickness, Cells: 1, Pos: sl.pos}
		around := die
		switch s {
		case len(c.slabs) - 2:
			l.Cells = c.platePlanes(sl, spreaderCells)
			around = stack.Rect{X: (c.sink.side - c.spreader.side) / 2, Y: (c.sink.side - c.spreader.side) / 2,
				Width: c.spreader.side, Height: c.spreader.side}
		case len(c.slabs) - 1:
			l.Cells = c.platePlanes(sl, sinkCells)
			around = c.stack.Domain()
		}
		if c.overhangs() && around.Width < c.stack.Size[0]*(1-1e-9) {
			own := l.Material
			l.Material = c.air()
			l.Regions = []stack.Region{{Name: sl.name, Material: own, Rect: around, Pos: sl.pos}}
		}
		c.stack.Layers = append(c.stack.Layers, l)
		c.comments.Layers[s] = []string{origin(sl)}
	}
	for s := range c.slabs {
		c.unitRegions(s, s, x, y)
		c.power(s, s, x, y)
	}
	c.start = c.startLayers(x, y)
}

// platePlanes is one cell for plates that are mere films.
func (c *converter) platePlanes(s *slab, cells int) int {
	if s.thickness < 1e-6 {
		return 1
	}
	return cells
}

func (c *converter) air() int {
	for i, m := range c.stack.Materials {
		if m.Name == filler.Name {
			return i
		}
	}
	c.stack.Materials = append(c.stack.Materials, filler)
	n := len(c.stack.Materials) - 1
	c.comments.Materials[n] = []string{"around the die; HotSpot has nothing there"}
	return n
}

// graded divides the sink's side: equal cells over the die, growing ones to the spreader's edge and on to the sink's.
func (c *converter) graded(from, length float64, cells int) stack.Axis {
	end := from + length
	edge := (c.sink.side - c.spreader.side) / 2
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
	add(c.sink.side-edge, ringCells, ring)
	add(c.sink.side, plateCells, 1)
	return a
}

// unitRegions gives blocks with figures of their own, which count with detailed_3D, a region.
func (c *converter) unitRegions(layer, s int, x, y float64) {
	sl := &c.slabs[s]
	for _, u := range sl.units {
		if u.resistivity == 0 || !c.detailed || sl.plate {
			continue
		}
		k, cap := 1/u.resistivity, u.capacity
		if c.Request.Emulates("third-of-capacity") {
			cap *= capacityFactor
		}
		m := c.material(sl.name+"_"+u.name, k, cap)
		r := clip(stack.Rect{X: x + u.x, Y: y + u.y, Width: u.width, Height: u.height}, c.stack.Size)
		c.stack.Layers[layer].Regions = append(c.stack.Layers[layer].Regions,
			stack.Region{Name: u.name, Material: m, Rect: r, Pos: u.pos})
	}
}
