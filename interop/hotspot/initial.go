package hotspot

import (
	"fmt"
	"math"
	"strings"

	"thermsim/interop/importer"
	"thermsim/stack"
)

// readInitial reads the initial temperatures of a transient.
func (c *converter) readInitial() {
	k := c.config
	c.Stack.Transient.Initial = k.number("init_temp")
	name := k.path("init_file")
	if name == "" {
		return
	}
	path, data, ok := c.Open(name, k.pos("init_file"))
	if !ok {
		return
	}
	c.initial = parseInitial(c.Collector, path, data)
	lo, hi, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for _, s := range c.slabs {
		for _, u := range s.units {
			v, have := c.initial[s.node(&u)]
			if !have {
				c.Faults.Add(stack.Pos{File: path}, "HotSpot's .steady files have every block of every layer",
					"the initial temperature of %s%s is missing", s.prefix, u.name)
				return
			}
			lo, hi, sum, n = min(lo, v), max(hi, v), sum+v, n+1
		}
	}
	if n == 0 {
		return
	}
	for i := range c.rimCount() {
		if _, have := c.initial[inode(i)]; !have && c.Compat {
			c.Faults.Add(stack.Pos{File: path}, fmt.Sprintf("HotSpot's .steady files end with inode_0 to %s; "+
				"without --compat they are optional", inode(c.rimCount()-1)),
				"the initial temperature of %s is missing", inode(i))
			return
		}
	}
	c.Stack.Transient.Initial = sum / float64(n)
	switch {
	case hi-lo <= 1e-9:
	case c.Request.Direct:
		c.Note(importer.Adapted, k.pos("init_file"), "initial temperatures from %.2f to %.2f K: every block starts "+
			"from its own, plates outside the die from those of their nodes", lo, hi)
	default:
		c.Note(importer.Warning, k.pos("init_file"), "initial temperatures from %.2f to %.2f K: a stack file has "+
			"only their mean, %.2f K; 'thermsim transient %s' starts from those of the blocks", lo, hi,
			c.Stack.Transient.Initial, c.config.file)
	}
}

// node is HotSpot's name of a block of the slab, in lower case.
func (s *slab) node(u *unit) string { return strings.ToLower(s.prefix + u.name) }

// inode is HotSpot's name of a node outside the die.
func inode(n int) string { return fmt.Sprintf("inode_%d", n) }

// startLayers sets the initial temperatures over a stack as it is built, if the project has a file of them.
func (c *converter) startLayers() {
	if c.initial == nil {
		return
	}
	for i := range c.slabs {
		s := &c.slabs[i]
		var l stack.InitialLayer
		area := 0.0
		for u := range s.units {
			f := &s.units[u]
			v := c.initial[s.node(f)]
			l.Kelvin += v * f.width * f.height
			area += f.width * f.height
			l.Areas = append(l.Areas, stack.InitialArea{Rect: c.inStack(f), Kelvin: v})
		}
		l.Kelvin /= area
		if _, _, overlap := importer.FirstOverlap(s.units, (*unit).box); overlap {
			l.Areas = nil // which of two overlapping blocks applies is undefined, so the mean does
		}
		c.Initial = append(c.Initial, l)
	}
	if !c.overhangs() {
		return
	}
	die := stack.Rect{X: c.x, Y: c.y, Width: c.width, Height: c.height}
	add := func(s int, inner, outer stack.Rect, first int) {
		c.Initial[s].Areas = append(c.Initial[s].Areas, c.ring(inner, outer, first)...)
	}
	spreader, sink := len(c.slabs)-2, len(c.slabs)-1
	under := c.square(c.spreader().side)
	add(spreader, die, under, spreaderRim)
	add(sink, die, under, innerRim)
	add(sink, under, c.square(c.sink().side), outerRim)
	if c.below == 0 {
		return
	}
	solder := c.square(c.slabs[solderSlab].side)
	add(substrateSlab, die, c.square(c.slabs[substrateSlab].side), substrateRim)
	add(solderSlab, die, solder, solderRim)
	add(boardSlab, die, solder, innerBoardRim)
	add(boardSlab, solder, c.square(c.slabs[boardSlab].side), outerBoardRim)
}

// ring is the areas between two rectangles, with the temperatures of the four nodes from first on; corners have the
// mean of their sides. It is empty if the file has no such nodes.
func (c *converter) ring(inner, outer stack.Rect, first int) (areas []stack.InitialArea) {
	var side [4]float64
	for i := range side {
		v, have := c.initial[inode(first+i)]
		if !have {
			return nil
		}
		side[i] = v
	}
	xs := [4]float64{outer.X, inner.X, inner.X + inner.Width, outer.X + outer.Width}
	ys := [4]float64{outer.Y, inner.Y, inner.Y + inner.Height, outer.Y + outer.Height}
	for j, lateral := range []int{south, -1, north} {
		for i, along := range []int{west, -1, east} {
			r := stack.Rect{X: xs[i], Y: ys[j], Width: xs[i+1] - xs[i], Height: ys[j+1] - ys[j]}
			if along < 0 && lateral < 0 || !(r.Width > 0) || !(r.Height > 0) {
				continue
			}
			v := 0.0
			switch {
			case along < 0:
				v = side[lateral]
			case lateral < 0:
				v = side[along]
			default:
				v = (side[lateral] + side[along]) / 2
			}
			areas = append(areas, stack.InitialArea{Rect: r, Kelvin: v})
		}
	}
	return areas
}

// initialTemperatures distributes those of blocks over the cells. HotSpot adds up the blocks' temperatures by the
// shares of the cell that they cover, in kelvin: a cell that is covered to 99.9 % starts 0.1 % of its temperature
// colder.
func (b *builder) initialTemperatures() {
	uniform := b.config.number("init_temp")
	t := make([]float64, len(b.net.Capacity))
	for s := range b.slabs {
		for u := range b.slabs[s].units {
			f := &b.slabs[s].units[u]
			v := uniform
			if b.initial != nil {
				v = b.initial[b.slabs[s].node(f)]
			}
			b.eachCell(f, func(row, col int, share float64) { t[b.node(s, row, col)] += share * v })
		}
	}
	for n := int(b.rim); n < len(t); n++ {
		t[n] = b.rimTemperature(n - int(b.rim))
	}
	b.net.Initial = t
}

// rimTemperature is the initial temperature of a node outside the die.
func (b *builder) rimTemperature(n int) float64 {
	if v, ok := b.initial[inode(n)]; ok {
		return v
	}
	return b.Stack.Transient.Initial
}
