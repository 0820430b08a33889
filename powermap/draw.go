package powermap

import (
	"slices"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// draw adds the watts of s at a strength to dst, W per cell, x fastest: rows [lo, hi), of which dst begins with the
// first. Power maps are drawn with all rows at once.
func (s *source) draw(g Grid, strength []float64, lo, hi int, dst []float64) {
	if s.power.Map != nil {
		Spread(g, s.area, s.power.Map, strength[0], dst)
		return
	}
	for n := range s.footprints {
		if w := s.watts(n, strength); w != 0 {
			s.footprints[n].add(w, g.NX(), lo, hi, dst)
		}
	}
}

// outline finds the footprints of blocks or of a uniform power. Blocks share their watts among their rectangles and
// shapes by area.
func (s *source) outline(g Grid) {
	var p rasteriser
	switch {
	case s.power.Map != nil:
	case len(s.power.Blocks) > 0:
		for b := range s.power.Blocks {
			prints, areas := p.block(g, s.power.Blocks[b].Rects, s.power.Blocks[b].Shapes)
			s.add(b, prints, areas)
		}
	case s.power.Shape != nil:
		prints, areas := p.block(g, nil, []geometry.Shape{s.power.Shape})
		s.add(0, prints, areas)
	default:
		prints, areas := p.block(g, []stack.Rect{s.area}, nil)
		s.add(0, prints, areas)
	}
}

// add lists footprints that share a value of the strength by area.
func (s *source) add(of int, prints []Footprint, areas []float64) {
	for n, share := range normalise(areas) {
		s.footprints = append(s.footprints, prints[n])
		s.portions = append(s.portions, portion{of, share})
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

// block finds the footprints of rectangles and of shapes, and the area of each in m2. A shape has one for every row of
// cells.
func (p *rasteriser) block(g Grid, rects []stack.Rect, shapes []geometry.Shape) (prints []Footprint, areas []float64) {
	for _, r := range rects {
		prints, areas = append(prints, p.footprint(g, r)), append(areas, r.Area())
	}
	for _, s := range shapes {
		for _, r := range Rows(g, s) {
			var area sum
			for _, a := range r.Areas {
				area.add(a)
			}
			prints = append(prints, Footprint{I: r.I, J: r.J, X: normalise(slices.Clone(r.Areas)), Y: []float64{1}})
			areas = append(areas, area.value())
		}
	}
	return prints, areas
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

// Spread adds a map over area to dst, one value per cell, row of tiles by row of tiles: first along x into one row of
// cells, then along y. Each tile is uniform, and its watts go to the cells it overlaps in proportion to the areas.
func Spread(g Grid, area stack.Rect, m *stack.PowerMap, factor float64, dst []float64) {
	columns := tileColumns(g.X, area.X, area.Width, m.NX)
	from, end := span(columns)
	row := make([]float64, end-from)
	var fy []float64
	var y0 int
	for j := range m.NY {
		clear(row)
		for i, w := range m.Values[j*m.NX:][:m.NX] {
			c := columns[i]
			for k, share := range c.shares {
				row[c.first-from+k] += w * share
			}
		}
		y0, fy = Overlap(g.Y, tileEdge(area.Y, area.Height, j, m.NY), tileEdge(area.Y, area.Height, j+1, m.NY), fy)
		for k, share := range fy {
			out := dst[(y0+k)*g.NX()+from:][:len(row)]
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

// span is the half-open range of cells that columns of tiles touch.
func span(columns []column) (from, end int) {
	for _, c := range columns {
		if len(c.shares) == 0 {
			continue
		}
		if from == end {
			from = c.first
		}
		end = c.first + len(c.shares)
	}
	return from, end
}

func tileEdge(start, length float64, i, n int) float64 {
	return start + length*(float64(i)/float64(n))
}
