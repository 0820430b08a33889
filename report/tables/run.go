package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/stack"
)

// OfSummary returns the tables of a run for a terminal, without empty ones. Details are the hot spots, and the regions
// of a stack that has dies or blocks.
func OfSummary(s *summary.Summary, details bool) []*Table {
	all := []*Table{Limits(s), Jedec(s), Dies(s), Layers(s), Blocks(s), Regions(s), Probes(s), Measured(s),
		Coolant(s, nil), Streams(s), Segments(s), steps(s), policies(s)}
	if details {
		all = slices.Insert(all, 2, HotSpots(s))
	}
	return slices.DeleteFunc(all, func(t *Table) bool {
		return t.Count == 0 || !details && t.ID == "regions" && len(s.Dies)+len(s.Blocks) > 0
	})
}

// OfFiles returns the tables that are written as files. Layers and blocks are always written.
func OfFiles(s *summary.Summary) []*Table {
	more := []*Table{Dies(s), Regions(s), Limits(s), Jedec(s), measuredValues(s), AlongCoolant(s), Streams(s),
		Segments(s)}
	more = slices.DeleteFunc(more, func(t *Table) bool { return t.Count == 0 })
	return append([]*Table{Layers(s), Blocks(s)}, more...)
}

// Limits lists the limits, sorted by margin.
func Limits(s *summary.Summary) *Table {
	l := s.Limits
	t := &Table{ID: "limits", File: "limits.csv", Title: "Limits", Count: len(l), Grouped: true,
		Note: "sorted by margin; W: allowed increase of the total power",
		PageNote: "Sorted by margin. Margin W: allowed increase of the total power (same distribution) until the " +
			"limit is reached.",
	}
	t.Tier = func(n int) string { return l[n].Label() }
	watts, wattsOnPage, at, atOnPage := "W", "margin W", "", ""
	if s.Steps > 0 {
		t.Note, t.PageNote = "sorted by margin, at the peak over time", "Sorted by margin, at the peak over time."
		at, atOnPage = "at", "at s"
		if slices.ContainsFunc(l, func(l summary.Limit) bool { return quantity.Finite(l.MarginW) }) {
			t.Note += "; W: allowed increase of the mean power"
			t.PageNote += " Margin W: allowed increase of the mean power (same distribution and times)."
		} else {
			watts, wattsOnPage = "", ""
		}
	}
	t.Cut = "the %d with the smallest margin; +%d more in limits.csv"
	if bad := len(s.Exceeded()); bad > 0 {
		t.Alarm = fmt.Sprintf(": %d of %d EXCEEDED", bad, len(l))
	}
	margin := func(n int) float64 { return l[n].MarginK }
	marginW := func(n int) float64 { return l[n].MarginW }
	when := func(n int) float64 { return l[n].TimeS }
	t.Columns = []Column{
		{CSV: "kind", Words: func(n int) string { return l[n].Kind }},
		{CSV: "layer", Words: func(n int) string { return l[n].Layer }},
		{CSV: "name", Words: func(n int) string { return l[n].Name }},
		{Page: "limit of", Words: func(n int) string { return l[n].Label() },
			At: func(n int) *summary.Place { return &l[n].At }},
		{Text: "limit", Words: func(n int) string { return shortLabel(&l[n]) }},
		{CSV: "tmax_K", Text: "tmax degC", Page: "tmax", Unit: Celsius,
			Value: func(n int) float64 { return l[n].TMaxK }},
		{CSV: "max_K", Text: "max degC", Page: "max", Unit: Celsius, Value: func(n int) float64 { return l[n].MaxK }},
		{CSV: "margin_K", Text: "margin K", Unit: plus(Kelvin), Value: margin},
		{Page: "margin K", Unit: Kelvin, Value: margin},
		{CSV: "margin_W", Text: watts, Unit: plus(significant(1, 3)), Value: marginW},
		{Page: wattsOnPage, Unit: significant(1, 3), Value: marginW},
		{CSV: "time_s", Value: func(n int) float64 {
			if s.Steps == 0 {
				return math.NaN()
			}
			return l[n].TimeS
		}},
		{Text: at, Unit: seconds, Value: when},
		{Page: atOnPage, Unit: significant(1, 3), Value: when},
		{CSV: "x_m", Value: func(n int) float64 { return l[n].At.XM }},
		{CSV: "y_m", Value: func(n int) float64 { return l[n].At.YM }},
		{CSV: "z_m", Value: func(n int) float64 { return l[n].At.ZM }},
		{CSV: "at_layer", Text: "layer", Words: func(n int) string { return l[n].At.Layer }},
		{CSV: "at_block", Words: func(n int) string { return l[n].At.Block }},
		{CSV: "at_region", Words: func(n int) string { return l[n].At.Region }},
		{Text: "block", Words: func(n int) string { return quantity.Dash(cmp.Or(l[n].At.Block, l[n].At.Region)) }},
		{CSV: "ok", Words: func(n int) string { return strconv.FormatBool(l[n].OK) }},
		{Page: "verdict", Words: func(n int) string { return verdict(s, &l[n]) }},
	}
	return t
}

