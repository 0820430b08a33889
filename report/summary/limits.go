package summary

import (
	"fmt"
	"math"
	"slices"

	"thermsim/report/quantity"
)

// Limit is a highest temperature that the stack allows, and what is left of it. In a
// transient all of it is about the peak over time.
type Limit struct {
	Kind    string  `json:"kind"`     // stack, layer, die, region, power or block
	Layer   string  `json:"layer"`    // "" of the stack's and of a die's
	Name    string  `json:"name"`     // of the die, region, power or block; "" of the others
	TMaxK   float64 `json:"tmax_K"`   // highest temperature allowed
	MaxK    float64 `json:"max_K"`    // highest found
	MarginK float64 `json:"margin_K"` // negative where the limit is exceeded
	// How many watts more the whole stack may draw, its powers in their present proportions, until the limit is
	// reached; negative where it has to draw less. Null in a transient, and where the temperatures are not proportional
	// to the power: faces with temperatures of their own, or fluxes.
	MarginW float64 `json:"margin_W"`
	TimeS   float64 `json:"time_s,omitzero"` // of the maximum, in a transient; absent otherwise
	At      Place   `json:"at"`              // hottest cell
	OK      bool    `json:"ok"`              // the limit is kept
}

// Label names what the limit is of.
func (l *Limit) Label() string {
	switch l.Kind {
	case "stack":
		return "the whole stack"
	case "layer":
		return "layer " + l.Layer
	case "die":
		return "die " + l.Name
	}
	return l.Kind + " " + l.Name + " of layer " + l.Layer
}

// Text tells by how much the limit is exceeded or kept, where, and in a transient when.
func (l *Limit) Text() string {
	if math.IsNaN(l.MaxK) {
		return fmt.Sprintf("%s has no temperature that was looked at, to hold against its tmax of %.2f degC", l.Label(),
			l.TMaxK-quantity.ZeroCelsius)
	}
	at := l.At.Layer
	switch {
	case l.At.Block != "":
		at += ", block " + l.At.Block
	case l.At.Region != "":
		at += ", region " + l.At.Region
	}
	when := ""
	if l.TimeS > 0 {
		when = " at t = " + quantity.Seconds(l.TimeS)
	}
	verb := "keeps below its tmax of"
	if !l.OK {
		verb = "exceeds its tmax of"
	}
	where := ""
	if l.At.Layer != "" {
		where = fmt.Sprintf(" in %s, x %s, y %s mm", at, quantity.Millimetres(l.At.XM), quantity.Millimetres(l.At.YM))
	}
	return fmt.Sprintf("%s reaches %.2f degC%s%s: it %s %.2f degC by %.3g K", l.Label(), l.MaxK-quantity.ZeroCelsius,
		when,
		where, verb, l.TMaxK-quantity.ZeroCelsius, math.Abs(l.MarginK))
}

// Exceeded are the limits that are not kept, worst first.
func (s *Summary) Exceeded() []Limit {
	return slices.DeleteFunc(slices.Clone(s.Limits), func(l Limit) bool { return l.OK })
}
