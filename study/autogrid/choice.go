// Package autogrid chooses the grid of a stack: lines on the edges of sources and regions, cells that grow away from
// them, and cells along z where the flux changes. The number of cells follows from the wanted error of the maxima.
// docs/guides/auto-grid.md gives the rules and their accuracy.
package autogrid

import (
	"context"
	"fmt"
	"math"
	"slices"

	"thermsim/gpusolve"
	"thermsim/gpusolve/methods"
	"thermsim/mesh"
	"thermsim/stack"
	"thermsim/stack/gridding"
)

// Choice is a chosen grid and the reasons for it.
type Choice struct {
	Stack   *stack.Stack // on the chosen grid.
	Uniform bool         // equal cells, for the direct solver.
	Piloted bool         // whether pilot solves estimated the error; impossible without a steady state.
	Pilots  [2]int       // cells of the pilot solves: of the middle and of the largest grid.
	Wanted  float64      // K, wanted error of maxima.
	Lateral float64      // K, estimated error due to the widths of cells.
	Height  float64      // K, estimated error due to the heights of cells.
	Needed  float64      // cells for the wanted error if more than allowed; else 0.
	Cells   float64
	Most    int     // maximum number of cells.
	Other   float64 // cost of the alternative kind of grid relative to this one; 0 without an alternative.

	Lines     [2]int  // edges along x and y that lie on faces.
	Passed    [2]int  // edges too close to other edges.
	Growth    float64 // largest ratio of neighboring cell sizes.
	Narrowest float64 // cells across the narrowest source along x or y, with fractions.

	scale  float64 // of the family.
	planes []int   // cells over each layer.
}

// Least numbers of cells.
const (
	// largestScale doubles the two cells across a source.
	largestScale = 0.5
	// pilotCells is the maximum number of cells of the first grid of a family, which is solved several times.
	pilotCells = 200_000
)

// Choose finds the grid for a stack with Grid.Auto. The same stack gives the same grid on every machine.
func Choose(ctx context.Context, s *stack.Stack) (*Choice, error) {
	most := min(pilotCells, float64(s.Grid.Auto.MaxCells)/4)
	family, axes, _ := graded(s, most)
	c, err := family.choose(ctx, axes)
	if err != nil {
		return nil, err
	}
	equal := uniform(s, most)
	m, err := mesh.Build(equal.on(1, family.first))
	if err != nil {
		return nil, err
	}
	if method, why := methods.Choice(m, s.Solver.Preconditioner); method == "fourier" && why == "" {
		other, err := equal.choose(ctx, [2]gridding.Lines{})
		if err != nil {
			return nil, err
		}
		c = cheaper(c, other)
	}
	c.measure()
	return c, nil
}

// For puts a variant of the stack on a grid of the same kind and resolution, with lines on the edges of the variant.
// Results of variants then do not differ by the choice. It returns nil for another number of layers.
func (c *Choice) For(s *stack.Stack) *stack.Stack {
	if len(s.Layers) != len(c.planes) {
		return nil
	}
	most := min(pilotCells, float64(s.Grid.Auto.MaxCells)/4)
	f, _, _ := graded(s, most)
	if c.Uniform {
		f = uniform(s, most)
	}
	planes := slices.Clone(c.planes)
	for l := range planes {
		planes[l] = max(planes[l], s.Layers[l].Cells)
	}
	on := f.on(c.scale, planes)
	on.Grid.ErrorK = c.Stack.Grid.ErrorK
	return on
}

// cheaper selects the grid of equal cells if it costs less, or if only it meets the wanted error.
func cheaper(graded, uniform *Choice) *Choice {
	uniform.Uniform = true
	a, b := graded.Cells, uniform.Cells*directCost
	switch met, other := graded.Needed == 0, uniform.Needed == 0; {
	case other && (!met || b <= a), !met && uniform.Lateral+uniform.Height < graded.Lateral+graded.Height:
		uniform.Other = a / b
		return uniform
	}
	graded.Other = b / a
	return graded
}

