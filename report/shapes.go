package report

import (
	"cmp"
	"slices"

	"thermsim/report/picture"
	"thermsim/report/webpage"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// What draws rectangles draws other shapes as strips: as high as a pixel of a large picture, or of large shapes as a
// 160th of their height.
const (
	stripsOfDomain = 1024
	stripsOfShape  = 160
)

func strip(s *stack.Stack, shape geometry.Shape) float64 {
	return max(s.Size[1]/stripsOfDomain, stack.Around(shape).Height/stripsOfShape)
}

// blockRects are the rectangles that stand for a block in pictures.
func blockRects(s *stack.Stack, b *stack.Block) []stack.Rect {
	rects := b.Rects
	for _, shape := range b.Shapes {
		rects = append(rects[:len(rects):len(rects)], shapeRects(s, shape)...)
	}
	return rects
}

// shapeRects are the strips of a shape, and the room for its name, since names stand in the largest rectangle of an
// outline.
func shapeRects(s *stack.Stack, shape geometry.Shape) []stack.Rect {
	rects := stack.Outline(shape, strip(s, shape))
	if r := geometry.Room(shape); r.X1 > r.X0 {
		rects = append(rects, stack.Rect{X: r.X0, Y: r.Y0, Width: r.X1 - r.X0, Height: r.Y1 - r.Y0})
	}
	return rects
}

// regionRects are the rectangles that stand for a region in pictures.
func regionRects(s *stack.Stack, r *stack.Region) []stack.Rect {
	if r.Shape == nil {
		return []stack.Rect{r.Rect}
	}
	return shapeRects(s, r.Shape)
}

// pageBlocks are the outlines of a layer's blocks on a page, which draws shapes as they are; strips tell it what lies
// under the pointer.
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

// pageRegions are those of its regions, of which there may be very many: of a shape one rectangle is enough, the room
// for its name.
func pageRegions(s *stack.Stack, layer int) []webpage.Outline {
	out := []webpage.Outline{}
	for i := range s.Layers[layer].Regions {
		r := &s.Layers[layer].Regions[i]
		if r.Shape == nil {
			out = append(out, webpage.Outline{Name: r.Name, Rects: []stack.Rect{r.Rect}})
			continue
		}
		o := webpage.Outline{Name: r.Name, Shapes: []geometry.Shape{r.Shape}}
		if r.Name != "" {
			room := geometry.Room(r.Shape)
			o.Rects = []stack.Rect{{X: room.X0, Y: room.Y0, Width: room.X1 - room.X0, Height: room.Y1 - room.Y0}}
		}
		out = append(out, o)
	}
	return out
}

// pageLimits are the parts of a layer that have a highest temperature of their own.
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

// mostOutlines of blocks are drawn on the map of a layer; more would cover it, and take longer than the map.
const mostOutlines = 50_000

// sectionBorders are where a section along x (axis 0) or y (axis 1), at a place of the other axis, passes from one
// region to another: not where a later region covers the border.
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

// stretches are what a section cuts of a region. Across shapes, they are those of its strips.
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

// joined puts stretches that meet together.
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
