package converge

import (
	"fmt"
	"math"

	"slices"
	"thermsim/stack"
)

// Refine is the stack on a grid with every cell cut in two along x, y and z. Graded cells are cut in their own ratio,
// so that the sizes stay graded and every face stays one.
func Refine(s *stack.Stack) (*stack.Stack, error) { return RefineAlong(s, true, true) }

// RefineAlong is Refine along x and y, or along z, or both, or neither.
func RefineAlong(s *stack.Stack, lateral, height bool) (*stack.Stack, error) {
	fine := *s
	if lateral {
		fine.Grid = stack.Grid{X: halved(s.Grid.X), Y: halved(s.Grid.Y)}
	}
	fine.Layers = slices.Clone(s.Layers)
	for i := range fine.Layers {
		if height && fine.Layers[i].Coolant == nil { // a cavity has one cell over its height
			fine.Layers[i].Cells *= 2
		}
	}
	if err := stack.Validate(&fine); err != nil {
		return nil, fmt.Errorf("the grid cannot be refined: %w", err)
	}
	return &fine, nil
}

func halved(a stack.Axis) stack.Axis {
	a.Cells *= 2
	a.Segments = slices.Clone(a.Segments)
	for i := range a.Segments {
		seg := &a.Segments[i]
		if seg.Cells > 1 {
			// From one cell to the next sizes grow by q = ratio^(1/(n-1)), from half to half by sqrt(q).
			seg.Ratio = math.Pow(seg.Ratio, float64(2*seg.Cells-1)/float64(2*(seg.Cells-1)))
		} else {
			seg.Ratio = 1
		}
		seg.Cells *= 2
	}
	return a
}
