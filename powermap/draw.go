package powermap

import (
	"slices"

	"thermsim/stack"
	"thermsim/stack/geometry"
)

// draw adds the watts of s at a strength to dst, W per cell, x fastest: rows [lo, hi), of which dst begins with the
// first.
func (s *source) draw(g Grid, strength []float64, lo, hi int, dst []float64) {
	if s.power.Map != nil {
		s.tiling.add(s.power.Map, strength[0], lo, hi, dst)
		return
	}
	for n := range s.footprints {
		if w := s.watts(n, strength); w != 0 {
			s.footprints[n].add(w, g.NX(), lo, hi, dst)
		}
	}
}

// outline finds the footprints of blocks or of a uniform power, and the tiles of a map. Blocks share their watts among
// their rectangles and shapes by area.
func (s *source) outline(g Grid) {
	var p rasteriser
	switch {
	case s.power.Map != nil:
		s.tiling = newTiling(g, s.area, s.power.Map)
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
			var area Sum
			for _, a := range r.Areas {
				area.Add(a)
			}
			prints = append(prints, Footprint{I: r.I, J: r.J, X: normalise(slices.Clone(r.Areas)), Y: []float64{1}})
			areas = append(areas, area.Value())
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

// Spread adds a map over area to dst, one value per cell. Each tile is uniform, and its watts go to the cells it
// overlaps in proportion to the areas.
func Spread(g Grid, area stack.Rect, m *stack.PowerMap, factor float64, dst []float64) {
	tiles := newTiling(g, area, m)
	tiles.add(m, factor, 0, g.NY(), dst)
}

// tiling is where the tiles of a map lie on a grid.
type tiling struct {
	nx   int     // of the grid
	x, y []share // of the columns and rows of tiles
}

// share is the cells of an axis that an interval overlaps, from the first on, and its shares of them.
type share struct {
	first  int
	shares []float64
}

func newTiling(g Grid, area stack.Rect, m *stack.PowerMap) tiling {
	return tiling{g.NX(), sharesOf(g.X, area.X, area.Width, m.NX), sharesOf(g.Y, area.Y, area.Height, m.NY)}
}

func sharesOf(faces []float64, start, length float64, n int) []share {
	edge := func(i int) float64 { return start + length*(float64(i)/float64(n)) }
	all := make([]share, n)
	for i := range all {
		all[i].first, all[i].shares = Overlap(faces, edge(i), edge(i+1), nil)
	}
	return all
}

// add adds a map to rows [lo, hi), of which dst begins with the first: row of tiles by row of tiles, first along x into
// one row of cells, then along y.
func (t *tiling) add(m *stack.PowerMap, factor float64, lo, hi int, dst []float64) {
	from, end := span(t.x)
	row := make([]float64, end-from)
	for j := range t.y {
		y := &t.y[j]
		first, last := max(lo, y.first), min(hi, y.first+len(y.shares))
		if first >= last {
			continue
		}
		clear(row)
		for i, w := range m.Values[j*m.NX:][:m.NX] {
			x := &t.x[i]
			for k, part := range x.shares {
				row[x.first-from+k] += w * part
			}
		}
		for to := first; to < last; to++ {
			out := dst[(to-lo)*t.nx+from:][:len(row)]
			f := factor * y.shares[to-y.first]
			for i, w := range row {
				out[i] += f * w
			}
		}
	}
}

// span is the half-open range of cells that intervals in ascending order overlap.
func span(all []share) (from, end int) {
	for i := range all {
		s := &all[i]
		if len(s.shares) == 0 {
			continue
		}
		if from == end {
			from = s.first
		}
		end = s.first + len(s.shares)
	}
	return from, end
}
