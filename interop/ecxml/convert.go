package ecxml

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"thermsim/internal/printable"
	"thermsim/interop/importer"
	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/stackfile"
)

// converter makes a stack of the objects of a model.
type converter struct {
	*reader
	domain box       // of the stack
	cuts   []float64 // heights at which layers begin or end, ascending
	parts  int       // regions, blocks and footprints so far
	work   int       // comparisons of footprints so far
	// The space between solids: air, and what connects faces of the domain to the surfaces below.
	air, open *material
	names     importer.Names
}

// near is the distance in m below which heights are equal, as in package packaging.
const near = 1e-9

func convert(r *reader, root *element) {
	c := &converter{reader: r, names: importer.Names{}, air: r.library("air"),
		open: &material{Material: stackfile.OpenSpaceMaterial()}}
	s := c.Stack
	s.Ambient = c.ambient
	if n := root.child("name"); n != nil && stack.TitleFault(n.value()) == "" && n.value() != "" {
		s.Title = n.value()
	}
	c.flatSources()
	if !c.bounds() {
		return
	}
	s.Size = [2]float64{c.domain.size(0), c.domain.size(1)}
	s.Grid.Auto = stack.DefaultAutoGrid()
	c.cut()
	if n := len(c.cuts) - 1; n > stack.MaxLayers || float64(n)*float64(len(c.solids)+len(c.sources)) > 2e8 {
		c.Faults.Add(c.solids[0].pos, "simplify the model", "%d solids and %d sources make %d layers, which is too "+
			"many", len(c.solids), len(c.sources), n)
		return
	}
	spaces := c.spaces()
	for i := 1; i < len(c.cuts) && c.parts <= maxParts; i++ {
		c.layer(c.cuts[i-1], c.cuts[i], spaces[i-1])
	}
	if c.parts > maxParts {
		c.Faults.Add(c.solids[0].pos, "simplify the model", "the layers have more than %d parts", maxParts)
		return
	}
	c.monitorPoints()
	if c.restored(root.instruction) {
		return
	}
	c.faces()
}

// flatSources gives sources without thickness that of transistors, in the solid below or else in the one above.
func (c *converter) flatSources() {
	for i := range c.sources {
		s := &c.sources[i]
		if s.flat == 0 {
			continue
		}
		axis := s.flat - 1
		p := [3]float64{(s.lo[0] + s.hi[0]) / 2, (s.lo[1] + s.hi[1]) / 2, (s.lo[2] + s.hi[2]) / 2}
		p[axis] -= stack.DefaultPowerDepth / 2
		if slices.ContainsFunc(c.solids, func(b solid) bool { return b.contains(p) }) {
			s.lo[axis] -= stack.DefaultPowerDepth
		} else {
			s.hi[axis] += stack.DefaultPowerDepth
		}
	}
}

func (b *box) contains(p [3]float64) bool {
	for i := range p {
		if p[i] < b.lo[i]-near || p[i] > b.hi[i]+near {
			return false
		}
	}
	return true
}

// bounds sets the domain to the box around all solids, within the domain of the solution, and cuts objects there.
func (c *converter) bounds() bool {
	if len(c.solids) == 0 {
		c.Faults.Add(stack.Pos{File: c.Request.Files[0], Line: 1, Col: 1}, "add a <solid3dBlock>", "the model has no "+
			"solid")
		return false
	}
	c.domain = c.solids[0].box
	for _, s := range c.solids {
		for i := range 3 {
			c.domain.lo[i], c.domain.hi[i] = min(c.domain.lo[i], s.lo[i]), max(c.domain.hi[i], s.hi[i])
		}
	}
	if d := c.reader.domain; d != nil {
		c.domain.within(*d)
	}
	for i := range 3 {
		if !(c.domain.size(i) > near) {
			c.Faults.Add(c.solids[0].pos, "", "the solids within the solution domain have no extent along %c", "xyz"[i])
			return false
		}
	}
	c.solids = slices.DeleteFunc(c.solids, func(s solid) bool { return c.outside("solid", s.name, s.pos, s.box) })
	c.sources = slices.DeleteFunc(c.sources, func(s source) bool { return c.outside("source", s.name, s.pos, s.box) })
	for i := range c.solids {
		c.solids[i].within(c.domain)
	}
	for i := range c.sources {
		c.sources[i].within(c.domain)
	}
	return true
}

