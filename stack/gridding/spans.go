package gridding

import (
	"math"
	"slices"

	"thermsim/stack"
)

// Span is a stretch of an axis, in m, that needs cells of at most size. Lines snap to its ends.
type Span struct {
	Lo, Hi, Size float64
	rank         rank
}

// rank orders edges: if two are too close for separate lines, the one of lower rank gets the line.
type rank int

const (
	domainEdge rank = iota
	poweredEdge
	regionEdge
	quietEdge // of a block without power
)

// resolution is the number of cells across a part of a stack.
type resolution struct {
	domain float64
	source float64
	region float64 // of another material
	power  float64 // across the area of all blocks of a power; 0 for any number
	tiles  float64 // across a power map, unless its tiles are larger
}

// Resolution of the first grid, which finer ones refine.
const (
	AcrossSource = 2
	AcrossDomain = 8
	thinnestSkin = 16 // maximum number of cells across a source if a time step needs smaller ones.
)

var first = resolution{domain: AcrossDomain, source: AcrossSource, region: 2, tiles: 64}

// Spans lists the spans along an axis, 0 for x and 1 for y.
func Spans(s *stack.Stack, axis int) []Span { return first.spans(s, axis) }

func (n *resolution) spans(s *stack.Stack, axis int) []Span {
	c := collector{s: s, axis: axis, across: n}
	c.add(s.Domain(), s.Size[axis]/n.domain, domainEdge)
	for l := range s.Layers {
		layer := &s.Layers[l]
		uniform := true
		for r := range layer.Regions {
			part := &layer.Regions[r]
			if uniform = uniform && part.Fill == nil && part.Material == layer.Material; !uniform {
				c.region(part)
			}
		}
		for p := range layer.Powers {
			c.power(layer, &layer.Powers[p])
		}
	}
	return c.spans
}

// Sources lists the spans of the heat sources along an axis.
func Sources(s *stack.Stack, axis int) []Span {
	return slices.DeleteFunc(Spans(s, axis), func(p Span) bool { return p.rank != poweredEdge })
}

type collector struct {
	s      *stack.Stack
	axis   int
	across *resolution
	spans  []Span
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
		c.spans = append(c.spans, Span{lo, hi, size, of})
	}
}

// region adds a span for a region in a layer of several materials.
func (c *collector) region(r *stack.Region) {
	lo, hi := c.extent(r.Rect)
	c.add(r.Rect, (hi-lo)/c.across.region, regionEdge)
}

func (c *collector) power(l *stack.Layer, p *stack.Power) {
	lo, hi := c.extent(p.Area)
	if c.across.power > 0 {
		c.add(p.Area, (hi-lo)/c.across.power, regionEdge)
	}
	switch {
	case p.Map != nil:
		tiles := [2]int{p.Map.NX, p.Map.NY}[c.axis]
		c.add(p.Area, max((hi-lo)/float64(tiles), (hi-lo)/c.across.tiles), poweredEdge)
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

// source adds a span for a heated rectangle. In a transient, the penetration depth in a time step is the square root of
// the diffusivity times the step.
func (c *collector) source(l *stack.Layer, r stack.Rect) {
	lo, hi := c.extent(r)
	size := (hi - lo) / c.across.source
	if depth := penetration(c.s, l, c.axis); depth > 0 {
		size = min(size, max(depth, (hi-lo)/thinnestSkin))
	}
	c.add(r, size, poweredEdge)
}

// penetration is the penetration depth in m of a time step in the material of a layer; 0 if the stack has no time step.
func penetration(s *stack.Stack, l *stack.Layer, axis int) float64 {
	m := &s.Materials[l.Material]
	return math.Sqrt(m.K[axis] / m.C * s.Transient.Dt)
}
