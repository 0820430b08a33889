package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/report/quantity"
	"thermsim/report/statistics"
	"thermsim/report/summary"
	"thermsim/stack"
	"thermsim/stack/packaging"
)

// Materials lists the materials of the stack with the sources of their data.
func Materials(s *stack.Stack) *Table {
	m, valid := s.Materials, "valid at"
	if !slices.ContainsFunc(m, func(m stack.Material) bool { return m.TRef > 0 }) {
		valid = ""
	}
	return &Table{ID: "materials", Title: "Materials", Count: len(m), Short: true,
		PageNote: "k: thermal conductivity, along x, y and z if they differ; c: volumetric heat capacity. " +
			"(T): temperature-dependent, value at 300 K.",
		Columns: []Column{
			{Page: "material", Words: func(n int) string { return m[n].Name }},
			{Page: "k W/(m K)", Words: func(n int) string {
				return Conductivity(m[n].K) + dependent(m[n].KCurve[0], m[n].KCurve[1], m[n].KCurve[2])
			}},
			{Page: "c MJ/(m³ K)", Words: func(n int) string {
				return quantity.Significant(m[n].C*1e-6, 3) + dependent(m[n].CCurve)
			}},
			{Page: valid, Unit: Celsius, Value: func(n int) float64 {
				if m[n].TRef == 0 {
					return math.NaN()
				}
				return m[n].TRef
			}},
			{Page: "source", Words: func(n int) string { return cmp.Or(m[n].Source, "not given") }},
		}}
}

// Conductivity formats a thermal conductivity, as three numbers if it is anisotropic.
func Conductivity(k [3]float64) string {
	if k[0] == k[1] && k[1] == k[2] {
		return quantity.Significant(k[0], 3)
	}
	return fmt.Sprintf("%s, %s, %s", quantity.Significant(k[0], 3), quantity.Significant(k[1], 3),
		quantity.Significant(k[2], 3))
}

func dependent(curves ...*stack.Curve) string {
	if slices.ContainsFunc(curves, func(c *stack.Curve) bool { return c != nil }) {
		return " (T)"
	}
	return ""
}

// Sources lists the power sources of the stack, top to bottom.
func Sources(s *stack.Stack) *Table {
	type source struct {
		layer string
		*stack.Power
	}
	var rows []source
	for _, l := range slices.Backward(s.Layers) {
		for i := range l.Powers {
			rows = append(rows, source{l.Name, &l.Powers[i]})
		}
	}
	return &Table{ID: "sources", Title: "Power sources", Count: len(rows), Short: true,
		PageNote: "Power without leakage; with a trace, its mean or the row for the steady state.",
		Columns: []Column{
			{Page: "layer", Words: func(n int) string { return rows[n].layer }},
			{Page: "source", Words: func(n int) string { return sourceText(rows[n].Power) }},
			{Page: "power W", Unit: significant(1, 4), Value: func(n int) float64 { return watts(rows[n].Power) }},
			{Page: "over time", Words: func(n int) string { return overTime(rows[n].Power) }},
		}}
}

func sourceText(p *stack.Power) string {
	switch n := len(p.Blocks); {
	case n == 1:
		return "block " + p.Blocks[0].Name
	case n > 1:
		return fmt.Sprintf("%d blocks", n)
	case p.Map != nil:
		text := fmt.Sprintf("map of %d × %d tiles", p.Map.NX, p.Map.NY)
		if n := len(p.Map.Temperatures); n > 0 {
			text += fmt.Sprintf(" at %d temperatures", n)
		}
		return text
	}
	return strings.TrimPrefix(p.Name+", uniform", ", ")
}

// watts is the total power of a source in a steady state.
func watts(p *stack.Power) float64 {
	sum := p.Uniform
	for i := range p.Blocks {
		sum += p.Blocks[i].Watts
	}
	if p.Map != nil {
		sum += p.Map.Watts()
	}
	return sum
}

