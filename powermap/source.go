package powermap

import (
	"fmt"
	"math"

	"thermsim/stack"
)

// edgeTolerance, relative to the size of the domain, is how far a rectangle may stick out before it is an error rather
// than rounding in the file; the watts of the sliver then stay on the domain.
const edgeTolerance = 1e-6

// source is one power of a layer with what never changes worked out once. Its strength at any time is a vector: the
// watts of each block, the watts of a uniform power, or the factor on a map.
type source struct {
	power  *stack.Power
	area   stack.Rect // where a map or a uniform power acts
	steady []float64  // strength in a steady state
	tiles  float64    // W of a map at factor 1

	footprints []Footprint // of blocks and uniform powers
	portions   []portion
}

// portion says what a footprint draws: a share of one value of the strength.
type portion struct {
	of    int
	share float64
}

func newSource(s *stack.Stack, layer *stack.Layer, p *stack.Power) (source, error) {
	src := source{power: p, area: p.Area}
	if src.area == (stack.Rect{}) {
		src.area = s.Domain()
	}
	switch {
	case p.Map != nil:
		src.steady = []float64{1}
		if len(p.Map.Values) != p.Map.NX*p.Map.NY || len(p.Map.Values) == 0 {
			return src, fault(p.Pos, "the power map of layer %q has %d values for %d x %d tiles", layer.Name,
				len(p.Map.Values), p.Map.NX, p.Map.NY)
		}
		var total sum
		for _, v := range p.Map.Values {
			total.add(v)
		}
		src.tiles = total.value()
	case len(p.Blocks) > 0:
		for i := range p.Blocks {
			b := &p.Blocks[i]
			src.steady = append(src.steady, b.Watts)
			if err := checkBlock(s, b, layer); err != nil {
				return src, err
			}
		}
	default:
		src.steady = []float64{p.Uniform}
	}
	if err := checkRect(s, src.area, p.Pos, fmt.Sprintf("the area of a power of layer %q", layer.Name)); err != nil {
		return src, err
	}
	if p.Shape != nil && !(p.Shape.Area() > 0) {
		return src, fault(p.Pos, "a power of layer %q acts on no area", layer.Name)
	}
	if w := src.magnitude(); math.IsNaN(w) || math.IsInf(w, 0) {
		return src, fault(p.Pos, "a power of layer %q is not a finite number of watts", layer.Name)
	}
	return src, checkTimes(layer, p)
}

// total is the power in W at a strength.
func (s *source) total(strength []float64) float64 {
	if s.power.Map != nil {
		return strength[0] * s.tiles
	}
	var total sum
	for _, w := range strength {
		total.add(w)
	}
	return total.value()
}

// magnitude is the sum of the absolute values of the steady watts, which rounding errors are measured against.
func (s *source) magnitude() float64 {
	values := s.steady
	if s.power.Map != nil {
		values = s.power.Map.Values
	}
	var total sum
	for _, w := range values {
		total.add(math.Abs(w))
	}
	return total.value()
}

// terms is how many numbers draw adds up in one cell at most. A map is summed along x, then along y.
func (s *source) terms() int {
	if s.power.Map != nil {
		return s.power.Map.NX + s.power.Map.NY
	}
	return len(s.footprints)
}

func checkBlock(s *stack.Stack, b *stack.Block, layer *stack.Layer) error {
	if len(b.Rects)+len(b.Shapes) == 0 {
		return fault(b.Pos, "block %q of layer %q has no rectangle", b.Name, layer.Name)
	}
	rects := b.Rects
	for _, shape := range b.Shapes {
		if !(shape.Area() > 0) {
			return fault(b.Pos, "block %q of layer %q has no area", b.Name, layer.Name)
		}
		rects = append(rects[:len(rects):len(rects)], stack.Around(shape))
	}
	for _, r := range rects {
		if err := checkRect(s, r, b.Pos, fmt.Sprintf("block %q of layer %q", b.Name, layer.Name)); err != nil {
			return err
		}
	}
	return nil
}

func checkRect(s *stack.Stack, r stack.Rect, pos stack.Pos, what string) error {
	if !(r.Width > 0) || !(r.Height > 0) {
		return fault(pos, "%s is %g m x %g m; both must be positive", what, r.Width, r.Height)
	}
	tx, ty := edgeTolerance*s.Size[0], edgeTolerance*s.Size[1]
	if !(r.X >= -tx) || !(r.Y >= -ty) || !(r.X+r.Width <= s.Size[0]+tx) || !(r.Y+r.Height <= s.Size[1]+ty) {
		return fault(pos, "%s spans (%g, %g) to (%g, %g) m, beyond the domain of %g m x %g m", what,
			r.X, r.Y, r.X+r.Width, r.Y+r.Height, s.Size[0], s.Size[1])
	}
	return nil
}

func fault(pos stack.Pos, format string, args ...any) *stack.Error {
	return &stack.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}
