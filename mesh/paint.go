package mesh

import (
	"math"
	"sort"

	"thermsim/stack"
)

// painter lays the regions of layers over the grid and collects the mixtures that cut cells need.
type painter struct {
	mesh     *Mesh
	mixtures map[mixture]uint32
}

// mixture identifies a cell of which a region covers the fractions fx of its width and fy of its depth, over material base.
type mixture struct {
	base, over uint32
	fx, fy     float32
}

func newPainter(m *Mesh) *painter {
	return &painter{mesh: m, mixtures: map[mixture]uint32{}}
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
	for r := range l.Regions {
		region := &l.Regions[r]
		i0, fx := coverage(m.X, region.X, region.X+region.Width)
		j0, fy := coverage(m.Y, region.Y, region.Y+region.Height)
		for j, y := range fy {
			row := index[(j0+j)*nx+i0:]
			for i, x := range fx {
				if x == 1 && y == 1 {
					row[i] = uint32(region.Material)
				} else {
					row[i] = p.mix(mixture{row[i], uint32(region.Material), float32(x), float32(y)})
				}
			}
		}
	}
	return index
}

// coverage returns the first cell that the interval [lo, hi] touches and the fraction of each touched cell that it covers.
// Slivers below 1e-6 of a cell are rounding of coordinates and count as nothing.
func coverage(f []float64, lo, hi float64) (first int, fraction []float64) {
	const sliver = 1e-6
	first = max(sort.SearchFloat64s(f, lo)-1, 0)
	for i := first; i+1 < len(f) && f[i] < hi; i++ {
		c := (math.Min(hi, f[i+1]) - math.Max(lo, f[i])) / (f[i+1] - f[i])
		switch {
		case c > 1-sliver:
			c = 1
		case c < sliver:
			c = 0
		}
		if c == 0 && len(fraction) == 0 {
			first = i + 1
			continue
		}
		if c > 0 {
			fraction = append(fraction, c)
		}
	}
	return first, fraction
}

// mix returns the palette index of a cut cell. Along z the parts conduct side by side. Along x, the covered share of the depth holds base
// and region in series and the rest is base; along y alike. This is exact for a cell cut by one straight edge.
func (p *painter) mix(key mixture) uint32 {
	if key.base == key.over {
		return key.base
	}
	if id, ok := p.mixtures[key]; ok {
		return id
	}
	a, b := p.mesh.Palette[key.base], p.mesh.Palette[key.over]
	fx, fy := float64(key.fx), float64(key.fy)
	f := fx * fy
	id := uint32(len(p.mesh.Palette))
	p.mesh.Palette = append(p.mesh.Palette, Material{
		K: [3]float64{
			fy/(fx/b.K[0]+(1-fx)/a.K[0]) + (1-fy)*a.K[0],
			fx/(fy/b.K[1]+(1-fy)/a.K[1]) + (1-fx)*a.K[1],
			f*b.K[2] + (1-f)*a.K[2],
		},
		C: f*b.C + (1-f)*a.C,
	})
	p.mixtures[key] = id
	return id
}
