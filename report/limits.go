package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"thermsim/mesh"
	"thermsim/stack"
)

// LimitSummary is a highest temperature that the stack allows, and what is left of it. In a
// transient all of it is about the peak over time.
type LimitSummary struct {
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
func (l *LimitSummary) Label() string {
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
func (l *LimitSummary) Text() string {
	if math.IsNaN(l.MaxK) {
		return fmt.Sprintf("%s has no temperature that was looked at, to hold against its tmax of %.2f degC", l.Label(),
			l.TMaxK-zeroCelsius)
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
		when = " at t = " + seconds(l.TimeS)
	}
	verb := "keeps below its tmax of"
	if !l.OK {
		verb = "exceeds its tmax of"
	}
	where := ""
	if l.At.Layer != "" {
		where = fmt.Sprintf(" in %s, x %s, y %s mm", at, millimetres(l.At.XM), millimetres(l.At.YM))
	}
	return fmt.Sprintf("%s reaches %.2f degC%s%s: it %s %.2f degC by %.3g K", l.Label(), l.MaxK-zeroCelsius, when,
		where, verb, l.TMaxK-zeroCelsius, math.Abs(l.MarginK))
}

// limits are those that the stack sets, worst first.
func (s building) limits(m *mesh.Mesh, sc *scan) []LimitSummary {
	all := []LimitSummary{}
	add := func(tmax float64, kind, layer, name string, maxK float64, at Place, peak *Peak) {
		if tmax <= 0 {
			return
		}
		l := LimitSummary{Kind: kind, Layer: layer, Name: name, TMaxK: tmax, MaxK: maxK, At: at}
		if *peak != (Peak{}) {
			l.MaxK, l.At, l.TimeS = peak.MaxK, peak.At, peak.TimeS
		}
		l.MarginK = tmax - l.MaxK
		l.OK = l.MarginK >= 0 // not where there is no finite temperature
		l.MarginW = s.wattsLeft(m.Stack, &l)
		all = append(all, l)
	}
	whole := Peak{MaxK: s.Temperature.MaxK, At: s.Temperature.MaxAt}
	if s.Steps > 0 {
		if k, t := s.hottestStep(); !(k <= whole.MaxK) {
			whole = Peak{k, t, s.Peak.At}
		}
	}
	add(m.Stack.TMax, "stack", "", "", whole.MaxK, whole.At, &whole)
	for i := range s.Layers {
		row := &s.Layers[i]
		add(m.Stack.Layers[i].TMax, "layer", row.Name, "", row.MaxK, row.MaxAt, &row.Peak)
	}
	ofDies := s.dieLimits(sc)
	for i, p := range sc.parts {
		row := &s.Regions[i]
		if d, joined := ofDies[dieLimit{p.die, p.tmax}]; joined {
			if d.hottest == i {
				add(p.tmax, "die", "", p.die, row.MaxK, row.MaxAt, &row.Peak)
			}
			continue
		}
		add(p.tmax, row.Kind, row.Layer, cmp.Or(row.Name, row.Material), row.MaxK, row.MaxAt, &row.Peak)
	}
	for i, b := range sc.blocks {
		row := &s.Blocks[i]
		add(cmp.Or(b.power.Blocks[b.index].TMax, b.power.TMax), "block", row.Layer, row.Name, row.MaxK, row.MaxAt,
			&row.Peak)
	}
	slices.SortStableFunc(all, func(a, b LimitSummary) int { return cmp.Compare(a.MarginK, b.MarginK) })
	return all
}

// wattsLeft is the margin in W of a steady state: the rise over the one temperature that all faces refer to is
// proportional to the power, unless properties follow the temperature.
func (s building) wattsLeft(st *stack.Stack, l *LimitSummary) float64 {
	around := 0.0
	for f := range st.Boundary {
		for _, b := range st.Boundary[f].Conditions() {
			switch {
			case b.Kind == stack.Adiabatic || b.Kind == stack.HeatFlux && b.Flux == 0:
			case b.Kind == stack.HeatFlux || around != 0 && b.Temperature != around:
				return math.NaN()
			default:
				around = b.Temperature
			}
		}
	}
	rise := l.MaxK - around
	if s.Steps > 0 || around == 0 || !(rise > 0) || st.Nonlinear() {
		return math.NaN()
	}
	return s.Power.MappedW * l.MarginK / rise
}

// Exceeded are the limits that are not kept, worst first.
func (s *Summary) Exceeded() []LimitSummary {
	return slices.DeleteFunc(slices.Clone(s.Limits), func(l LimitSummary) bool { return l.OK })
}
