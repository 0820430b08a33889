package autogrid

import (
	"fmt"
	"math"
)

// Reasons tells in sentences what was chosen and why.
func (c *Choice) Reasons() []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	kind := "graded"
	if c.Uniform {
		kind = "equal cells along x and y, which the direct solver needs"
	}
	g := &c.Stack.Grid
	add("%s: %d x %d, %.3g cells in all", kind, g.X.Cells, g.Y.Cells, c.Cells)
	switch {
	case c.Uniform && c.Other > 0:
		add("a graded grid for the same error would cost %.2g times as much, without the direct solver", c.Other)
	case c.Other > 0:
		add("equal cells for the same error would cost %.2g times as much, with the direct solver", c.Other)
	}
	if c.Piloted {
		add("maxima of the stack and of each block are off by about %.2g K (%.2g K wanted): %.2g K from the widths "+
			"of cells, %.2g K from their heights",
			c.Lateral+c.Height, c.Wanted, c.Lateral, c.Height)
		add("as estimated by Richardson's rule from solves with about %d cells, coarser and finer ones of up to %d; "+
			"thermsim converge verifies it",
			c.Pilots[0], c.Pilots[1])
	} else {
		add("no face leads heat to a temperature, so the error is not estimated: %d cells across each source",
			int(acrossSource/largestScale))
	}
	if !c.Uniform {
		cut := ""
		if c.Passed != [2]int{} {
			cut = fmt.Sprintf(", %d and %d lie closer than a quarter of a coarse cell to those and cut cells",
				c.Passed[0], c.Passed[1])
		}
		add("%d and %d edges lie on faces along x and y%s; neighbours differ by a factor of %.2f at most", c.Lines[0],
			c.Lines[1], cut, c.Growth)
	}
	if !math.IsInf(c.Narrowest, 1) {
		add("the narrowest source is %.2g cells wide", c.Narrowest)
	}
	return list
}

// Doubt says where the grid is not what was asked for; empty where it is.
func (c *Choice) Doubt() string {
	const few = 3.5
	switch {
	case c.Needed > 0:
		return fmt.Sprintf("the wanted error of %.2g K would take about %.2g cells; with at most %d, maxima are off "+
			"by about %.2g K: raise max_cells, or want less",
			c.Wanted, c.Needed, c.Most, c.Lateral+c.Height)
	case c.Narrowest < few:
		return fmt.Sprintf("with at most %d cells the narrowest source is %.2g cells wide, and the estimated error "+
			"may miss its peak: raise max_cells", c.Most, c.Narrowest)
	}
	return ""
}
