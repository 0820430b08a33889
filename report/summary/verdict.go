package summary

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/gpusolve/solution"
	"thermsim/report/quantity"
	"thermsim/stack"
)

// Runaway is the caveat of powers without a steady state.
const Runaway = "THERMAL RUNAWAY"

// Caveat is a warning in capitals for tables and titles of maps; empty for a run that converged. An interrupted
// transient has a separate one, because its completed steps are valid.
func (s *Summary) Caveat() string {
	switch {
	case s.Solver.Converged:
		return ""
	case s.Solver.Reason == solution.ReasonRunaway:
		return Runaway
	case s.Solver.Reason == solution.ReasonInterrupted && s.FirstBadStep() == 0 && s.Temperature.NonFiniteCells == 0:
		return "INTERRUPTED"
	case s.Solver.Reason == solution.ReasonInterrupted:
		return "INTERRUPTED, NOT CONVERGED"
	}
	return "NOT CONVERGED"
}

// Marked prepends the caveat to a title.
func Marked(caveat, title string) string {
	if caveat == "" {
		return title
	}
	return caveat + ": " + title
}

// Ended describes how the solve ended, without repeating the caveat.
func (s *Summary) Ended() string {
	caveat, doubt := s.Caveat(), s.Doubt()
	switch v := &s.Solver; {
	case v.Converged && v.Reason == solution.ReasonDirect:
		return "converged"
	case v.Converged:
		return "converged: " + v.Reason
	case doubt == solution.ReasonInterrupted:
		return caveat
	}
	return Marked(caveat, strings.TrimPrefix(doubt, solution.ReasonInterrupted+", "))
}

// Iterations formats the number of iterations of all steps.
func (s *Summary) Iterations(unit string) string {
	count := func(n int) string { return strings.TrimSpace(fmt.Sprint(n, " ", unit)) }
	if s.Steps > 0 && s.IterationsTotal != nil {
		steps := s.Steps
		if s.Stepping != nil {
			steps = s.Stepping.Steps
		}
		return fmt.Sprintf("%s in %d steps", count(*s.IterationsTotal), steps)
	}
	return count(s.Solver.Iterations)
}

// ErrorText formats the estimated error, in K or the unit of temperatures, and its basis.
func (s *Summary) ErrorText(unit *quantity.Scale) string {
	if math.IsNaN(s.Solver.EstimatedErrorK) {
		return "unknown"
	}
	unit = unit.Or("K")
	text := quantity.Relative(unit.Difference(s.Solver.EstimatedErrorK)) + " " + unit.Differences()
	if s.Steps > 1 && s.Solver.Method == solution.MethodDirect {
		text += " (last-step estimate x number of steps)"
	}
	return text
}

// FirstBadStep is the number of the first step of a transient that did not converge or has no finite temperature, 0
// without any.
func (s *Summary) FirstBadStep() int {
	for n := range s.StepMaxima {
		if !s.StepMaxima[n].Converged {
			return n + 1
		}
	}
	return 0
}

// Doubt is the reason why the temperatures of a run are unreliable; empty if they are reliable.
func (s *Summary) Doubt() string {
	if s.Solver.Converged {
		return ""
	}
	why := s.Solver.Reason
	if n := s.Solver.Nonlinear; n != nil && n.Leakage.Verdict() != "" {
		return n.Leakage.Verdict()
	}
	if n := s.FirstBadStep(); n > 0 {
		why += fmt.Sprintf(", first in step %d of %d", n, s.Steps)
	}
	if g := s.PowerGrid; s.Solver.Reason == solution.ReasonOutOfRange && g != nil && g.OutOfRange != nil {
		why += ": " + g.OutOfRange.String()
	}
	switch n := s.Temperature.NonFiniteCells; {
	case n == 1:
		why += ", 1 cell without a finite temperature"
	case n > 1:
		why += fmt.Sprintf(", %d cells without a finite temperature", n)
	}
	return why
}

