package autogrid

import (
	"math"

	"thermsim/stack"
	"thermsim/stack/gridding"
)

// family is a kind of grid at all resolutions: cells are scale times as large as those of its first grid.
type family struct {
	s *stack.Stack
	// grid returns the grid at a scale.
	grid  func(scale float64) stack.Grid
	first []int // cells over each layer in the first grid
}

// on is the stack on a grid of the family.
func (f *family) on(scale float64, planes []int) *stack.Stack {
	s := *f.s
	s.Grid = f.grid(scale)
	s.Layers = append([]stack.Layer(nil), f.s.Layers...)
	for l := range s.Layers {
		s.Layers[l].Cells = planes[l]
	}
	return &s
}

// cells of a grid of the family.
func (f *family) cells(scale float64, planes []int) float64 { return cellsOf(f.on(scale, planes)) }

// cellsOf is the number of cells of a stack.
func cellsOf(s *stack.Stack) float64 {
	planes := 0
	for l := range s.Layers {
		planes += s.Layers[l].Planes()
	}
	return float64(s.Grid.X.Cells) * float64(s.Grid.Y.Cells) * float64(planes)
}

// graded grids have lines on edges. floor is the smallest cell size of the first grid for at most the given number of
// cells; 0 if no minimum is necessary.
func graded(s *stack.Stack, most float64) (f *family, axes [2]gridding.Lines, floor float64) {
	spans := [2][]gridding.Span{gridding.Spans(s, 0), gridding.Spans(s, 1)}
	f = &family{s: s, first: gridding.FirstPlanes(s)}
	f.grid = func(scale float64) stack.Grid { return stack.Grid{X: axes[0].Axis(scale), Y: axes[1].Axis(scale)} }
	fits := func(size float64) bool {
		floor = size
		axes = [2]gridding.Lines{gridding.LinesOf(spans[0], size), gridding.LinesOf(spans[1], size)}
		return f.cells(1, f.first) <= most
	}
	minFloor(s, fits)
	return f, axes, floor
}

// minFloor finds the smallest size that fits, 0 or more; it is the last one tried.
func minFloor(s *stack.Stack, fits func(size float64) bool) {
	if fits(0) {
		return
	}
	high := min(s.Size[0], s.Size[1])
	low := high * 1e-6
	for range 24 {
		if middle := math.Sqrt(low * high); fits(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	fits(high)
}

// directCost is the cost of an equal cell with the direct solver, relative to iterations on graded grids: from the
// times per cell in docs/explanation/performance.md. The direct solver takes graded grids too, but counts for equal
// cells alone.
const directCost = 0.15

// uniform grids have equal cells along each axis, of the size that the smallest source needs.
func uniform(s *stack.Stack, most float64) *family {
	var size [2]float64
	for axis := range 2 {
		size[axis] = s.Size[axis] / gridding.AcrossDomain
		for _, p := range gridding.Sources(s, axis) {
			size[axis] = min(size[axis], p.Size)
		}
	}
	f := &family{s: s, first: gridding.FirstPlanes(s)}
	floor := 0.0
	f.grid = func(scale float64) stack.Grid {
		var n [2]int
		for axis := range 2 {
			n[axis] = lengthFor(s.Size[axis] / (scale * max(size[axis], floor)))
		}
		return stack.Grid{X: stack.Axis{Cells: n[0]}, Y: stack.Axis{Cells: n[1]}}
	}
	fits := func(least float64) bool {
		floor = least
		return f.cells(1, f.first) <= most
	}
	minFloor(s, fits)
	return f
}

// lengthFor is the smallest integer of at least n with no prime factors except 2, 3 and 5, for fast transforms.
func lengthFor(n float64) int {
	for k := max(1, int(math.Ceil(n-1e-9))); ; k++ {
		rest := k
		for _, factor := range []int{2, 3, 5} {
			for rest%factor == 0 {
				rest /= factor
			}
		}
		if rest == 1 {
			return k
		}
	}
}
