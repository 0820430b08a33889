package gds

import "slices"

// grid is tiles over a rectangle, in database units.
type grid struct {
	box
	nx, ny int
}

func (g *grid) x(i int) float64 { return g.x0 + (g.x1-g.x0)*(float64(i)/float64(g.nx)) }
func (g *grid) y(j int) float64 { return g.y0 + (g.y1-g.y0)*(float64(j)/float64(g.ny)) }

// tile is the area of a tile.
func (g *grid) tile(i, j int) float64 { return (g.x(i+1) - g.x(i)) * (g.y(j+1) - g.y(j)) }

// patch is a rectangle of tiles i0 to i1 - 1 and j0 to j1 - 1, or a part of one tile.
type patch struct {
	box
	i0, i1, j0, j1 int
	cuts           int // of the tile
}

func (p *patch) single() bool { return p.i1-p.i0 == 1 && p.j1-p.j0 == 1 }

// split divides a patch in two, between tiles where it has several.
func (g *grid) split(p patch) (a, b patch) {
	a, b = p, p
	flat := p.x1-p.x0 >= p.y1-p.y0
	ni, nj := p.i1-p.i0, p.j1-p.j0
	switch {
	case ni > 1 && (flat || nj == 1):
		a.i1 = p.i0 + ni/2
		b.i0, a.x1, b.x0 = a.i1, g.x(a.i1), g.x(a.i1)
	case nj > 1:
		a.j1 = p.j0 + nj/2
		b.j0, a.y1, b.y0 = a.j1, g.y(a.j1), g.y(a.j1)
	case flat:
		a.x1 = p.x0 + (p.x1-p.x0)/2
		b.x0 = a.x1
	default:
		a.y1 = p.y0 + (p.y1-p.y0)/2
		b.y0 = a.y1
	}
	if p.single() {
		a.cuts, b.cuts = p.cuts+1, p.cuts+1
	}
	return a, b
}

// fill adds the whole area of a patch to its tiles.
func (g *grid) fill(areas []float64, p *patch) {
	if p.cuts > 0 {
		areas[p.j0*g.nx+p.i0] += (p.x1 - p.x0) * (p.y1 - p.y0)
		return
	}
	for j := p.j0; j < p.j1; j++ {
		for i := p.i0; i < p.i1; i++ {
			areas[j*g.nx+i] += g.tile(i, j)
		}
	}
}

// densities are the covered parts of the tiles, by map.
func (l *layout) densities(workers pool, top int32, g *grid, maps int) ([][]float64, error) {
	shapes := l.cells[top].shapes
	if shapes > mostShapes {
		return nil, fault(l.path, "give fewer layers", "%.3g shapes and references, flattened; expected at most %.3g",
			shapes, mostShapes)
	}
	areas := make([][]float64, maps)
	for i := range areas {
		areas[i] = make([]float64, g.nx*g.ny)
	}
	// Each part is read from the file, so there are no more than the memory requires.
	parts := []patch{{box: g.box, i1: g.nx, j1: g.ny}}
	for want := max(2*len(workers), int(l.listed.Load()*5/4/mostItems)); len(parts) < min(want, g.nx*g.ny/2); {
		a, b := g.split(parts[0])
		if parts = append(parts[1:], a, b); a.single() || b.single() {
			break
		}
	}
	err := workers.each(len(parts), func(w *worker, i int) error {
		w.grid, w.areas = g, areas
		w.mostSteps = w.steps + l.steps + 400*int64(shapes)                 // about 90 are usual
		w.shapes = slices.Grow(w.shapes[:0], int(min(3*mostItems, shapes))) // without garbage
		whole := placement{child: top, columns: 1, lines: 1, transform: transform{a: 1, d: 1}}
		w.placements = append(w.placements[:0], whole)
		return w.measure(parts[i], 0, 0, 0, 0)
	})
	for _, a := range areas {
		for k := range a {
			a[k] = min(a[k]/g.tile(k%g.nx, k/g.nx), 1)
		}
	}
	return areas, err
}
