package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"thermsim/stack"
	"thermsim/study/autogrid"
	"thermsim/study/converge"
)

// gridWish is --grid of a stack: numbers of equal cells, or auto.
type gridWish struct {
	gridSize
	auto *stack.AutoGrid
	text string
}

func (w *gridWish) Set(text string) error {
	name, wanted, asks := strings.Cut(text, ":")
	if name != "auto" {
		if err := w.gridSize.Set(text); err != nil {
			return fmt.Errorf("%w; or auto, auto:0.1K, auto:1%%", err)
		}
		w.auto, w.text = nil, ""
		return nil
	}
	a := stack.DefaultAutoGrid()
	if asks {
		var err error
		if percent, ok := strings.CutSuffix(wanted, "%"); ok {
			a.Relative, err = parseRatio(percent)
			a.Relative /= 100
		} else {
			a.Relative = 0
			a.Error, err = stack.ParseTemperatureRise(wanted)
		}
		if size := a.Relative + a.Error; err != nil || !(size > 0) || math.IsInf(size, 0) {
			return errors.New("write the error wanted as auto:0.1K or auto:1%")
		}
	}
	w.gridSize, w.auto, w.text = gridSize{}, a, text
	return nil
}

func (w *gridWish) String() string {
	if w.auto != nil {
		return w.text
	}
	return w.gridSize.String()
}

// Type is the placeholder in the help.
func (w *gridWish) Type() string { return "NXxNY|auto" }

// given says whether the flag was.
func (w *gridWish) given() bool { return w.nx > 0 || w.auto != nil }

// grid is that in place of the stack's. A file that lets its grid be chosen keeps what it says of that, unless the flag
// says more than auto.
func (w *gridWish) grid(s *stack.Stack) stack.Grid {
	switch {
	case w.auto == nil:
		return stack.Grid{X: stack.Axis{Cells: w.nx}, Y: stack.Axis{Cells: w.ny}}
	case s.Grid.Auto == nil:
		return stack.Grid{Auto: w.auto}
	}
	auto := *s.Grid.Auto
	if w.text != "auto" {
		auto.Error, auto.Relative = w.auto.Error, w.auto.Relative
	}
	return stack.Grid{Auto: &auto}
}

// chooseGrid puts a stack whose grid is to be chosen on one; the choice is nil where the stack has a grid.
func chooseGrid(ctx context.Context, g *globals, s *stack.Stack) (*autogrid.Choice, error) {
	if s.Grid.Auto == nil {
		return nil, nil
	}
	if s.Cooled() {
		return nil, usagef("--grid auto: a grid cannot be chosen where coolant flows; give NXxNY, or leave --grid out")
	}
	c, err := autogrid.Choose(ctx, s)
	if errors.Is(err, converge.ErrRunaway) {
		return nil, withStatus(exitRunaway, err)
	}
	if errors.Is(err, converge.ErrNotConverged) {
		return nil, withStatus(exitNotConverged, err)
	}
	if err != nil {
		return nil, err
	}
	s.Grid, s.Layers = c.Stack.Grid, c.Stack.Layers
	for _, line := range c.Reasons() {
		g.detail("grid: %s", line)
	}
	if doubt := c.Doubt(); doubt != "" {
		g.note("grid: %s", doubt)
	}
	return c, nil
}