func shortLabel(l *summary.Limit) string {
	if l.Kind == "stack" {
		return l.Label()
	}
	return l.Kind + " " + cmp.Or(l.Name, l.Layer)
}

// Jedec lists the JEDEC metrics.
func Jedec(s *summary.Summary) *Table {
	j, f := &s.Jedec, s.Jedec.Figures
	return &Table{ID: "jedec", File: "jedec.csv", Title: "JEDEC", PageTitle: "JEDEC metrics", Count: len(f),
		Short: true,
		Note: j.Environment + ", junction " + temperatures(s).Celsius(j.JunctionK) + " degC, " +
			quantity.Significant(j.PowerW, 4) + " W",
		PageNote: j.Environment + ". Theta: a resistance, psi: a parameter (JESD51-12), from the hottest cell.",
		Columns: []Column{
			{CSV: "environment", Words: func(int) string { return j.Environment }},
			{CSV: "figure", Text: "metric", Page: "metric", Words: func(n int) string { return f[n].Name }},
			{CSV: "K_per_W", Text: "K/W", Page: "K/W", Unit: significant(1, 4),
				Value: func(n int) float64 { return f[n].KPerW }},
			{CSV: "junction_K", Value: func(int) float64 { return j.JunctionK }},
			{CSV: "reference", Text: "from the junction to", Page: "from the junction to",
				Words: func(n int) string { return f[n].Reference }},
			{CSV: "reference_K", Text: "degC", Page: "temperature", Unit: Celsius,
				Value: func(n int) float64 { return f[n].ReferenceK }},
			{CSV: "power_W", Value: func(int) float64 { return j.PowerW }},
		}}
}

// temperatures returns the decimals of the temperatures of a run.
func temperatures(s *summary.Summary) quantity.Digits {
	return quantity.DigitsFor(s.Temperature.MaxK - s.Temperature.MinK)
}

// HotSpots lists the hot spots.
func HotSpots(s *summary.Summary) *Table {
	return HotSpotsAt(s, s.HotSpots, lastStepOnPage(s, "", ""))
}

// HotSpotsAt lists hot spots of another time, which pages state.
func HotSpotsAt(s *summary.Summary, h []summary.HotSpot, when string) *Table {
	return &Table{ID: "hotspots", Title: "Hot spots", Count: len(h), Note: lastStep(s, ""), Short: true,
		PageNote: when + "Prominence: temperature drop to the saddle towards the nearest hotter spot.",
		PageHint: clickRow,
		Columns: []Column{
			{Text: "#", Unit: count, Value: func(n int) float64 { return float64(n + 1) }},
			{Page: "location", Words: func(n int) string { return cmp.Or(h[n].Block, h[n].Region, "in "+h[n].Layer) },
				At: func(n int) *summary.Place { return &h[n].Place }},
			{Text: "degC", Page: "max", Unit: Celsius, Value: func(n int) float64 { return h[n].MaxK }},
			{Text: "rise K", Page: "rise K", Unit: Kelvin,
				Value: func(n int) float64 { return h[n].MaxK - s.Temperature.AmbientK }},
			{Page: "prominence K", Unit: Kelvin, Value: func(n int) float64 { return h[n].ProminenceK }},
			{Text: "x mm", Page: "x mm", Unit: Millimetres, Value: func(n int) float64 { return h[n].XM }},
			{Text: "y mm", Page: "y mm", Unit: Millimetres, Value: func(n int) float64 { return h[n].YM }},
			{Text: "layer", Page: "layer", Words: func(n int) string { return h[n].Layer }},
			{Text: "block", Words: func(n int) string { return quantity.Dash(cmp.Or(h[n].Block, h[n].Region)) }},
		}}
}