// choose finds the grid of a family.
func (f *family) choose(ctx context.Context, axes [2]gridding.Lines) (*Choice, error) {
	auto := f.s.Grid.Auto
	c := &Choice{Wanted: auto.Error, Most: auto.MaxCells}
	for axis := range axes {
		c.Lines[axis], c.Passed[axis] = axes[axis].Snapped, axes[axis].Passed
	}
	if !grounded(f.s) {
		planes := slices.Clone(f.first)
		for l := range planes {
			if planes[l] > f.s.Layers[l].Cells {
				planes[l] *= 2
			}
		}
		scale := largestScale
		for scale < 1 && f.cells(scale, planes) > float64(auto.MaxCells) {
			scale *= 1.1
		}
		c.take(f, min(scale, 1), planes)
		return c, nil
	}
	return c, f.settle(ctx, c)
}

// settle refines the pilot grids until they are half as fine as the error requires, because the second-order rule is
// not reliable over larger ratios.
func (f *family) settle(ctx context.Context, c *Choice) error {
	const rounds, far = 6, 2.2
	scale, planes := 1.0, f.first
	for range rounds { // the first grid is not sufficient: it has only two cells across a source
		p, err := f.pilots(ctx, scale, planes, pilotTol(f.s.Grid.Auto))
		if err != nil {
			return fmt.Errorf("choosing the grid: %w", err)
		}
		f.fit(c, p)
		ratio := scale / c.scale
		next := slices.Clone(c.planes)
		for l := range next {
			ratio = max(ratio, float64(next[l])/float64(p.planes[l]))
			next[l] = max(min((next[l]+1)/2, 2*p.planes[l]), f.s.Layers[l].Cells)
		}
		finer := min(largestScale, max(2*c.scale, scale/2))
		if ratio <= far && scale < 1 || f.cells(finer, next) > pilotCells {
			return nil
		}
		scale, planes = finer, next
	}
	return nil
}

// pilotTol is the error in K of the pilot solves: well below the estimated errors.
func pilotTol(a *stack.AutoGrid) float64 {
	if a.Error > 0 {
		return min(gpusolve.DefaultTol, a.Error/50)
	}
	return gpusolve.DefaultTol
}

// round rounds up to two digits, so that rounding errors of temperatures do not affect the choice.
func (p *pilot) round() {
	up := func(v float64) float64 {
		if !(v > 0) {
			return 0
		}
		unit := math.Pow(10, math.Floor(math.Log10(v))-1)
		return math.Ceil(v/unit) * unit
	}
	p.lateral, p.height = up(p.lateral), up(p.height)
	for l := range p.layers {
		p.layers[l] = up(p.layers[l])
	}
}

// fit selects the coarsest grid that meets the wanted error, or the finest allowed one.
func (f *family) fit(c *Choice, p *pilot) {
	c.Piloted, c.Pilots, c.Needed = true, p.cells, 0
	if part := f.s.Grid.Auto.Relative; part > 0 {
		c.Wanted = part * math.Abs(p.rise)
	}
	p.round()
	try := func(wanted float64) (scale float64, planes []int) {
		// The number of cells grows with 1/scale^2 and with 1/height: it is smallest if two thirds of the error are due
		// to the widths.
		scale = largestScale
		if p.lateral > 0 {
			scale = min(scale, quarters(p.scale*math.Sqrt(wanted*2/3/p.lateral)))
		}
		return scale, planesFor(f.s, p.planes, p.layers, wanted-p.widths(scale))
	}
	// The errors of pilot solves count twice in each estimate. Without heat there are no others.
	wanted := math.Max(c.Wanted, 4*pilotTol(f.s.Grid.Auto))
	scale, planes := try(wanted)
	if n := f.cells(scale, planes); n > float64(c.Most) {
		c.Needed = n
		scale, planes = f.within(float64(c.Most), func(more float64) (float64, []int) { return try(wanted * more) })
	}
	c.Lateral, c.Height = p.widths(scale), errorOf(p.planes, p.layers, planes)
	c.take(f, scale, planes)
}

// within finds the smallest error, as a multiple of the wanted one, for which the grid has at most the given number of
// cells.
func (f *family) within(most float64, try func(more float64) (float64, []int)) (scale float64, planes []int) {
	low, high := 1.0, 1e6
	for range 40 {
		middle := math.Sqrt(low * high)
		if scale, planes = try(middle); f.cells(scale, planes) > most {
			low = middle
		} else {
			high = middle
		}
	}
	scale, planes = try(high)
	for scale < 1 && f.cells(scale, planes) > most {
		scale = min(1, scale*1.05)
	}
	if f.cells(scale, planes) > most {
		return 1, f.first
	}
	return scale, planes
}