func overTime(p *stack.Power) string {
	text := "constant"
	if t := p.Trace; t != nil {
		text = fmt.Sprintf("trace of %d rows over %s", len(t.Times), quantity.Seconds(t.End))
		if t.Repeat {
			text += ", repeated"
		}
	}
	if n := len(p.Schedule); n > 0 {
		text += fmt.Sprintf(", scaled by a schedule of %d points", n)
	}
	return text
}

// Instant is a part of the stack at the peak of a transient and at its end; K. The mean of a probe is NaN.
type Instant struct {
	Name              string
	PeakMax, EndMax   float64
	PeakMean, EndMean float64
}

// mostInstants is the number of rows of the table of instants on a page.
const mostInstants = 500

// Instants compares the parts of the stack at the time of the peak and at the end.
func Instants(rows []Instant, peakS, endS float64) *Table {
	slices.SortStableFunc(rows, func(a, b Instant) int { return cmp.Compare(b.PeakMax, a.PeakMax) })
	return &Table{ID: "instants", Title: "At the peak and at the end", File: "trace.csv", Count: len(rows),
		MostPage: mostInstants,
		PageNote: fmt.Sprintf("All parts at the time of the peak, t = %s, and at the end, t = %s. Hottest first.",
			quantity.Seconds(peakS), quantity.Seconds(endS)),
		Columns: []Column{
			{Page: "part", Words: func(n int) string { return rows[n].Name }},
			{Page: "max, peak", Unit: Celsius, Value: func(n int) float64 { return rows[n].PeakMax }},
			{Page: "mean, peak", Unit: Celsius, Value: func(n int) float64 { return rows[n].PeakMean }},
			{Page: "max, end", Unit: Celsius, Value: func(n int) float64 { return rows[n].EndMax }},
			{Page: "mean, end", Unit: Celsius, Value: func(n int) float64 { return rows[n].EndMean }},
		}}
}

// verdict is the verdict on a limit; unknown if the temperatures are unreliable.
func verdict(s *summary.Summary, l *summary.Limit) string {
	switch {
	case s.Caveat() != "":
		return "unknown"
	case l.OK:
		return "PASS"
	}
	return "FAIL"
}

// LayerMaterials lists the materials and fills of a layer: of its regions, the last and uppermost one first, then the
// rest. Materials around dies, such as air, come last.
func LayerMaterials(s *stack.Stack, layer int) string {
	l := &s.Layers[layer]
	var names, around []string
	listed := map[string]bool{} // a layer may have very many regions
	add := func(name string, k [3]float64) {
		switch {
		case listed[name]:
		case slices.Max(k[:]) < statistics.FillerK, name == packaging.OpenSpace:
			around = append(around, name)
		default:
			names = append(names, name)
		}
		listed[name] = true
	}
	for i := range slices.Backward(l.Regions) {
		add(RegionMaterial(s, &l.Regions[i]), RegionConductivity(s, &l.Regions[i]))
	}
	add(s.Materials[l.Material].Name, s.Materials[l.Material].K)
	return strings.Join(append(names, around...), ", ")
}

// RegionConductivity is that of a region with what fills it, on average.
func RegionConductivity(s *stack.Stack, r *stack.Region) [3]float64 {
	k := s.Materials[r.Material].K
	if r.Fill != nil {
		k, _ = r.Fill.Rule.Mix(&s.Materials[r.Fill.Inclusion], &s.Materials[r.Material], r.Fill.Mean())
	}
	return k
}

// RegionMaterial is the material of a region, with what fills it and how much on average.
func RegionMaterial(s *stack.Stack, r *stack.Region) string {
	name := s.Materials[r.Material].Name
	if r.Fill == nil {
		return name
	}
	return fmt.Sprintf("%s + %.3g %% %s, %s", name, 100*r.Fill.Mean(), s.Materials[r.Fill.Inclusion].Name, r.Fill.Rule)
}
