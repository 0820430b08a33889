package powermap

import "thermsim/stack"

// draw adds the watts of s at a strength to dst, W per cell, x fastest.
//
// Overlap areas are separable, so nothing is stored per covered cell: a rectangle costs its two 1-D overlaps and one
// multiply-add per cell it covers.
func (s *source) draw(g Grid, strength, dst []float64) {
	switch {
	case s.power.Map != nil:
		drawTiles(g, s.area, s.power.Map, strength[0], dst)
	case len(s.power.Blocks) > 0:
		var p pen
		for i := range s.power.Blocks {
			if strength[i] != 0 {
				p.block(g, &s.power.Blocks[i], strength[i], dst)
			}
		}
	default:
		var p pen
		p.rect(g, s.area, strength[0], dst)
	}
}

// pen draws rectangles and keeps its buffers between them.
type pen struct{ x, y, areas []float64 }

// block shares watts among the rectangles of b by area.
func (p *pen) block(g Grid, b *stack.Block, watts float64, dst []float64) {
	p.areas = p.areas[:0]
	for _, r := range b.Rects {
		p.areas = append(p.areas, r.Area())
	}
	for i, share := range normalise(p.areas) {
		p.rect(g, b.Rects[i], watts*share, dst)
	}
}

func (p *pen) rect(g Grid, r stack.Rect, watts float64, dst []float64) {
	var x0, y0 int
	x0, p.x = Overlap(g.X, r.X, r.X+r.Width, p.x)
	y0, p.y = Overlap(g.Y, r.Y, r.Y+r.Height, p.y)
	for j, fy := range p.y {
		row := dst[(y0+j)*g.NX()+x0:][:len(p.x)]
		w := watts * fy
		for i, fx := range p.x {
			row[i] += w * fx
		}
	}
}

// drawTiles resamples a map over area, row of tiles by row of tiles: first along x into one row of cells, then along y.
// Each tile is uniform, and its watts go to the cells it overlaps in proportion to the areas.
func drawTiles(g Grid, area stack.Rect, m *stack.PowerMap, factor float64, dst []float64) {
	columns := tileColumns(g.X, area.X, area.Width, m.NX)
	row := make([]float64, g.NX())
	var fy []float64
	var y0 int
	for j := range m.NY {
		clear(row)
		for i, w := range m.Values[j*m.NX:][:m.NX] {
			c := columns[i]
			for k, share := range c.shares {
				row[c.first+k] += w * share
			}
		}
		y0, fy = Overlap(g.Y, tileEdge(area.Y, area.Height, j, m.NY), tileEdge(area.Y, area.Height, j+1, m.NY), fy)
		for k, share := range fy {
			out := dst[(y0+k)*g.NX():][:g.NX()]
			f := factor * share
			for i, w := range row {
				out[i] += f * w
			}
		}
	}
}

type column struct {
	first  int
	shares []float64
}

func tileColumns(faces []float64, x, width float64, n int) []column {
	columns := make([]column, n)
	for i := range columns {
		columns[i].first, columns[i].shares = Overlap(faces, tileEdge(x, width, i, n), tileEdge(x, width, i+1, n), nil)
	}
	return columns
}

func tileEdge(start, length float64, i, n int) float64 {
	return start + length*(float64(i)/float64(n))
}
