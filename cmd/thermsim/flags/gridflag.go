package flags

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"thermsim/stack"
	"thermsim/stack/stackfile"
)

// Grid is --grid of a stack: numbers of equal cells, or auto.
type Grid struct {
	GridSize
	Auto *stack.AutoGrid
	text string
}

func (w *Grid) Set(text string) error {
	name, wanted, asks := strings.Cut(text, ":")
	if name != "auto" {
		if err := w.GridSize.Set(text); err != nil {
			return fmt.Errorf("%w; or auto, auto:0.1K, auto:1%%", err)
		}
		w.Auto, w.text = nil, ""
		return nil
	}
	a := stack.DefaultAutoGrid()
	if asks {
		var err error
		if percent, ok := strings.CutSuffix(wanted, "%"); ok {
			a.Relative, err = ParseRatio(percent)
			a.Relative /= 100
		} else {
			a.Relative = 0
			a.Error, err = stackfile.ParseTemperatureRise(wanted)
		}
		if size := a.Relative + a.Error; err != nil || !(size > 0) || math.IsInf(size, 0) {
			return errors.New("write the error wanted as auto:0.1K or auto:1%")
		}
	}
	w.GridSize, w.Auto, w.text = GridSize{}, a, text
	return nil
}

func (w *Grid) String() string {
	if w.Auto != nil {
		return w.text
	}
	return w.GridSize.String()
}

// Type is the placeholder in the help.
func (w *Grid) Type() string { return "NXxNY|auto" }

// Given says whether the flag was.
func (w *Grid) Given() bool { return w.NX > 0 || w.Auto != nil }

// In is that in place of the stack's. A file that lets its grid be chosen keeps what it says of that, unless the flag
// says more than auto.
func (w *Grid) In(s *stack.Stack) stack.Grid {
	switch {
	case w.Auto == nil:
		return stack.Grid{X: stack.Axis{Cells: w.NX}, Y: stack.Axis{Cells: w.NY}}
	case s.Grid.Auto == nil:
		return stack.Grid{Auto: w.Auto}
	}
	auto := *s.Grid.Auto
	if w.text != "auto" {
		auto.Error, auto.Relative = w.Auto.Error, w.Auto.Relative
	}
	return stack.Grid{Auto: &auto}
}