// quarters rounds a scale down to a power of the fourth root of two.
func quarters(scale float64) float64 { return math.Exp2(math.Floor(math.Log2(scale)*4) / 4) }

func (c *Choice) take(f *family, scale float64, planes []int) {
	c.scale, c.planes = scale, planes
	c.Stack = f.on(scale, planes)
	c.Cells = cellsOf(c.Stack)
}

// grounded reports whether a steady state exists.
func grounded(s *stack.Stack) bool {
	low, high, _ := s.References()
	return low <= high
}

// measure evaluates the chosen grid.
func (c *Choice) measure() {
	x, y, err := mesh.Faces(c.Stack)
	if err != nil {
		return // Build reports it
	}
	c.Growth, c.Narrowest = 1, math.Inf(1)
	for axis, faces := range [2][]float64{x, y} {
		for i := 2; i < len(faces); i++ {
			q := (faces[i] - faces[i-1]) / (faces[i-1] - faces[i-2])
			c.Growth = max(c.Growth, q, 1/q)
		}
		for _, p := range gridding.Sources(c.Stack, axis) {
			c.Narrowest = min(c.Narrowest, gridding.Position(faces, p.Hi)-gridding.Position(faces, p.Lo))
		}
	}
}

// Reasons explains the choice in sentences.
func (c *Choice) Reasons() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	kind := "graded"
	if c.Uniform {
		kind = "equal cells along x and y, on which the direct solver is fastest"
	}
	g := &c.Stack.Grid
	add("%s: %d x %d, %.3g cells in all", kind, g.X.Cells, g.Y.Cells, c.Cells)
	switch {
	case c.Uniform && c.Other > 0:
		add("a graded grid for the same error would cost %.2g times as much, by multigrid", c.Other)
	case c.Other > 0:
		add("equal cells for the same error would cost %.2g times as much, with the direct solver", c.Other)
	}
	if c.Piloted {
		add("%s, %.2g K due to the widths of cells and %.2g K to their heights", c.Accuracy(), c.Lateral, c.Height)
		add("Richardson extrapolation from solves with about %d cells, and coarser and finer ones of up to %d cells; "+
			"thermsim converge verifies it",
			c.Pilots[0], c.Pilots[1])
	} else {
		add("no boundary removes heat, so the error is not estimated: %d cells across each source",
			int(gridding.AcrossSource/largestScale))
	}
	if !c.Uniform {
		cut := ""
		if c.Passed != [2]int{} {
			cut = fmt.Sprintf(", %d and %d are closer than a quarter of a coarse cell to another edge and cut cells",
				c.Passed[0], c.Passed[1])
		}
		add("%d and %d edges lie on faces along x and y%s; neighboring cells differ by a factor of %.2f at most",
			c.Lines[0], c.Lines[1], cut, c.Growth)
	}
	if !math.IsInf(c.Narrowest, 1) {
		add("the narrowest source is %.2g cells wide", c.Narrowest)
	}
	return list
}

// Accuracy gives the estimated error of a choice that was piloted.
func (c *Choice) Accuracy() string {
	return fmt.Sprintf("estimated error of the maxima of the stack and its blocks: %.2g K (%.2g K wanted)",
		c.Lateral+c.Height, c.Wanted)
}

// Doubt explains why the grid does not meet the request; empty if it does.
func (c *Choice) Doubt() string {
	const few = 3.5
	switch {
	case c.Needed > 0:
		return fmt.Sprintf("the wanted error of %.2g K needs about %.2g cells; with at most %d cells the estimated "+
			"error is %.2g K. Fix: increase max_cells or the wanted error",
			c.Wanted, c.Needed, c.Most, c.Lateral+c.Height)
	case c.Narrowest < few:
		return fmt.Sprintf("with at most %d cells the narrowest source is %.2g cells wide, and the estimated error "+
			"may miss its peak. Fix: increase max_cells", c.Most, c.Narrowest)
	}
	return ""
}
