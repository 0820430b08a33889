package powermap

import (
	"math"

	"thermsim/stack"
)

// source is a power of a layer, prepared for the grid. Its strength at any time is a vector: the power of each block in
// W, that of a uniform power, or the factor of a map.
type source struct {
	power  *stack.Power
	area   stack.Rect // where a map or a uniform power acts
	steady []float64  // strength in a steady state
	first  int        // index of its first value among those of all sources
	tiles  float64    // W of a map at factor 1
	tiling tiling     // of a map

	footprints []Footprint // of blocks and uniform powers
	portions   []portion
}

// portion is the power of a footprint: a share of one value of the strength.
type portion struct {
	of    int
	share float64
}

func newSource(s *stack.Stack, p *stack.Power) source {
	src := source{power: p, area: p.Area}
	if src.area == (stack.Rect{}) {
		src.area = s.Domain()
	}
	switch {
	case p.Map != nil:
		src.steady = []float64{1}
		var total Sum
		for _, v := range p.Map.Values {
			total.Add(v)
		}
		src.tiles = total.Value()
	case len(p.Blocks) > 0:
		for i := range p.Blocks {
			src.steady = append(src.steady, p.Blocks[i].Watts)
		}
	default:
		src.steady = []float64{p.Uniform}
	}
	return src
}

// total is the power in W at a strength.
func (s *source) total(strength []float64) float64 {
	if s.power.Map != nil {
		return strength[0] * s.tiles
	}
	var total Sum
	for _, w := range strength {
		total.Add(w)
	}
	return total.Value()
}

// magnitude is the sum of the absolute steady powers, the reference of rounding errors.
func (s *source) magnitude() float64 {
	values := s.steady
	if s.power.Map != nil {
		values = s.power.Map.Values
	}
	var total Sum
	for _, w := range values {
		total.Add(math.Abs(w))
	}
	return total.Value()
}

// terms is the largest number of terms that draw adds up in one cell. A map is summed along x, then along y.
func (s *source) terms() int {
	if s.power.Map != nil {
		return s.power.Map.NX + s.power.Map.NY
	}
	return len(s.footprints)
}
