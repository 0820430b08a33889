package verify

import (
	"slices"

	"thermsim/stack"
)

// mirrored is a copy of s with east and west exchanged.
func mirrored(s *stack.Stack) *stack.Stack {
	m := *s
	width := s.Size[0]
	flip := func(r stack.Rect) stack.Rect {
		r.X = width - r.X - r.Width
		return r
	}
	m.Boundary[stack.West], m.Boundary[stack.East] = s.Boundary[stack.East], s.Boundary[stack.West]
	m.Grid.X.Segments = mirroredSegments(s.Grid.X.Segments, width)
	m.Layers = slices.Clone(s.Layers)
	for l := range m.Layers {
		layer := &m.Layers[l]
		layer.Regions = slices.Clone(layer.Regions)
		for r := range layer.Regions {
			layer.Regions[r].Rect = flip(layer.Regions[r].Rect)
		}
		layer.Powers = slices.Clone(layer.Powers)
		for p := range layer.Powers {
			mirrorPower(&layer.Powers[p], flip)
		}
	}
	return &m
}

func mirrorPower(p *stack.Power, flip func(stack.Rect) stack.Rect) {
	p.Area = flip(p.Area)
	p.Blocks = slices.Clone(p.Blocks)
	for b := range p.Blocks {
		block := &p.Blocks[b]
		block.Rects = slices.Clone(block.Rects)
		for r := range block.Rects {
			block.Rects[r] = flip(block.Rects[r])
		}
	}
	if p.Map != nil {
		tiles := *p.Map
		tiles.Values = slices.Clone(tiles.Values)
		for j := range tiles.NY {
			slices.Reverse(tiles.Values[j*tiles.NX : (j+1)*tiles.NX])
		}
		p.Map = &tiles
	}
}

func mirroredSegments(segments []stack.Segment, length float64) []stack.Segment {
	var m []stack.Segment
	for i := len(segments) - 1; i >= 0; i-- {
		to := length
		if i > 0 {
			to = length - segments[i-1].To
		}
		m = append(m, stack.Segment{To: to, Cells: segments[i].Cells, Ratio: 1 / segments[i].Ratio})
	}
	return m
}