// Probes lists the temperatures of the probes.
func Probes(s *summary.Summary) *Table {
	p := s.Probes
	name := func(n int) string { return p[n].Name }
	kelvin := func(n int) float64 { return p[n].TemperatureK }
	return &Table{ID: "probes", Title: "Probes", Count: len(p), Note: lastStep(s, ""), Short: true,
		Cut: "the first %d; +%d more in summary.json", Columns: []Column{
			{Text: "probe", Page: "probe", Words: name, At: func(n int) *summary.Place {
				at := summary.Place{XM: p[n].XM, YM: p[n].YM, ZM: p[n].ZM}
				if p[n].Side == string(stack.Above) {
					at.ZM *= 1 + 1e-6 // beyond the interface
				}
				return &at
			}},
			{Text: "degC", Page: "temperature", Unit: Celsius, Value: kelvin},
			{Text: "rise K", Unit: Kelvin, Value: func(n int) float64 { return kelvin(n) - s.Temperature.AmbientK }},
			{Text: "x mm", Page: "x mm", Unit: Millimetres, Value: func(n int) float64 { return p[n].XM }},
			{Text: "y mm", Page: "y mm", Unit: Millimetres, Value: func(n int) float64 { return p[n].YM }},
			{Text: "z mm", Page: "z mm", Unit: fixed(1e3, 4), Value: func(n int) float64 { return p[n].ZM }},
		}}
}

// steps summarizes a transient: its first, its hottest and its last step.
func steps(s *summary.Summary) *Table {
	all := s.StepMaxima
	if len(all) == 0 {
		return &Table{}
	}
	labels := [...]string{"first", "hottest", "last"}
	hottest := slices.MaxFunc(all, func(a, b summary.Step) int { return cmp.Compare(a.MaxK, b.MaxK) })
	rows := [...]summary.Step{all[0], hottest, all[len(all)-1]}
	t := &Table{Title: "Time steps", Note: "trace.csv has every step", Count: len(rows), Columns: []Column{
		{Text: "step", Words: func(n int) string { return labels[n] }},
		{Text: "t", Unit: seconds, Value: func(n int) float64 { return rows[n].TimeS }},
		{Text: "max degC", Unit: Celsius, Value: func(n int) float64 { return rows[n].MaxK }},
		{Text: "power W", Unit: significant(1, 4), Value: func(n int) float64 { return rows[n].PowerW }},
	}}
	if s.Stepping != nil {
		t.Title, t.Note = "Times", "trace.csv has every time"
	}
	return t
}

// policies lists the effects of the policies.
func policies(s *summary.Summary) *Table {
	p := s.Policies
	return &Table{Title: "Policies", Count: len(p), Columns: []Column{
		{Text: "policy", Words: func(n int) string { return p[n].Name }},
		{Text: "above degC", Unit: Celsius, Value: func(n int) float64 { return p[n].AboveK }},
		{Text: "below degC", Unit: Celsius, Value: func(n int) float64 { return p[n].BelowK }},
		{Text: "peak degC", Unit: Celsius, Value: func(n int) float64 { return p[n].PeakK }},
		{Text: "factor", Unit: significant(1, 3), Value: func(n int) float64 { return p[n].Factor }},
		{Text: "first", Unit: seconds, Value: func(n int) float64 {
			if p[n].FirstS == nil {
				return math.NaN()
			}
			return *p[n].FirstS
		}},
		{Text: "throttled", Unit: seconds, Value: func(n int) float64 { return p[n].ThrottledS }},
		{Text: "changes", Unit: count, Value: func(n int) float64 { return float64(p[n].Changes) }},
	}}
}
