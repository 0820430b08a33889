package mesh

import (
	"math"
	"slices"

	"thermsim/powermap"
	"thermsim/stack"
)

// levels is how many steps of the fraction a map is rounded to, so that cells may share a material: half a step moves k
// of copper in oxide by less than 0.3 %, of a cell alone, and the mean of many not at all.
const levels = 1 << 16

// fractions gives the fraction of inclusions in cell j*nx+i of a region: that of the fill, or of its map the mean over
// the part of the cell inside the rectangle around the region.
func (m *Mesh) fractions(r *stack.Region) func(c int) float64 {
	f := r.Fill
	if slices.Min(f.Values) == slices.Max(f.Values) {
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
