package tables

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"thermsim/internal/printable"
	"thermsim/report/summary"
)

// LimitsCSV lists the limits, worst first.
func LimitsCSV(w io.Writer, s *summary.Summary) error {
	rows := [][]string{{"kind", "layer", "name", "tmax_K", "max_K", "margin_K", "margin_W", "time_s", "x_m", "y_m",
		"z_m", "at_layer", "at_block", "at_region", "ok"}}
	for i := range s.Limits {
		l := &s.Limits[i]
		time := ""
		if s.Steps > 0 {
			time = csvNumber(l.TimeS)
		}
		rows = append(rows, []string{l.Kind, l.Layer, l.Name, csvNumber(l.TMaxK), csvNumber(l.MaxK),
			csvNumber(l.MarginK), csvNumber(l.MarginW), time,
			csvNumber(l.At.XM), csvNumber(l.At.YM), csvNumber(l.At.ZM), l.At.Layer, l.At.Block, l.At.Region,
			strconv.FormatBool(l.OK)})
	}
	return WriteRows(w, rows)
}

// WriteRows writes a table. What is no number is text, which must not run as a formula where a spreadsheet opens the
// file.
func WriteRows(w io.Writer, rows [][]string) error {
	for _, row := range rows {
		for i, cell := range row {
			if _, err := strconv.ParseFloat(cell, 64); err != nil {
				row[i] = printable.Cell(cell)
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// csvNumber has 10 significant digits; numbers that do not exist are empty cells.
func csvNumber(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 10, 64)
}

// CoolantCSV lists every cavity's coolant along the flow.
func CoolantCSV(w io.Writer, s *summary.Summary) error {
	rows := [][]string{{"layer", "distance_m", "mixed_K", "min_K", "max_K"}}
	for i := range s.Coolant {
		c := &s.Coolant[i]
		for _, a := range c.Along {
			rows = append(rows, []string{c.Layer, csvNumber(a.DistanceM), csvNumber(a.MixedK), csvNumber(a.MinK),
				csvNumber(a.MaxK)})
		}
	}
	return WriteRows(w, rows)
}

// StreamsCSV lists every cavity's streams.
func StreamsCSV(w io.Writer, s *summary.Summary) error {
	rows := [][]string{{"layer", "from_m", "to_m", "flow_m3_per_s", "velocity_m_per_s", "reynolds", "pressure_drop_Pa",
		"outlet_K", "heat_W"}}
	for i := range s.Coolant {
		c := &s.Coolant[i]
		for _, t := range c.Streams {
			rows = append(rows, []string{c.Layer, csvNumber(t.FromM), csvNumber(t.ToM), csvNumber(t.FlowM3PerS),
				csvNumber(t.VelocityMPerS), csvNumber(t.Reynolds), csvNumber(t.PressureDrop),
				csvNumber(t.OutletK), csvNumber(t.HeatW)})
		}
	}
	return WriteRows(w, rows)
}

// JedecCSV lists the figures.
func JedecCSV(w io.Writer, s *summary.Summary) error {
	rows := [][]string{{"environment", "figure", "K_per_W", "junction_K", "reference", "reference_K", "power_W"}}
	for _, f := range s.Jedec.Figures {
		rows = append(rows, []string{s.Jedec.Environment, f.Name, csvNumber(f.KPerW), csvNumber(s.Jedec.JunctionK),
			f.Reference, csvNumber(f.ReferenceK), csvNumber(s.Jedec.PowerW)})
	}
	return WriteRows(w, rows)
}
