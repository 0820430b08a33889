package ecxml

import (
	"cmp"
	"slices"

	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/heatsink"
)

// spaces lists for every layer the rectangles with solids both above and below, whose space between solids holds air.
// The remainder is open to the top or the bottom of the domain: it connects the heat transfer there to the surfaces
// below or above, as around packages on boards.
func (c *converter) spaces() [][]stack.Rect {
	layers := len(c.cuts) - 1
	above, enclosed := make([][]stack.Rect, layers), make([][]stack.Rect, layers)
	sorted := slices.SortedStableFunc(slices.Values(c.solids), func(a, b solid) int {
		return cmp.Compare(b.lo[2], a.lo[2])
	})
	seen := footprints{converter: c}
	for i := layers - 1; i >= 0; i-- {
		n := 0
		for n < len(sorted) && sorted[n].lo[2] >= c.cuts[i+1]-near {
			n++
		}
		seen.add(sorted[:n])
		above[i], sorted = seen.list, sorted[n:]
	}
	sorted = slices.SortedStableFunc(slices.Values(c.solids), func(a, b solid) int {
		return cmp.Compare(a.hi[2], b.hi[2])
	})
	seen.list = nil
	for i := range layers {
		n := 0
		for n < len(sorted) && sorted[n].hi[2] <= c.cuts[i]+near {
			n++
		}
		seen.add(sorted[:n])
		enclosed[i], sorted = c.between(above[i], seen.list), sorted[n:]
	}
	return enclosed
}

// footprints are rectangles of solids, without those inside others.
type footprints struct {
	*converter
	list []stack.Rect
}

// add makes a new list with the footprints of more solids.
func (f *footprints) add(solids []solid) {
	if len(solids) == 0 {
		return
	}
	f.list = slices.Clone(f.list)
	for i := range solids {
		rect := f.rect(&solids[i].box)
		if !slices.ContainsFunc(f.list, func(r stack.Rect) bool { return fills(r, rect) }) {
			f.list = slices.DeleteFunc(f.list, func(r stack.Rect) bool { return fills(rect, r) })
			f.list = append(f.list, rect)
		}
		if f.work += len(f.list); f.work > maxWork {
			f.parts = maxParts + 1 // it is refused
			return
		}
	}
	f.parts += len(f.list)
}

// between is the intersections of two lists.
func (c *converter) between(above, below []stack.Rect) (list []stack.Rect) {
	if c.work += len(above) * len(below); c.work > maxWork {
		c.parts = maxParts + 1
		return nil
	}
	for _, a := range above {
		for _, b := range below {
			x, y := max(a.X, b.X), max(a.Y, b.Y)
			r := stack.Rect{X: x, Y: y, Width: min(a.X+a.Width, b.X+b.Width) - x,
				Height: min(a.Y+a.Height, b.Y+b.Height) - y}
			if r.Width > near && r.Height > near && c.parts <= maxParts {
				c.parts++
				list = append(list, r)
			}
		}
	}
	return list
}

// space fills a layer with what is between its solids.
func (c *converter) space(y *stack.Layer, enclosed []stack.Rect, solids []*solid) {
	for _, r := range enclosed {
		if fills(r, c.Stack.Domain()) {
			y.Material = c.use(c.air)
			return
		}
	}
	y.Material = c.use(c.open)
	for _, r := range enclosed {
		hidden := slices.ContainsFunc(solids, func(b *solid) bool { return !b.round && fills(c.rect(&b.box), r) })
		if !hidden {
			y.Regions = append(y.Regions, stack.Region{Name: "air", Material: c.use(c.air), Rect: r})
		}
	}
}

// faces gives all faces of the domain natural convection, and radiation by the emissivity of the largest solid there.
// The edges of a flat stack are in the flow along it.
func (c *converter) faces() {
	s := c.Stack
	for f := range stack.Face(stack.NumFaces) {
		b := &s.Boundary[f]
		*b = stack.Boundary{Kind: stack.Convective, Temperature: s.Ambient}
		b.Length = s.Size[0] * s.Size[1] / (2 * (s.Size[0] + s.Size[1]))
		switch f {
		case stack.Bottom:
			b.Natural = heatsink.Down
		case stack.Top:
			b.Natural = heatsink.Up
		default:
			b.Natural, b.Length = heatsink.Vertical, max(b.Length, s.Height())
		}
		b.Emissivity = c.emissivity(f)
	}
	c.Note(importer.Adapted, stack.Pos{File: s.File, Line: 1, Col: 1}, "ECXML has no heat-transfer coefficients: all "+
		"faces get natural convection to %.4g K and the radiation of their largest solid; check [boundary]", s.Ambient)
}

// emissivity is that of the solid with the largest part in a face.
func (c *converter) emissivity(f stack.Face) float64 {
	axis, along := f.Across(), f.Along()
	area, value := 0.0, 0.0
	for i := range c.solids {
		b := &c.solids[i]
		distance := b.lo[axis] - c.domain.lo[axis]
		if f.High() {
			distance = c.domain.hi[axis] - b.hi[axis]
		}
		if a := b.size(along[0]) * b.size(along[1]); distance <= near && a >= area {
			area, value = a, b.material.emissivity
		}
	}
	return value
}
