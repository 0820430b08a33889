package mesh

import (
	"math"
	"slices"
	"sort"

	"thermsim/powermap"
	"thermsim/stack"
	"thermsim/stack/packaging"
)

// painter assigns the regions of layers to the grid and collects the mixtures of cut cells.
type painter struct {
	mesh   *Mesh
	laid   []laid // rectangles over cells
	known  map[laid]uint32
	last   laid // that was numbered
	lastID uint32
	mixed  map[uint32]uint32    // palette entries of rectangles
	cuts   map[[9]uint64]uint32 // of cells cut by circles and polygons
	fills  map[filled]uint32
	mixer  mixer
	rough  map[uint32]bool // of rectangles, for which the mixer sampled along lines
	open   int             // the material open space, or -1
}

// laid is a rectangle over part of a cell. Below it lies a material of the palette, or with the bit onLaid a previous
// rectangle.
type laid struct {
	below, over uint32
	x, y        interval
}

// onLaid marks indices of rectangles; the palette has fewer entries.
const onLaid = 1 << 31

func newPainter(m *Mesh) *painter {
	return &painter{mesh: m, known: map[laid]uint32{}, mixed: map[uint32]uint32{}, cuts: map[[9]uint64]uint32{},
		fills: map[filled]uint32{}, rough: map[uint32]bool{}, open: slices.IndexFunc(m.Stack.Materials,
			func(m stack.Material) bool { return m.Name == packaging.OpenSpace })}
}

// paint returns the palette indices of a layer's cells, nil if the layer is uniform, and the number of cells whose
// mixture was sampled.
func (p *painter) paint(l *stack.Layer) (index [][]uint32, rough int) {
	if len(l.Regions) == 0 {
		return nil, 0
	}
	index = p.rows(l)
	if slices.ContainsFunc(l.Regions, func(r stack.Region) bool { return r.Shape != nil }) {
		p.paintShapes(l.Regions, index)
	} else {
		p.paintRects(l.Regions, index)
	}
	join(index)
	for from, end := range Runs(index) {
		row := index[from]
		for i, id := range row {
			if id < onLaid {
				continue
			}
			row[i] = p.mix(id)
			if p.rough[id] {
				rough += end - from
			}
		}
	}
	return index, rough
}

// rows makes the rows of a layer with its material. Rows that all regions cover equally share their memory.
func (p *painter) rows(l *stack.Layer) [][]uint32 {
	y := p.mesh.Y
	begins := make([]bool, len(y)) // of the rows, whether it may differ from the row below
	begins[0] = true
	for r := range l.Regions {
		region := &l.Regions[r]
		box, even := region.Box(), !region.Fill.Varies()
		if region.Shape != nil {
			box, even = region.Shape.Bounds(), false
		}
		// Rows first+1 to end-2 lie inside the box.
		first, end := sort.SearchFloat64s(y, box.Y0)-1, sort.SearchFloat64s(y, box.Y1)
		for j := max(first, 0); j < len(y) && j <= end; j++ {
			begins[j] = begins[j] || !even || j <= first+1 || j >= end-1
		}
	}
	return newIndex(begins[:len(y)-1], p.mesh.NX(), uint32(l.Material))
}

// material returns the palette index of a region's material in cell (i, j), as if the region covered the whole cell. It
// is the same for all cells without a fill.
func (p *painter) material(r *stack.Region) func(i, j int) uint32 {
	if r.Fill == nil {
		return func(int, int) uint32 { return uint32(r.Material) }
	}
	fraction, nx := p.mesh.Fractions(r), p.mesh.NX()
	return func(i, j int) uint32 {
		return p.fill(filled{r.Material, r.Fill.Inclusion, r.Fill.Rule, fraction(j*nx + i)})
	}
}

// paintRects assigns rectangles to an index; later ones override earlier ones.
func (p *painter) paintRects(regions []stack.Region, index [][]uint32) {
	for r := range regions {
		over, even := p.material(&regions[r]), regions[r].Fill == nil
		p.mesh.coverRect(regions[r].Rect, index, func(i, j, n int) {
			row := index[j]
			if even {
				fill(row[i:i+n], over(i, j))
				return
			}
			for ; n > 0; i, n = i+1, n-1 {
				row[i] = over(i, j)
			}
		}, func(i, j int, x, y interval) { index[j][i] = p.lay(laid{index[j][i], over(i, j), x, y}) })
	}
}

// coverRect calls whole with the first cell and the number of cells of each run along x that a rectangle covers wholly,
// and part with the others and the covered part. Rows of an index that share memory with the row below are skipped.
func (m *Mesh) coverRect(r stack.Rect, index [][]uint32, whole func(i, j, n int), part func(i, j int, x, y interval)) {
	i0, xs := coverage(m.X, r.X, r.X+r.Width)
	j0, ys := coverage(m.Y, r.Y, r.Y+r.Height)
	low := 0
	for low < len(xs) && !xs[low].whole() {
		low++
	}
	high := len(xs)
	for high > low && !xs[high-1].whole() {
		high--
	}
	for j, y := range ys {
		j += j0
		if j > 0 && same(index[j], index[j-1]) {
			continue
		}
		for i := 0; i < len(xs); i++ {
			if i == low && high > low && y.whole() {
				whole(i0+low, j, high-low)
				i = high
			}
			if i < len(xs) {
				part(i0+i, j, xs[i], y)
			}
		}
	}
}

