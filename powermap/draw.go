package powermap

import (
	"slices"

	"thermsim/stack"
)

// draw adds the watts of s at a strength to dst, W per cell, x fastest.
func (s *source) draw(g Grid, strength, dst []float64) {
	if s.power.Map != nil {
		drawTiles(g, s.area, s.power.Map, strength[0], dst)
		return
	}
	for n := range s.footprints {
		if w := s.watts(n, strength); w != 0 {
			s.footprints[n].add(w, g.NX(), 0, g.NY(), dst)
		}
	}
}

// outline finds the footprints of blocks or of a uniform power. Blocks share their watts among their rectangles by area.
func (s *source) outline(g Grid) {
	var p rasteriser
	switch {
	case s.power.Map != nil:
	case len(s.power.Blocks) == 0:
		s.footprints, s.portions = []Footprint{p.footprint(g, s.area)}, []portion{{0, 1}}
	default:
		var areas []float64
		for b := range s.power.Blocks {
			rects := s.power.Blocks[b].Rects
			areas = areas[:0]
			for _, r := range rects {
				areas = append(areas, r.Area())
			}
			for n, share := range normalise(areas) {
				s.footprints = append(s.footprints, p.footprint(g, rects[n]))
				s.portions = append(s.portions, portion{b, share})
			}
		}
	}
}

// rasteriser finds footprints and keeps its buffer between them.
type rasteriser struct{ shares []float64 }

func (p *rasteriser) footprint(g Grid, r stack.Rect) (s Footprint) {
	s.I, p.shares = Overlap(g.X, r.X, r.X+r.Width, p.shares)
	s.X = slices.Clone(p.shares)
	s.J, p.shares = Overlap(g.Y, r.Y, r.Y+r.Height, p.shares)
	s.Y = slices.Clone(p.shares)
	return s
}

// watts of footprint n at a strength.
func (s *source) watts(n int, strength []float64) float64 {
	return strength[s.portions[n].of] * s.portions[n].share
}

// footprintWatts appends the watts of all footprints at a strength.
func (s *source) footprintWatts(strength, watts []float64) []float64 {
	for n := range s.footprints {
		watts = append(watts, s.watts(n, strength))
	}
	return watts
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
