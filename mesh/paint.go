package mesh

import (
	"math"
	"slices"
	"sort"

	"thermsim/stack"
)

// painter lays the regions of layers over the grid and collects the mixtures that cut cells need.
type painter struct {
	mesh     *Mesh
	mixtures map[mixture]uint32   // of cells that rectangles cut
	parts    map[uint32]mixture   // the same by palette index
	cuts     map[[8]uint64]uint32 // of cells that other shapes cut
	fills    map[filled]uint32
}

// mixture identifies a cell of material base that a region of material over covers in part.
type mixture struct {
	base, over uint32
	x, y       interval
}

// interval is the covered part of a cell's width or depth, from 0 to 1. FP32 lets cells that only rounding tells apart share a mixture.
type interval struct{ lo, hi float32 }

func (v interval) whole() bool       { return v.lo == 0 && v.hi == 1 }
func (v interval) length() float64   { return float64(v.hi) - float64(v.lo) }
func (v interval) lowHalf() float64  { return 2 * max(0, min(float64(v.hi), 0.5)-float64(v.lo)) }
func (v interval) highHalf() float64 { return 2 * max(0, float64(v.hi)-max(float64(v.lo), 0.5)) }

// and is the interval that two make together, false where there is a gap between them.
func (v interval) and(w interval) (interval, bool) {
	const rounding = 1e-6
	return interval{min(v.lo, w.lo), max(v.hi, w.hi)}, max(v.lo, w.lo) <= min(v.hi, w.hi)+rounding
}

func newPainter(m *Mesh) *painter {
	return &painter{m, map[mixture]uint32{}, map[uint32]mixture{}, map[[8]uint64]uint32{}, map[filled]uint32{}}
}

// paint returns the palette index of every cell of a layer, nil where the layer is uniform.
func (p *painter) paint(l *stack.Layer) []uint32 {
	if len(l.Regions) == 0 {
		return nil
	}
	m := p.mesh
	nx := m.NX()
	index := make([]uint32, nx*m.NY())
	for c := range index {
		index[c] = uint32(l.Material)
	}
	if slices.ContainsFunc(l.Regions, func(r stack.Region) bool { return r.Shape != nil }) {
		p.paintShapes(l.Regions, index)
		return index
	}
	for r := range l.Regions {
		p.paintRect(l.Regions[r].Rect, index, p.material(&l.Regions[r]))
	}
	return index
}

// material gives the palette index of a region's material in cell j*nx+i, as if the region covered all of it.
func (p *painter) material(r *stack.Region) func(c int) uint32 {
	if r.Fill == nil {
		return func(int) uint32 { return uint32(r.Material) }
	}
	fraction := p.mesh.fractions(r)
	return func(c int) uint32 {
		return p.fill(filled{r.Material, r.Fill.Inclusion, r.Fill.Rule, fraction(c)})
	}
}

// paintRect lays a rectangle over an index.
func (p *painter) paintRect(r stack.Rect, index []uint32, over func(c int) uint32) {
	m := p.mesh
	nx := m.NX()
	i0, xs := coverage(m.X, r.X, r.X+r.Width)
	j0, ys := coverage(m.Y, r.Y, r.Y+r.Height)
	for j, y := range ys {
		first := (j0+j)*nx + i0
		for i, x := range xs {
			c := first + i
			if x.whole() && y.whole() {
				index[c] = over(c)
			} else {
				index[c] = p.mix(mixture{index[c], over(c), x, y})
			}
		}
	}
}

// coverage returns the first cell that [lo, hi] touches and the covered part of it and of those that follow. Slivers below
// 1e-6 of a cell are rounding of coordinates and count as nothing.
func coverage(f []float64, lo, hi float64) (first int, covered []interval) {
	const sliver = 1e-6
	for i := max(sort.SearchFloat64s(f, lo)-1, 0); i+1 < len(f) && f[i] < hi; i++ {
		size := f[i+1] - f[i]
		v := interval{float32(math.Max(0, (lo-f[i])/size)), float32(math.Min(1, (hi-f[i])/size))}
		if v.lo < sliver {
			v.lo = 0
		}
		if v.hi > 1-sliver {
			v.hi = 1
		}
		if v.length() < sliver {
			continue
		}
		if len(covered) == 0 {
			first = i
		}
		covered = append(covered, v)
	}
	return first, covered
}

// mix returns the palette index of a cut cell. Along z the parts conduct side by side. Along x, the covered share of the depth holds base
// and region in series, in each half of the cell as they lie there, and the rest is base; along y alike. This is exact for a cell cut
// by one straight edge, and keeps the node in the middle tied to the material it lies in.
func (p *painter) mix(key mixture) uint32 {
	if key.base == key.over {
		return key.base
	}
	if joined, ok := p.join(key); ok {
		if key = joined; key.x.whole() && key.y.whole() {
			return key.over
		}
	}
	if id, ok := p.mixtures[key]; ok {
		return id
	}
	a, b := p.mesh.Palette[key.base], p.mesh.Palette[key.over]
	fx, fy := key.x.length(), key.y.length()
	half := func(h int, along, across float64) float64 {
		return across/(along/b.Half[h]+(1-along)/a.Half[h]) + (1-across)*a.Half[h]
	}
	var m Material
	m.Half[west] = half(west, key.x.lowHalf(), fy)
	m.Half[east] = half(east, key.x.highHalf(), fy)
	m.Half[south] = half(south, key.y.lowHalf(), fx)
	m.Half[north] = half(north, key.y.highHalf(), fx)
	m.K = [3]float64{
		2 / (1/m.Half[west] + 1/m.Half[east]),
		2 / (1/m.Half[south] + 1/m.Half[north]),
		fx*fy*b.K[2] + (1-fx*fy)*a.K[2],
	}
	m.C = fx*fy*b.C + (1-fx*fy)*a.C
	p.mesh.Laws.mixedEntry(key)
	id := p.mesh.add(m)
	p.mixtures[key] = id
	p.parts[id] = key
	return id
}

// join makes one region of two of the same material that lie side by side in a cell: mixed one after the other, they would have what lies below between them.
func (p *painter) join(key mixture) (mixture, bool) {
	first, ok := p.parts[key.base]
	if !ok || first.over != key.over {
		return key, false
	}
	x, alongX := first.x.and(key.x)
	y, alongY := first.y.and(key.y)
	joined := mixture{first.base, key.over, x, y}
	switch {
	case alongX && first.y == key.y, alongY && first.x == key.x:
		return joined, true
	}
	return key, false
}