// within cuts a box at another.
func (b *box) within(other box) {
	for i := range 3 {
		b.lo[i], b.hi[i] = max(b.lo[i], other.lo[i]), min(b.hi[i], other.hi[i])
	}
}

// outside reports whether a box has no part in the domain, and notes what is cut.
func (c *converter) outside(what, name string, pos stack.Pos, b box) bool {
	cut := b
	cut.within(c.domain)
	for i := range 3 {
		if !(cut.size(i) > near) {
			c.Note(importer.Warning, pos, "%s %.40q lies outside of the solids or of the solution domain; it is "+
				"dropped", what, name)
			return true
		}
	}
	for i := range 3 {
		if cut.lo[i]-b.lo[i] > near || b.hi[i]-cut.hi[i] > near {
			c.Note(importer.Warning, pos, "%s %.40q extends beyond the solids or the solution domain; it is cut, with "+
				"all its power inside", what, name)
			break
		}
	}
	return false
}

// cut collects the heights of all faces.
func (c *converter) cut() {
	for _, s := range c.solids {
		c.cuts = append(c.cuts, s.lo[2], s.hi[2])
	}
	for _, s := range c.sources {
		c.cuts = append(c.cuts, s.lo[2], s.hi[2])
	}
	slices.Sort(c.cuts)
	c.cuts = slices.CompactFunc(c.cuts, func(a, b float64) bool { return math.Abs(a-b) <= near })
}

// covers reports whether a box covers a layer over its whole height.
func (b *box) covers(z0, z1 float64) bool { return b.lo[2] <= z0+near && b.hi[2] >= z1-near }

// rect is the footprint of a box in the stack.
func (c *converter) rect(b *box) stack.Rect {
	return stack.Rect{X: b.lo[0] - c.domain.lo[0], Y: b.lo[1] - c.domain.lo[1], Width: b.size(0), Height: b.size(1)}
}

// fills reports whether a rectangle covers another, except for rounding.
func fills(r, area stack.Rect) bool {
	return r.X <= area.X+near && r.Y <= area.Y+near && r.X+r.Width >= area.X+area.Width-near &&
		r.Y+r.Height >= area.Y+area.Height-near
}

// layer appends the layer between two heights: the last solid that covers it all, or else the space between solids,
// with regions for what lies over that.
func (c *converter) layer(z0, z1 float64, space []stack.Rect) {
	s := c.Stack
	var inside []*solid
	whole := false
	for i := range c.solids {
		b := &c.solids[i]
		if !b.covers(z0, z1) {
			continue
		}
		if !b.round && fills(c.rect(&b.box), s.Domain()) {
			inside, whole = inside[:0], true
		}
		inside = append(inside, b)
	}
	y := stack.Layer{Thickness: z1 - z0, Cells: 2} // unless the grid is chosen
	if y.Thickness <= 2*stack.DefaultPowerDepth {
		y.Cells = 1
	}
	c.powers(&y, z0, z1)
	if whole {
		y.Material, y.Pos = c.use(inside[0].material), inside[0].pos
		y.Name = c.names.Distinct(inside[0].name, "layer")
		inside = inside[1:]
	} else {
		y.Name = c.names.Distinct(notable(inside, y.Powers), "layer")
		c.space(&y, space, inside)
	}
	for _, b := range inside {
		region := stack.Region{Name: importer.Label(b.name, ""), Material: c.use(b.material), Rect: c.rect(&b.box),
			Pos: b.pos}
		if b.round {
			region.Shape = round(region.Rect)
			region.Rect = stack.Around(region.Shape)
		}
		y.Regions = append(y.Regions, region)
	}
	c.parts += len(y.Regions)
	c.Comments.Layers[len(s.Layers)] = []string{fmt.Sprintf("z = %g m to %g m of the model", z0, z1)}
	s.Layers = append(s.Layers, y)
}

