package statistics

import (
	"slices"

	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/geometry"
)

// Block is a block of the stack on the grid.
type Block struct {
	footprint
	Name  string
	Area  float64 // m2, as drawn
	Power *stack.Power
	Index int // in power.Blocks
}

// NewBlocks lays every block of the stack on the grid.
func NewBlocks(m *mesh.Mesh) []*Block {
	var blocks []*Block
	for l := range m.Stack.Layers {
		for p := range m.Stack.Layers[l].Powers {
			power := &m.Stack.Layers[l].Powers[p]
			for b := range power.Blocks {
				drawn := &power.Blocks[b]
				s := &Block{footprint: footprint{Layer: l, shown: drawn.Rects, shapes: drawn.Shapes}, Name: drawn.Name,
					Area: drawn.Area(), Power: power, Index: b}
				blocks = append(blocks, s)
			}
		}
	}
	return blocks
}

// BlockAt names the block of the layer that covers most of cell (i, j), or "".
func BlockAt(m *mesh.Mesh, layer, i, j int) string {
	return newLocator(m).Place(i, j, m.LayerPlanes[layer][0]).Block
}

// regionAt names the region of the layer that the middle of cell (i, j) lies in, or of other shapes half of the cell,
// or "".
func regionAt(m *mesh.Mesh, layer, i, j int) string {
	x, y := (m.X[i]+m.X[i+1])/2, (m.Y[j]+m.Y[j+1])/2
	for _, r := range slices.Backward(m.Stack.Layers[layer].Regions) {
		if r.Shape != nil {
			box := geometry.Box{X0: m.X[i], Y0: m.Y[j], X1: m.X[i+1], Y1: m.Y[j+1]}
			if 2*geometry.Within(r.Shape, box) >= m.DX(i)*m.DY(j) {
				return r.Name
			}
			continue
		}
		if x >= r.X && x <= r.X+r.Width && y >= r.Y && y <= r.Y+r.Height {
			return r.Name
		}
	}
	return ""
}

// What covers an area is cut into this many strips where it is no rectangle: a circle's area is then good to 0.3 %, a
// polygon's exact. Of very many shapes there are fewer strips each.
const (
	stripsOfArea = 32
	mostStrips   = 1 << 20
)

// areaStrips are the rectangles of a shape that is one of so many.
func areaStrips(shape geometry.Shape, among int) []stack.Rect {
	n := max(2, min(stripsOfArea, mostStrips/max(1, among)))
	return stack.Outline(shape, stack.Around(shape).Height/float64(n))
}

// regionArea is the rectangles that a region, one of so many, covers.
func regionArea(r *stack.Region, among int) []stack.Rect {
	if r.Shape == nil {
		return []stack.Rect{r.Rect}
	}
	return areaStrips(r.Shape, among)
}

// blockArea is the rectangles that a block covers.
func blockArea(b *stack.Block) []stack.Rect {
	all := b.Rects
	for _, s := range b.Shapes {
		all = append(all[:len(all):len(all)], areaStrips(s, len(b.Shapes))...)
	}
	return all
}

// powerArea is the rectangles on which a uniform power or a map acts.
func powerArea(s *stack.Stack, p *stack.Power) []stack.Rect {
	switch {
	case p.Shape != nil:
		return areaStrips(p.Shape, 1)
	case p.Area == (stack.Rect{}):
		return []stack.Rect{s.Domain()}
	}
	return []stack.Rect{p.Area}
}

// areaOf is the sum of the areas of rectangles in m2.
func areaOf(rects []stack.Rect) float64 {
	sum := 0.0
	for _, r := range rects {
		sum += r.Area()
	}
	return sum
}
