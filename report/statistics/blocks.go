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