// hottest is the temperature in K above which a field is rejected: no material is solid far below it, so an input must
// be wrong.
const hottest = 1e6

// Implausible reports a run that gets hotter than any solid, at its end or in a step; empty otherwise.
func (s *Summary) Implausible() string {
	top := s.Temperature.MaxK
	for n := range s.StepMaxima {
		top = max(top, s.StepMaxima[n].MaxK)
	}
	if !(top > hottest) {
		return ""
	}
	return fmt.Sprintf("the hottest cell is at %.3g K, above %g K, where no model of heat in solids holds; check the "+
		"units of powers, conductivities and heat-transfer coefficients", top, hottest)
}

// PlaceWords describes the location of a cell.
func PlaceWords(at Place) string {
	where := " in layer " + at.Layer
	switch {
	case at.Block != "":
		where += ", block " + at.Block
	case at.Region != "":
		where += ", region " + at.Region
	}
	return where + fmt.Sprintf(", at x %s, y %s mm", quantity.Millimetres(at.XM), quantity.Millimetres(at.YM))
}

// HottestStep is the peak of a transient and its time.
func (s *Summary) HottestStep() (kelvin, time float64) {
	if s.Peak.TimeS > 0 {
		return s.Peak.MaxK, s.Peak.TimeS
	}
	hottest := slices.MaxFunc(s.StepMaxima, func(a, b Step) int { return cmp.Compare(a.MaxK, b.MaxK) })
	return hottest.MaxK, hottest.TimeS
}

// LastStepNote is the note in titles of maps of the last step of a transient.
func (s *Summary) LastStepNote() string {
	if s.Steps == 0 {
		return ""
	}
	return "last step, t = " + quantity.Seconds(s.StepMaxima[s.Steps-1].TimeS)
}

// DeviceText names the device that solved.
func DeviceText(s *Summary) string {
	if s.Device.Name == "" {
		return cmp.Or(s.Device.Kind, "an unnamed device")
	}
	text := s.Device.Kind + " " + s.Device.Name
	if s.Device.Ranks > 0 {
		text = fmt.Sprintf("%d ranks, the first on %s; joined by %s", s.Device.Ranks, text, s.Device.Transport)
	}
	return text
}

// FacesText lists the faces with heat flow and their shares. Outflow is relative to the total outflow, inflow to the
// total inflow including the power. A share of the net heat would be meaningless if both nearly cancel.
func FacesText(e *Energy, decimals int) []string {
	flows := e.ByFaceW.list()
	leaving, entering := 0.0, max(0, e.InW)
	both := false
	leaving += max(0, e.CoolantW)
	for _, w := range flows {
		leaving += max(0, w)
		entering += max(0, -w)
		both = both || w < 0
	}
	var parts []string
	for i, w := range flows {
		of := ""
		switch {
		case w == 0:
			continue
		case w < 0:
			of = fmt.Sprintf(" (%.1f %% of what enters)", -100*w/entering)
		case both:
			of = fmt.Sprintf(" (%.1f %% of what leaves)", 100*w/leaving)
		case w > 0:
			of = fmt.Sprintf(" (%.1f %%)", 100*w/leaving)
		}
		parts = append(parts, fmt.Sprintf("%v %s%s", stack.Face(i), quantity.Fixed(w, decimals), of))
	}
	if parts == nil {
		return []string{"no heat passes any of them"}
	}
	return parts
}

// list is in the order of stack.Face.
func (f *Face) list() [stack.NumFaces]float64 {
	return [...]float64{f.Bottom, f.Top, f.West, f.East, f.South, f.North}
}

// HeatDecimals is the number of decimals that shows the largest flow with at least four digits.
func HeatDecimals(s *Summary) int {
	most := max(math.Abs(s.Power.RequestedW), math.Abs(s.Energy.InW), math.Abs(s.Energy.OutW))
	for _, w := range s.Energy.ByFaceW.list() {
		most = max(most, math.Abs(w))
	}
	return quantity.WattDecimals(most)
}
