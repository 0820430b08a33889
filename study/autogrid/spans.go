package autogrid

import (
	"math"

	"thermsim/stack"
)

// span is a stretch of an axis, in m, that asks for cells of at most size. Its ends are edges that lines snap to.
type span struct {
	lo, hi, size float64
	rank         rank
}

// rank orders edges: where two are too close for both to get a line, the lower one does.
type rank int

const (
	domainEdge rank = iota
	poweredEdge
	regionEdge
	quietEdge // of a block without power
)

// Sizes of the first grid of a family, of which the others are refinements.
const (
	acrossSource = 2  // cells across a source of heat or a region
	acrossDomain = 8  // cells across the domain, at least
	acrossMap    = 64 // cells across a power map, unless its tiles are larger
	thinnestSkin = 16 // cells across a source, at most, where a time step asks for smaller ones
)

// spansOf lists what asks for cells along an axis, 0 for x and 1 for y.
func spansOf(s *stack.Stack, axis int) []span {
	c := collector{s: s, axis: axis}
	c.add(s.Domain(), s.Size[axis]/acrossDomain, domainEdge)
	for l := range s.Layers {
		layer := &s.Layers[l]
		for r := range layer.Regions {
			c.region(layer, &layer.Regions[r])
		}
		for p := range layer.Powers {
			c.power(layer, &layer.Powers[p])
		}
	}
	return c.spans
}

type collector struct {
	s     *stack.Stack
	axis  int
	spans []span
}

// extent is the range of a rectangle along the axis, within the domain.
func (c *collector) extent(r stack.Rect) (lo, hi float64) {
	lo, hi = r.X, r.X+r.Width
	if c.axis == 1 {
		lo, hi = r.Y, r.Y+r.Height
	}
	end := c.s.Size[c.axis]
	return min(max(lo, 0), end), min(max(hi, 0), end)
}

func (c *collector) add(r stack.Rect, size float64, of rank) {
	if lo, hi := c.extent(r); hi > lo {
		c.spans = append(c.spans, span{lo, hi, size, of})
	}
}

// region asks for lines on its edges where it brings another material.
func (c *collector) region(l *stack.Layer, r *stack.Region) {
	if r.Fill == nil && r.Material == l.Material {
		return
	}
	lo, hi := c.extent(r.Rect)
	c.add(r.Rect, (hi-lo)/acrossSource, regionEdge)
}

func (c *collector) power(l *stack.Layer, p *stack.Power) {
	lo, hi := c.extent(p.Area)
	switch {
	case p.Map != nil:
		tiles := [2]int{p.Map.NX, p.Map.NY}[c.axis]
		c.add(p.Area, max((hi-lo)/float64(tiles), (hi-lo)/acrossMap), poweredEdge)
	case len(p.Blocks) > 0:
		for b := range p.Blocks {
			c.block(l, p, &p.Blocks[b])
		}
	case p.Uniform != 0 || p.Leakage.Watts != 0:
		c.source(l, p.Area)
	}
}

func (c *collector) block(l *stack.Layer, p *stack.Power, b *stack.Block) {
	parts := b.Rects
	for _, shape := range b.Shapes {
		parts = append(parts[:len(parts):len(parts)], stack.Around(shape))
	}
	for _, r := range parts {
		if b.Watts == 0 && b.Leakage.Watts == 0 && p.Trace == nil {
			c.add(r, math.Inf(1), quietEdge)
			continue
		}
		c.source(l, r)
	}
}

// source asks for cells across a rectangle that heat is made in. In transients heat goes no further in a time step than
// the square root of the diffusivity times the step.
func (c *collector) source(l *stack.Layer, r stack.Rect) {
	lo, hi := c.extent(r)
	size := (hi - lo) / acrossSource
	if depth := penetration(c.s, l, c.axis); depth > 0 {
		size = min(size, max(depth, (hi-lo)/thinnestSkin))
	}
	c.add(r, size, poweredEdge)
}

// penetration is how far in m heat goes in a time step in the material of a layer; 0 where the stack gives no step.
func penetration(s *stack.Stack, l *stack.Layer, axis int) float64 {
	m := &s.Materials[l.Material]
	return math.Sqrt(m.K[axis] / m.C * s.Transient.Dt)
}
