package statistics

import (
	"math"
	"slices"

	"thermsim/mesh"
	"thermsim/report/summary"
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

// NewBlocks maps every block of the stack to the grid.
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

// BlockAt returns the name of the block of the layer that covers most of cell (i, j), or "".
func BlockAt(m *mesh.Mesh, layer, i, j int) string {
	return newLocator(m).Place(i, j, m.LayerPlanes[layer][0]).Block
}

// regionAt returns the name of the region that contains the center of cell (i, j), or for other shapes half of the
// cell, or "".
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

// Shapes other than rectangles are divided into this number of strips: the area of a circle is then exact to 0.3 %, and
// that of a polygon exact. If there are very many shapes, each has fewer strips.
const (
	stripsOfArea = 32
	mostStrips   = 1 << 20
)

// areaStrips returns the strips of a shape; among is the number of shapes.
func areaStrips(shape geometry.Shape, among int) []stack.Rect {
	n := max(2, min(stripsOfArea, mostStrips/max(1, among)))
	return stack.Outline(shape, stack.Around(shape).Height/float64(n))
}

// regionArea returns the rectangles that a region covers; among is the number of regions.
func regionArea(r *stack.Region, among int) []stack.Rect {
	if r.Shape == nil {
		return []stack.Rect{r.Rect}
	}
	return areaStrips(r.Shape, among)
}

// blockArea returns the rectangles that a block covers.
func blockArea(b *stack.Block) []stack.Rect {
	all := b.Rects
	for _, s := range b.Shapes {
		all = append(all[:len(all):len(all)], areaStrips(s, len(b.Shapes))...)
	}
	return all
}

// powerArea returns the rectangles of a uniform power or a map.
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

// locator finds the layer, block and region of a cell. It caches the results, and tests only the blocks near a cell,
// because a million blocks have their maxima in few cells.
type locator struct {
	mesh   *mesh.Mesh
	layers map[int]*blockBins
	known  map[[3]int]located // by layer, i and j
}

// located holds the names of the block and region of a cell.
type located struct{ block, region string }

func newLocator(m *mesh.Mesh) *locator {
	return &locator{m, map[int]*blockBins{}, map[[3]int]located{}}
}

// PlaceOf returns the location of cell (i, j, k).
func PlaceOf(m *mesh.Mesh, i, j, k int) summary.Place { return newLocator(m).Place(i, j, k) }

// Place returns the location of cell (i, j, k).
func (l *locator) Place(i, j, k int) summary.Place {
	m := l.mesh
	layer := m.Planes[k].Layer
	at := [3]int{layer, i, j}
	n, ok := l.known[at]
	if !ok {
		if l.layers[layer] == nil {
			l.layers[layer] = binBlocks(&m.Stack.Layers[layer], m.Stack.Domain())
		}
		box := geometry.Box{X0: m.X[i], Y0: m.Y[j], X1: m.X[i+1], Y1: m.Y[j+1]}
		n = located{l.layers[layer].most(box), regionAt(m, layer, i, j)}
		l.known[at] = n
	}
	return summary.Place{
		XM: (m.X[i] + m.X[i+1]) / 2, YM: (m.Y[j] + m.Y[j+1]) / 2, ZM: (m.Z[k] + m.Z[k+1]) / 2,
		Layer: m.Stack.Layers[layer].Name, Block: n.block, Region: n.region,
	}
}

// blockBins holds the blocks of a layer in bins in x and y by their bounding boxes.
type blockBins struct {
	blocks []*stack.Block
	domain stack.Rect
	n      int       // bins along each axis
	bins   [][]int32 // numbers of blocks, ascending; x fastest
}

// binBlocks chooses about one bin per block, fewer if blocks overlap many bins each.
func binBlocks(y *stack.Layer, domain stack.Rect) *blockBins {
	b := &blockBins{domain: domain}
	for p := range y.Powers {
		for i := range y.Powers[p].Blocks {
			b.blocks = append(b.blocks, &y.Powers[p].Blocks[i])
		}
	}
	const most, perBlock = 1024, 8
	for b.n = min(most, int(math.Sqrt(float64(len(b.blocks))))+1); b.n > 1; b.n /= 2 {
		entries := 0
		for _, of := range b.blocks {
			i0, i1, j0, j1 := b.span(around(of))
			entries += (i1 - i0 + 1) * (j1 - j0 + 1)
		}
		if entries <= perBlock*len(b.blocks) {
			break
		}
	}
	b.bins = make([][]int32, b.n*b.n)
	for n, of := range b.blocks {
		b.each(around(of), func(bin int) { b.bins[bin] = append(b.bins[bin], int32(n)) })
	}
	return b
}

// around is the bounding box of a block.
func around(of *stack.Block) geometry.Box {
	box := geometry.Box{X0: math.Inf(1), Y0: math.Inf(1), X1: math.Inf(-1), Y1: math.Inf(-1)}
	add := func(r stack.Rect) {
		box.X0, box.Y0 = min(box.X0, r.X), min(box.Y0, r.Y)
		box.X1, box.Y1 = max(box.X1, r.X+r.Width), max(box.Y1, r.Y+r.Height)
	}
	for _, r := range of.Rects {
		add(r)
	}
	for _, s := range of.Shapes {
		add(stack.Around(s))
	}
	return box
}

// span is the range of bins that a box overlaps.
func (b *blockBins) span(box geometry.Box) (i0, i1, j0, j1 int) {
	bin := func(at, from, length float64) int {
		return int(min(max((at-from)/length*float64(b.n), 0), float64(b.n-1)))
	}
	d := b.domain
	return bin(box.X0, d.X, d.Width), bin(box.X1, d.X, d.Width), bin(box.Y0, d.Y, d.Height), bin(box.Y1, d.Y, d.Height)
}

func (b *blockBins) each(box geometry.Box, do func(bin int)) {
	i0, i1, j0, j1 := b.span(box)
	for j := j0; j <= j1; j++ {
		for i := i0; i <= i1; i++ {
			do(j*b.n + i)
		}
	}
}

// most returns the name of the block that covers most of a box, the first of equal ones, or "".
func (b *blockBins) most(box geometry.Box) string {
	best, area := -1, 0.0
	b.each(box, func(bin int) {
		for _, n := range b.bins[bin] {
			if a := covered(b.blocks[n], box); a > area || a == area && a > 0 && int(n) < best {
				best, area = int(n), a
			}
		}
	})
	if best < 0 {
		return ""
	}
	return b.blocks[best].Name
}

// covered is the area in m2 of the part of a box that a block covers.
func covered(of *stack.Block, box geometry.Box) float64 {
	area := 0.0
	for _, r := range of.Rects {
		w := min(box.X1, r.X+r.Width) - max(box.X0, r.X)
		h := min(box.Y1, r.Y+r.Height) - max(box.Y0, r.Y)
		area += max(w, 0) * max(h, 0)
	}
	for _, shape := range of.Shapes {
		area += geometry.Within(shape, box)
	}
	return area
}
