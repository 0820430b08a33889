package tables

import (
	"thermsim/report/summary"
)

// Measured lists the places with measured temperatures, with the value that differs most.
func Measured(s *summary.Summary) *Table {
	if s.Measured == nil {
		return &Table{}
	}
	p := s.Measured.Places
	several := len(p) < s.Measured.Count
	only := func(shown bool, heading string) string {
		if shown {
			return heading
		}
		return ""
	}
	at := only(s.Steps > 0, "at")
	worst := func(n int) *summary.MeasuredValue { return &p[n].Worst }
	difference := plus(Kelvin)
	t := &Table{ID: "measured", Title: "Measured", PageTitle: "Measured data", Count: len(p),
		Note: "difference: computed minus measured", Cut: "the first %d; +%d more in summary.json",
		PageNote: s.Measured.Text() + ". Differences are computed minus measured."}
	if several {
		t.Note = "the worst value of each place; " + t.Note
		t.PageNote += " The table has the worst value of each place; measured.csv has all."
	}
	t.Columns = []Column{
		{Text: "place", Page: "place", Words: func(n int) string { return p[n].Worst.Probe },
			At: func(n int) *summary.Place {
				return &summary.Place{XM: worst(n).XM, YM: worst(n).YM, ZM: worst(n).ZM}
			}},
		{Text: at, Page: at, Unit: seconds, Value: func(n int) float64 { return worst(n).TimeS }},
		{Text: "measured degC", Page: "measured", Unit: Celsius,
			Value: func(n int) float64 { return worst(n).MeasuredK }},
		{Text: "computed", Page: "computed", Unit: Celsius, Value: func(n int) float64 { return worst(n).ComputedK }},
		{Text: "difference K", Page: "difference K", Unit: difference,
			Value: func(n int) float64 { return worst(n).DifferenceK() }},
		{Text: only(several, "bias K"), Page: only(several, "bias K"), Unit: difference,
			Value: func(n int) float64 { return p[n].BiasK }},
		{Text: only(several, "RMS K"), Page: only(several, "RMS K"), Unit: Kelvin,
			Value: func(n int) float64 { return p[n].RMSK }},
		{Text: only(several, "values"), Page: only(several, "values"), Unit: count,
			Value: func(n int) float64 { return float64(p[n].Count) }},
	}
	return t
}

// measuredValues lists all measured values, in the order of their file.
func measuredValues(s *summary.Summary) *Table {
	if s.Measured == nil {
		return &Table{}
	}
	v := s.Measured.Values
	number := func(heading string, u Unit, of func(v *summary.MeasuredValue) float64) Column {
		return Column{CSV: heading, Unit: u, Value: func(n int) float64 { return of(&v[n]) }}
	}
	return &Table{File: "measured.csv", Count: len(v), Columns: []Column{
		{CSV: "probe", Words: func(n int) string { return v[n].Probe }},
		number("x_m", Unit{}, func(v *summary.MeasuredValue) float64 { return v.XM }),
		number("y_m", Unit{}, func(v *summary.MeasuredValue) float64 { return v.YM }),
		number("z_m", Unit{}, func(v *summary.MeasuredValue) float64 { return v.ZM }),
		number("time_s", Unit{}, func(v *summary.MeasuredValue) float64 { return v.TimeS }),
		number("measured_K", Celsius, func(v *summary.MeasuredValue) float64 { return v.MeasuredK }),
		number("computed_K", Celsius, func(v *summary.MeasuredValue) float64 { return v.ComputedK }),
		number("difference_K", Kelvin, (*summary.MeasuredValue).DifferenceK),
	}}
}