// coverage returns the first cell that [lo, hi] overlaps, and the covered parts of it and the following cells. Overlaps
// below rounding are ignored.
func coverage(f []float64, lo, hi float64) (first int, covered []interval) {
	for i := max(sort.SearchFloat64s(f, lo)-1, 0); i+1 < len(f) && f[i] < hi; i++ {
		size := f[i+1] - f[i]
		v := interval{float32(math.Max(0, (lo-f[i])/size)), float32(math.Min(1, (hi-f[i])/size))}
		if v.lo < rounding {
			v.lo = 0
		}
		if v.hi > 1-rounding {
			v.hi = 1
		}
		if v.length() < rounding {
			continue
		}
		if len(covered) == 0 {
			first = i
		}
		covered = append(covered, v)
	}
	return first, covered
}

// lay returns the index of a cell with a rectangle added. Hidden rectangles are removed, and a rectangle of the same
// material is merged if the union is a rectangle, so that their number stays small.
func (p *painter) lay(r laid) uint32 {
	for r.below >= onLaid {
		last := &p.laid[r.below-onLaid]
		x, alongX := last.x.and(r.x)
		y, alongY := last.y.and(r.y)
		wider, deeper := r.x.covers(last.x), r.y.covers(last.y)
		narrower, shallower := last.x.covers(r.x), last.y.covers(r.y)
		switch same := last.over == r.over; {
		case same && narrower && shallower:
			return r.below
		case wider && deeper:
		case same && wider && narrower && alongY:
			r.y = y
		case same && deeper && shallower && alongX:
			r.x = x
		default:
			return p.number(r)
		}
		if r.below = last.below; r.x.whole() && r.y.whole() {
			return r.over
		}
	}
	if r.below == r.over {
		return r.over
	}
	return p.number(r)
}

func (p *painter) number(r laid) uint32 {
	if r == p.last {
		return p.lastID // as in most cells along an edge
	}
	id, ok := p.known[r]
	if !ok {
		id = onLaid + uint32(len(p.laid))
		p.laid = append(p.laid, r)
		p.known[r] = id
	}
	p.last, p.lastID = r, id
	return id
}

// mix returns the palette index of the rectangles over a cell.
func (p *painter) mix(id uint32) uint32 {
	if known, ok := p.mixed[id]; ok {
		return known
	}
	x := &p.mixer
	x.rects = x.rects[:0]
	below := id
	for below >= onLaid {
		r := p.laid[below-onLaid]
		x.rects = append(x.rects, rect{over: r.over, at: [2]span{spanOf(r.x), spanOf(r.y)}})
		below = r.below
	}
	rough := x.mix(below)
	if x.decide(p.open) {
		p.mixed[id] = x.materials[0]
		return x.materials[0]
	}
	entry := p.mesh.add(x.mixed(p.mesh.Palette))
	p.mesh.Laws.mixedEntry(x)
	p.mixed[id] = entry
	if rough {
		p.rough[id] = true
	}
	return entry
}

// levels is the number of steps to which the fractions of a map are rounded, so that cells can share a material. Half a
// step changes k of copper in oxide by less than 0.3 % in a single cell, and not on average.
const levels = 1 << 16

// Fractions returns the fraction of inclusions in cell j*nx+i of a region: that of the fill, or the mean of its map
// over the part of the cell inside the region's bounding rectangle.
func (m *Mesh) Fractions(r *stack.Region) func(c int) float64 {
	f := r.Fill
	if !f.Varies() {
		return func(int) float64 { return f.Values[0] }
	}
	g := powermap.Grid{X: m.X, Y: m.Y}
	amount, area := make([]float64, g.NX()*g.NY()), make([]float64, g.NX()*g.NY())
	tiles := stack.PowerMap{NX: f.NX, NY: f.NY, Values: f.Values}
	powermap.Spread(g, r.Rect, &tiles, 1, amount)
	whole := stack.PowerMap{NX: 1, NY: 1, Values: []float64{float64(f.NX * f.NY)}}
	powermap.Spread(g, r.Rect, &whole, 1, area)
	return func(c int) float64 {
		if area[c] == 0 {
			return 0
		}
		return min(math.Round(amount[c]/area[c]*levels)/levels, f.Rule.Most())
	}
}

// filled identifies a matrix with inclusions.
type filled struct {
	matrix, inclusion int
	rule              stack.Rule
	fraction          float64
}

// fill is the palette index of a matrix with inclusions.
func (p *painter) fill(key filled) uint32 {
	if key.fraction == 0 {
		return uint32(key.matrix)
	}
	if id, ok := p.fills[key]; ok {
		return id
	}
	materials := p.mesh.Stack.Materials
	k, c := key.rule.Mix(&materials[key.inclusion], &materials[key.matrix], key.fraction)
	id := p.mesh.add(plain(k, c))
	p.mesh.Laws.constantEntry(&p.mesh.Palette[id])
	p.fills[key] = id
	return id
}
