package report

import (
	"math"

	"thermsim/geometry"
	"thermsim/mesh"
	"thermsim/powermap"
	"thermsim/stack"
)

// span is the cells that an interval covers along one axis: first..first+len(w)-1 with the covered length of each in m.
type span struct {
	first int
	w     []float64
}

// cover cuts [a, b] by the cell faces, the way the power map does: a block that ends on a face does not touch the next cell.
func cover(faces []float64, a, b float64) span {
	a, b = max(a, faces[0]), min(b, faces[len(faces)-1])
	first, w := powermap.Overlap(faces, a, b, nil)
	for i := range w {
		w[i] *= b - a
	}
	return span{first, w}
}

// tile is one rectangle of a block on the grid.
type tile struct{ x, y span }

// blockStats gathers the temperatures of one block plane by plane.
type blockStats struct {
	layer    int
	name     string
	area     float64 // m2, of the block as drawn
	power    *stack.Power
	index    int // in power.Blocks
	tiles    []tile
	min, max float64
	sum, vol float64 // integral of T dV, and V
}

// newBlocks lays every block of the stack on the grid.
func newBlocks(m *mesh.Mesh) []*blockStats {
	var blocks []*blockStats
	for l := range m.Stack.Layers {
		for p := range m.Stack.Layers[l].Powers {
			power := &m.Stack.Layers[l].Powers[p]
			for b := range power.Blocks {
				block := &power.Blocks[b]
				s := &blockStats{layer: l, name: block.Name, area: block.Area(), power: power, index: b}
				for _, r := range block.Rects {
					t := tile{cover(m.X, r.X, r.X+r.Width), cover(m.Y, r.Y, r.Y+r.Height)}
					if len(t.x.w) > 0 && len(t.y.w) > 0 {
						s.tiles = append(s.tiles, t)
					}
				}
				for _, shape := range block.Shapes {
					s.tiles = append(s.tiles, rowTiles(m, shape)...)
				}
				s.reset()
				blocks = append(blocks, s)
			}
		}
	}
	return blocks
}

// rowTiles is a shape on the grid, a tile for every row of cells.
func rowTiles(m *mesh.Mesh, shape geometry.Shape) []tile {
	var tiles []tile
	for _, r := range powermap.Rows(powermap.Grid{X: m.X, Y: m.Y}, shape) {
		dy := m.DY(r.J)
		x := span{r.I, r.Areas}
		for i := range x.w {
			x.w[i] /= dy
		}
		tiles = append(tiles, tile{x, span{r.J, []float64{dy}}})
	}
	return tiles
}

func (b *blockStats) reset() {
	b.min, b.max, b.sum, b.vol = math.Inf(1), math.Inf(-1), 0, 0
}

// add takes in a plane of thickness dz and nx cells per row.
func (b *blockStats) add(plane []float64, nx int, dz float64) {
	for _, t := range b.tiles {
		for j, wy := range t.y.w {
			from := (t.y.first+j)*nx + t.x.first
			row := plane[from : from+len(t.x.w)]
			sum, vol := 0.0, 0.0
			for i, v := range row {
				if v-v != 0 || t.x.w[i] == 0 { // not finite: left out, as everywhere; or beside a shape
					continue
				}
				sum += v * t.x.w[i]
				vol += t.x.w[i]
				b.max = max(b.max, v)
				b.min = min(b.min, v)
			}
			b.sum += sum * wy * dz
			b.vol += vol * wy * dz
		}
	}
}

// result is min, average and max; NaN where the block covers nothing.
func (b *blockStats) result() (lo, avg, hi float64) {
	if b.vol == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return b.min, b.sum / b.vol, b.max
}

// blockAt names the block of the layer that covers most of cell (i, j), or "".
func blockAt(m *mesh.Mesh, layer, i, j int) string {
	name, most := "", 0.0
	for p := range m.Stack.Layers[layer].Powers {
		for b := range m.Stack.Layers[layer].Powers[p].Blocks {
			block := &m.Stack.Layers[layer].Powers[p].Blocks[b]
			area := 0.0
			for _, r := range block.Rects {
				w := min(m.X[i+1], r.X+r.Width) - max(m.X[i], r.X)
				h := min(m.Y[j+1], r.Y+r.Height) - max(m.Y[j], r.Y)
				area += max(w, 0) * max(h, 0)
			}
			for _, shape := range block.Shapes {
				area += geometry.Within(shape, geometry.Box{X0: m.X[i], Y0: m.Y[j], X1: m.X[i+1], Y1: m.Y[j+1]})
			}
			if area > most {
				name, most = block.Name, area
			}
		}
	}
	return name
}
