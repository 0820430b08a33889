package summary

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"thermsim/report/quantity"
	"thermsim/stack"
)

// PlaceWords names a cell.
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

// HottestStep is the peak of a transient and when it was.
func (s *Summary) HottestStep() (kelvin, time float64) {
	if s.Peak.TimeS > 0 {
		return s.Peak.MaxK, s.Peak.TimeS
	}
	hottest := slices.MaxFunc(s.StepMaxima, func(a, b Step) int { return cmp.Compare(a.MaxK, b.MaxK) })
	return hottest.MaxK, hottest.TimeS
}

// LastStepNote says in titles that a map is of the end of a transient.
func (s *Summary) LastStepNote() string {
	if s.Steps == 0 {
		return ""
	}
	return "last step, t = " + quantity.Seconds(s.StepMaxima[s.Steps-1].TimeS)
}

// DeviceText names what solved.
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

// FacesText lists the faces that heat passes, with their shares: of what leaves where heat leaves, and where it comes
// in of what enters the stack, the power included. A share of the net heat would say nothing where the two nearly
// cancel.
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

// HeatDecimals show the largest flow of the balance with four digits or more.
func HeatDecimals(s *Summary) int {
	most := max(math.Abs(s.Power.RequestedW), math.Abs(s.Energy.InW), math.Abs(s.Energy.OutW))
	for _, w := range s.Energy.ByFaceW.list() {
		most = max(most, math.Abs(w))
	}
	return quantity.WattDecimals(most)
}
