// Package powermap puts watts on a grid. Every source is rasterised by exact area overlap, so the mapped watts equal
// the requested ones to rounding on any grid. It knows nothing of temperatures.
package powermap

import (
	"fmt"
	"math"

	"thermsim/stack"
)

// Grid is the lateral grid: face coordinates in m, ascending, one more than cells in each direction.
type Grid struct{ X, Y []float64 }

// NX is the number of cells along x.
func (g Grid) NX() int { return len(g.X) - 1 }

// NY is the number of cells along y.
func (g Grid) NY() int { return len(g.Y) - 1 }

// Map is the power of a stack on a grid.
type Map struct {
	Grid Grid
	// Layers are the layers that carry sources, bottom to top.
	Layers []LayerMap
	// Requested is the steady power of all sources in W; Mapped what arrived on the grid.
	Requested, Mapped float64

	stack *stack.Stack
}

// LayerMap is the power of one layer.
type LayerMap struct {
	Layer  int     // index into Stack.Layers
	Mapped float64 // W on the grid in a steady state

	grid    Grid
	sources []source
	drawn   *steadyPlane
}

// conservation is the largest relative difference between requested and mapped watts that counts as rounding where few
// terms were added. Each term adds half a unit in the last place at most (Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., eq. 4.4).
const conservation = 1e-12

// checkConserved compares the watts that were asked for with those on the grid, which are sums of so many terms in each
// cell.
func checkConserved(requested, mapped, magnitude float64, terms int) error {
	if d := math.Abs(requested - mapped); !(d <= (conservation+epsilon/2*float64(terms))*magnitude) {
		return fmt.Errorf("power map: %g W were requested but %g W arrived on the grid; please report this "+
			"stack as a bug", requested, mapped)
	}
	return nil
}

// New rasterises every source of s onto g. A layer whose sources draw nothing in a steady state is listed too: it may
// have a trace. Errors are of type *stack.Error where a source is at fault.
func New(s *stack.Stack, g Grid) (*Map, error) {
	if err := checkGrid(s, g); err != nil {
		return nil, err
	}
	m := &Map{Grid: g, stack: s}
	var requested, mapped, magnitude sum
	terms := 0
	for l := range s.Layers {
		layer := &s.Layers[l]
		if len(layer.Powers) == 0 {
			continue
		}
		lm := LayerMap{Layer: l, grid: g, drawn: new(steadyPlane)}
		for i := range layer.Powers {
			src, err := newSource(s, layer, &layer.Powers[i])
			if err != nil {
				return nil, err
			}
			src.outline(g)
			requested.add(src.total(src.steady))
			magnitude.add(src.magnitude())
			terms += src.terms()
			lm.sources = append(lm.sources, src)
		}
		lm.Mapped = lm.mapped()
		mapped.add(lm.Mapped)
		m.Layers = append(m.Layers, lm)
	}
	m.Requested, m.Mapped = requested.value(), mapped.value()
	if err := checkConserved(m.Requested, m.Mapped, magnitude.value(), terms); err != nil {
		return nil, err
	}
	return m, nil
}

func checkGrid(s *stack.Stack, g Grid) error {
	for d, faces := range [2][]float64{g.X, g.Y} {
		axis := [2]string{"x", "y"}[d]
		if len(faces) < 2 {
			return fmt.Errorf("power map: the grid has no cells along %s", axis)
		}
		for i := range faces[1:] {
			if !(faces[i+1] > faces[i]) || math.IsInf(faces[i+1]-faces[i], 0) {
				return fmt.Errorf("power map: face coordinates of the grid along %s do not ascend at index %d", axis,
					i+1)
			}
		}
		last := faces[len(faces)-1]
		if math.Abs(faces[0]) > edgeTolerance*s.Size[d] || math.Abs(last-s.Size[d]) > edgeTolerance*s.Size[d] {
			return fmt.Errorf("power map: the grid spans %g to %g m along %s, the stack 0 to %g m", faces[0], last,
				axis, s.Size[d])
		}
	}
	return nil
}
