package tables

import "thermsim/report/summary"

// mostPageSegments is the number of segments of a power grid on a page.
const mostPageSegments = 200

// Segments lists the segments of the power grid, worst first.
func Segments(s *summary.Summary) *Table {
	if s.PowerGrid == nil {
		return &Table{}
	}
	g := s.PowerGrid.All
	number := func(csv, text string, u Unit, of func(e *summary.Segment) float64) Column {
		return Column{CSV: csv, Text: text, Page: text, Unit: u, Value: func(n int) float64 { return of(&g[n]) }}
	}
	hidden := func(csv string, of func(e *summary.Segment) float64) Column { return number(csv, "", Unit{}, of) }
	return &Table{ID: "segments", File: "segments.csv", Title: "Power grid", Count: len(g),
		MostPage: mostPageSegments, First: "worst",
		Note: "worst first", Cut: "the %d worst; +%d more in segments.csv",
		PageNote: "Segments by lifetime, or by current density without em.", PageHint: clickRow,
		Columns: []Column{
			{CSV: "from", Text: "from", Page: "from", Words: func(n int) string { return g[n].From },
				At: func(n int) *summary.Place { return &g[n].At }},
			{CSV: "to", Text: "to", Page: "to", Words: func(n int) string { return g[n].To }},
			{CSV: "layer", Text: "layer", Page: "layer", Words: func(n int) string { return g[n].At.Layer }},
			hidden("x_m", func(e *summary.Segment) float64 { return e.At.XM }),
			hidden("y_m", func(e *summary.Segment) float64 { return e.At.YM }),
			number("current_A", "mA", significant(1e3, 4), func(e *summary.Segment) float64 { return e.CurrentA }),
			number("current_density_A_per_m2", "MA/cm2", significant(1e-10, 4),
				func(e *summary.Segment) float64 { return e.CurrentDensity }),
			hidden("resistance_ohm", func(e *summary.Segment) float64 { return e.ResistanceOhm }),
			number("joule_W", "mW", significant(1e3, 3), func(e *summary.Segment) float64 { return e.JouleW }),
			number("drop_V", "drop mV", significant(1e3, 4), func(e *summary.Segment) float64 { return e.DropV }),
			{CSV: "temperature_K", Text: "degC", Page: "mean", Unit: Celsius,
				Value: func(n int) float64 { return g[n].TemperatureK }},
			number("lifetime_s", "years", known(1/summary.SecondsPerYear),
				func(e *summary.Segment) float64 { return e.LifetimeS }),
		}}
}