// notable is the name of the strongest source of a layer, or of the solid with the largest footprint; empty if there is
// neither.
func notable(solids []*solid, powers []stack.Power) string {
	if len(powers) > 0 {
		weaker := func(a, b stack.Block) int { return cmp.Compare(a.Watts, b.Watts) }
		return slices.MaxFunc(powers[0].Blocks, weaker).Name
	}
	if len(solids) == 0 {
		return ""
	}
	return slices.MaxFunc(solids, func(a, b *solid) int {
		return cmp.Compare(a.size(0)*a.size(1), b.size(0)*b.size(1))
	}).name
}

// round is the circle in a rectangle, or the ellipse as a polygon.
func round(r stack.Rect) geometry.Shape {
	x, y := r.X+r.Width/2, r.Y+r.Height/2
	if math.Abs(r.Width-r.Height) <= near {
		return geometry.Circle{X: x, Y: y, Diameter: r.Width}
	}
	const corners = 64
	var p geometry.Polygon
	for i := range corners {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		p = append(p, geometry.Point{X: x + r.Width/2*cos, Y: y + r.Height/2*sin})
	}
	return p
}

// powers gives a layer the sources in it, each with its part of their height.
func (c *converter) powers(y *stack.Layer, z0, z1 float64) {
	var blocks []stack.Block
	names := map[string]bool{}
	for i := range c.sources {
		s := &c.sources[i]
		if !s.covers(z0, z1) {
			continue
		}
		b := stack.Block{Name: importer.Label(s.name, "source"), Watts: s.watts * ((z1 - z0) / s.size(2)), Pos: s.pos}
		if s.round {
			b.Shapes = []geometry.Shape{round(c.rect(&s.box))}
		} else {
			b.Rects = []stack.Rect{c.rect(&s.box)}
		}
		if n := len(blocks) - 1; n >= 0 && sameBlock(&blocks[n], &b) {
			blocks[n].Rects, blocks[n].Watts = append(blocks[n].Rects, b.Rects...), blocks[n].Watts+b.Watts
			continue
		}
		blocks = append(blocks, b)
	}
	for i := range blocks {
		b := &blocks[i]
		b.Name = printable.Distinct(b.Name, func(s string) bool { return names[s] })
		names[b.Name] = true
		c.parts += len(b.Rects)
	}
	if len(blocks) > 0 {
		y.PowerAt = stack.HeatedVolume
		y.Powers = []stack.Power{{Area: c.Stack.Domain(), Blocks: blocks, AllowOverlap: overlap(blocks),
			Pos: blocks[0].Pos}}
	}
}

// sameBlock reports whether b is a further rectangle of a block: of the same name and power density.
func sameBlock(a, b *stack.Block) bool {
	return a.Name == b.Name && len(a.Rects) > 0 && len(b.Rects) > 0 &&
		math.Abs(a.Watts*b.Area()-b.Watts*a.Area()) <= 1e-9*a.Watts*b.Area()
}

// overlap reports whether sources overlap, whose powers then add.
func overlap(blocks []stack.Block) bool {
	var all []stack.Rect
	for i := range blocks {
		all = append(all, blocks[i].Bounds()...)
	}
	_, _, found := importer.FirstOverlap(all, func(r *stack.Rect) stack.Rect { return *r })
	return found
}

// monitorPoints become probes.
func (c *converter) monitorPoints() {
	names := map[string]bool{}
	for _, p := range c.probes {
		at := [3]float64{p.X, p.Y, p.Z}
		if !c.domain.contains(at) {
			c.Note(importer.Warning, p.Pos, "monitor point %.40q lies in the air around the solids; it is dropped",
				p.Name)
			continue
		}
		p.Name = printable.Distinct(importer.Label(p.Name, "probe"), func(s string) bool { return names[s] })
		names[p.Name] = true
		p.X, p.Y, p.Z = p.X-c.domain.lo[0], p.Y-c.domain.lo[1], min(p.Z-c.domain.lo[2], c.Stack.Height())
		c.Stack.Probes = append(c.Stack.Probes, p)
	}
}
