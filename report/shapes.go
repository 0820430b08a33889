package report

import (
	"cmp"
	"slices"

	"thermsim/report/picture"
	"thermsim/report/webpage"
	"thermsim/stack"
	"thermsim/stack/geometry"
	"thermsim/stack/packaging"
)

// Shapes other than rectangles are drawn as strips. The height of a strip is one pixel of a large picture, or 1/160 of
// the height of a large shape.
const (
	stripsOfDomain = 1024
	stripsOfShape  = 160
)

func strip(s *stack.Stack, shape geometry.Shape) float64 {
	return max(s.Size[1]/stripsOfDomain, stack.Around(shape).Height/stripsOfShape)
}

// blockRects returns the rectangles of a block for pictures.
func blockRects(s *stack.Stack, b *stack.Block) []stack.Rect {
	rects := b.Rects
	for _, shape := range b.Shapes {
		rects = append(rects[:len(rects):len(rects)], shapeRects(s, shape)...)
	}
	return rects
}

// shapeRects returns the strips of a shape and the rectangle for its name: names are drawn in the largest rectangle of
// an outline.
func shapeRects(s *stack.Stack, shape geometry.Shape) []stack.Rect {
	rects := stack.Outline(shape, strip(s, shape))
	if r := geometry.LabelBox(shape); r.X1 > r.X0 {
		rects = append(rects, stack.Rect{X: r.X0, Y: r.Y0, Width: r.X1 - r.X0, Height: r.Y1 - r.Y0})
	}
	return rects
}

// regionRects returns the rectangles of a region for pictures.
func regionRects(s *stack.Stack, r *stack.Region) []stack.Rect {
	if r.Shape == nil {
		return []stack.Rect{r.Rect}
	}
	return shapeRects(s, r.Shape)
}

// pageBlocks returns the outlines of a layer's blocks for a page. The page draws the exact shapes and uses the strips
// to find the block under the pointer.
func pageBlocks(s *stack.Stack, layer int) []webpage.Outline {
	out := []webpage.Outline{}
	blocks := 0
	for p := range s.Layers[layer].Powers {
		blocks += len(s.Layers[layer].Powers[p].Blocks)
	}
	if blocks > mostOutlines {
		return out
	}
	for p := range s.Layers[layer].Powers {
		for b := range s.Layers[layer].Powers[p].Blocks {
			block := &s.Layers[layer].Powers[p].Blocks[b]
			out = append(out, webpage.Outline{Name: block.Name, Rects: blockRects(s, block), Shapes: block.Shapes})
		}
	}
	return out
}

// pageRegions returns the outlines of a layer's regions. There may be very many: a shape has one rectangle only, for
// its name.
func pageRegions(s *stack.Stack, layer int) []webpage.Outline {
	out := []webpage.Outline{}
	for i := range s.Layers[layer].Regions {
		r := &s.Layers[layer].Regions[i]
		if r.Shape == nil {
			out = append(out, webpage.Outline{Name: r.Name, Rects: []stack.Rect{r.Rect}, Open: open(s, r.Material)})
			continue
		}
		o := webpage.Outline{Name: r.Name, Shapes: []geometry.Shape{r.Shape}, Open: open(s, r.Material)}
		if r.Name != "" {
			room := geometry.LabelBox(r.Shape)
			o.Rects = []stack.Rect{{X: room.X0, Y: room.Y0, Width: room.X1 - room.X0, Height: room.Y1 - room.Y0}}
		}
		out = append(out, o)
	}
	return out
}

// gasK is above the conductivity of gases and below that of solids and liquids, W/(m K).
const gasK = 0.05

// open reports whether a material is open space or a gas, which a view of the package leaves out.
func open(s *stack.Stack, material int) bool {
	m := &s.Materials[material]
	return m.Name == packaging.OpenSpace || slices.Max(m.K[:]) < gasK
}

// pageLimits returns the parts of a layer with a tmax.
func pageLimits(s *stack.Stack, layer int) []webpage.Outline {
	var out []webpage.Outline
	add := func(tmax float64, rects func() []stack.Rect) {
		if tmax > 0 {
			out = append(out, webpage.Outline{Rects: rects(), TMax: tmax})
		}
	}
	l := &s.Layers[layer]
	for i := range l.Regions {
		add(l.Regions[i].TMax, func() []stack.Rect { return regionRects(s, &l.Regions[i]) })
	}
	for i := range l.Powers {
		p := &l.Powers[i]
		for b := range p.Blocks {
			add(cmp.Or(p.Blocks[b].TMax, p.TMax), func() []stack.Rect { return blockRects(s, &p.Blocks[b]) })
		}
		if len(p.Blocks) == 0 {
			add(p.TMax, func() []stack.Rect {
				if p.Shape != nil {
					return shapeRects(s, p.Shape)
				}
				return []stack.Rect{p.Area}
			})
		}
	}
	return out
}

// mostOutlines is the number of blocks above which the map of a layer has no outlines: they would cover it.
const mostOutlines = 50_000

// sectionBorders returns the borders between regions along a section in x (axis 0) or y (axis 1), at a coordinate of
// the other axis, except those that a later region covers.
func sectionBorders(s *stack.Stack, axis int, at float64) []picture.SectionBorder {
	var borders []picture.SectionBorder
	for l := range s.Layers {
		var cut [][2]float64
		for i := range slices.Backward(s.Layers[l].Regions) {
			own := stretches(s, &s.Layers[l].Regions[i], axis, at)
			for _, span := range own {
				for _, place := range span {
					hidden := func(later [2]float64) bool { return place > later[0] && place < later[1] }
					if !slices.ContainsFunc(cut, hidden) {
						borders = append(borders, picture.SectionBorder{Layer: l, At: place})
					}
				}
			}
			cut = append(cut, own...)
		}
	}
	return borders
}

// stretches returns the intervals of a region along a section. For shapes cut across their strips, they are intervals
// of strips.
func stretches(s *stack.Stack, r *stack.Region, axis int, at float64) [][2]float64 {
	if axis == 0 && r.Shape != nil {
		var out [][2]float64
		for span := range slices.Chunk(r.Shape.Spans(at), 2) {
			out = append(out, [2]float64{span[0], span[1]})
		}
		return out
	}
	rects := []stack.Rect{r.Rect}
	if r.Shape != nil {
		rects = stack.Outline(r.Shape, strip(s, r.Shape))
	}
	var out [][2]float64
	for _, q := range rects {
		from, to, inside := q.X, q.X+q.Width, at >= q.Y && at < q.Y+q.Height
		if axis == 1 {
			from, to, inside = q.Y, q.Y+q.Height, at >= q.X && at < q.X+q.Width
		}
		if inside {
			out = append(out, [2]float64{from, to})
		}
	}
	return joined(out)
}

// joined merges intervals that touch or overlap.
func joined(all [][2]float64) [][2]float64 {
	slices.SortFunc(all, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	var out [][2]float64
	for _, s := range all {
		if n := len(out); n > 0 && s[0] <= out[n-1][1]+1e-12 {
			out[n-1][1] = max(out[n-1][1], s[1])
			continue
		}
		out = append(out, s)
	}
	return out
}
