package autogrid

import (
	"context"
	"fmt"
	"math"

	"thermsim/gpusolve"
	"thermsim/stack"
	"thermsim/stack/gridding"
)

// Assessment is the estimated error of the default grid of a stack.
type Assessment struct {
	NX, NY int
	Cells  float64
	Larger float64 // cells in proportion to those without a maximum number
	Rise   float64 // K, the largest
	Peak   float64 // K, estimated error of the maximum of the stack
	Blocks float64 // K, the largest of the maxima of the stack and of blocks
	Growth float64 // largest ratio of neighboring cell sizes
	Doubt  string  // why there is no estimate
}

// Assess estimates the errors of a default grid. It solves with cells two and four times as wide, and with half as many
// cells over layers. The changes decrease with first order along x and y, where edges of parts limit the order, and
// with second order along z.
func Assess(ctx context.Context, s *stack.Stack) (*Assessment, error) {
	d := gridding.NewDefault(s)
	chosen := Choice{Stack: s}
	chosen.measure()
	a := &Assessment{NX: s.Grid.X.Cells, NY: s.Grid.Y.Cells, Cells: cellsOf(s), Larger: d.Larger, Growth: chosen.Growth}
	if !grounded(s) {
		a.Doubt = "no boundary removes heat"
		return a, nil
	}
	halved := d.On(s, 4)
	for l := range halved.Layers {
		halved.Layers[l].Cells = (d.Planes[l] + 1) / 2
	}
	v := &solves{ctx: ctx, tol: gpusolve.DefaultTol}
	wide, middle, high := v.maxima(d.On(s, 4), nil), v.maxima(d.On(s, 2), nil), v.maxima(halved, nil)
	if v.err != nil {
		a.Doubt = v.err.Error()
		return a, ctx.Err()
	}
	a.Rise = middle[0] - coldest(s)
	peak := len(middle) / 2 // of parabolas: centers miss a peak by another distance on every grid
	for i := peak; i < len(middle); i++ {
		const safety = 1.25
		e := safety * (math.Abs(middle[i]-wide[i])/2 + math.Abs(high[i]-wide[i])/3)
		if i == peak {
			a.Peak = e
		}
		a.Blocks = max(a.Blocks, e)
	}
	return a, nil
}

// Reasons explains the grid in sentences.
func (a *Assessment) Reasons() []string {
	list := []string{fmt.Sprintf("graded: %d x %d, %.3g cells in all, with lines at the edges of dies, blocks and "+
		"parts; neighboring cells differ by a factor of %.2f at most", a.NX, a.NY, a.Cells, a.Growth)}
	if a.Larger > 1 {
		list = append(list, fmt.Sprintf("cells are %.2f times as wide as usual, for at most %d cells", a.Larger,
			gridding.MaxCells))
	}
	if a.Doubt != "" {
		return append(list, "the error is not estimated: "+a.Doubt)
	}
	part := func(e float64) string { return fmt.Sprintf("%.2g K, %.2g %% of the rise", e, 100*e/a.Rise) }
	text := "estimated error of the peak " + part(a.Peak)
	if a.Blocks > a.Peak {
		text += "; of the peaks of other blocks at most " + part(a.Blocks)
	}
	if a.Peak > stack.DefaultRelativeError*a.Rise {
		text += "; --grid auto chooses a grid for 1 %"
	}
	return append(list, text)
}
