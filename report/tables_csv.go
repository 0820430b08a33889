package report

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
	"strings"

	"thermsim/internal/printable"
	"thermsim/report/summary"
)

// peakHead and peakCells are the columns of peaks over time, which transients have.
func peakHead(s *summary.Summary, head ...string) []string {
	if s.Peak == (summary.Peak{}) {
		return head
	}
	return append(head, "peak_K", "peak_time_s", "peak_x_m", "peak_y_m", "peak_z_m")
}

// leakHead and leakCells add the leakage, which is part of the power, where anything leaks.
func leakHead(s *summary.Summary, names []string) []string {
	if s.Power.LeakageW == 0 {
		return names
	}
	return append(names, "leakage_W")
}

func leakCells(s *summary.Summary, watts float64, cells []string) []string {
	if s.Power.LeakageW == 0 {
		return cells
	}
	return append(cells, csvNumber(watts))
}

func peakCells(s *summary.Summary, p *summary.Peak, cells ...string) []string {
	if s.Peak == (summary.Peak{}) {
		return cells
	}
	return append(cells, csvNumber(p.MaxK), csvNumber(p.TimeS), csvNumber(p.At.XM), csvNumber(p.At.YM),
		csvNumber(p.At.ZM))
}

// writeBlocksCSV lists the blocks in the order of the layers and their floorplans.
func writeBlocksCSV(w io.Writer, s *summary.Summary) error {
	rows :=
		[][]string{leakHead(s, peakHead(s, "layer", "block", "area_m2", "power_W", "density_W_per_m2", "max_K", "avg_K",
			"min_K", "max_x_m", "max_y_m", "max_z_m"))}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		rows = append(rows,
			leakCells(s, b.LeakageW, peakCells(s, &b.Peak, b.Layer, b.Name, csvNumber(b.AreaM2), csvNumber(b.PowerW),
				csvNumber(b.PowerW/b.AreaM2),
				csvNumber(b.MaxK), csvNumber(b.AvgK), csvNumber(b.MinK), csvNumber(b.MaxAt.XM), csvNumber(b.MaxAt.YM),
				csvNumber(b.MaxAt.ZM))))
	}
	return writeRows(w, rows)
}

// writeDiesCSV lists the dies in the order of their lowest regions.
func writeDiesCSV(w io.Writer, s *summary.Summary) error {
	rows :=
		[][]string{leakHead(s, peakHead(s, "die", "layers", "power_W", "max_K", "mean_K", "min_K", "max_x_m", "max_y_m",
			"max_z_m"))}
	for i := range s.Dies {
		d := &s.Dies[i]
		rows = append(rows,
			leakCells(s, d.LeakageW, peakCells(s, &d.Peak, d.Name, strings.Join(d.Layers, " "), csvNumber(d.PowerW),
				csvNumber(d.MaxK), csvNumber(d.MeanK), csvNumber(d.MinK), csvNumber(d.MaxAt.XM), csvNumber(d.MaxAt.YM),
				csvNumber(d.MaxAt.ZM))))
	}
	return writeRows(w, rows)
}

// writeRegionsCSV lists regions, what they leave of their layers, and uniform powers, in the order of the layers.
func writeRegionsCSV(w io.Writer, s *summary.Summary) error {
	rows :=
		[][]string{
			leakHead(s, peakHead(s, "layer", "region", "kind", "material", "area_m2", "power_W", "max_K", "mean_K",
				"min_K", "max_x_m", "max_y_m", "max_z_m"))}
	for i := range s.Regions {
		r := &s.Regions[i]
		rows = append(rows,
			leakCells(s, r.LeakageW, peakCells(s, &r.Peak, r.Layer, r.Name, r.Kind, r.Material, csvNumber(r.AreaM2),
				csvNumber(r.PowerW),
				csvNumber(r.MaxK), csvNumber(r.MeanK), csvNumber(r.MinK), csvNumber(r.MaxAt.XM), csvNumber(r.MaxAt.YM),
				csvNumber(r.MaxAt.ZM))))
	}
	return writeRows(w, rows)
}

// writeLimitsCSV lists the limits, worst first.
func writeLimitsCSV(w io.Writer, s *summary.Summary) error {
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
	return writeRows(w, rows)
}

// writeLayersCSV lists the layers from the bottom.
func writeLayersCSV(w io.Writer, s *summary.Summary) error {
	rows :=
		[][]string{
			leakHead(s, peakHead(s, "layer", "material", "z_bottom_m", "thickness_m", "power_W", "max_K", "mean_K",
				"min_K",
				"max_x_m", "max_y_m", "max_z_m", "max_block", "mean_without"))}
	for i := range s.Layers {
		l := &s.Layers[i]
		rows = append(rows,
			leakCells(s, l.LeakageW, peakCells(s, &l.Peak, l.Name, l.Material, csvNumber(l.ZBottomM),
				csvNumber(l.ThicknessM), csvNumber(l.PowerW),
				csvNumber(l.MaxK), csvNumber(l.MeanK), csvNumber(l.MinK),
				csvNumber(l.MaxAt.XM), csvNumber(l.MaxAt.YM), csvNumber(l.MaxAt.ZM), l.MaxAt.Block,
				strings.Join(l.MeanWithout, " "))))
	}
	return writeRows(w, rows)
}

// writeRows writes a table. What is no number is text, which must not run as a formula where a spreadsheet opens the
// file.
func writeRows(w io.Writer, rows [][]string) error {
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

// writeCoolantCSV lists every cavity's coolant along the flow.
func writeCoolantCSV(w io.Writer, s *summary.Summary) error {
	rows := [][]string{{"layer", "distance_m", "mixed_K", "min_K", "max_K"}}
	for i := range s.Coolant {
		c := &s.Coolant[i]
		for _, a := range c.Along {
			rows = append(rows, []string{c.Layer, csvNumber(a.DistanceM), csvNumber(a.MixedK), csvNumber(a.MinK),
				csvNumber(a.MaxK)})
		}
	}
	return writeRows(w, rows)
}

// writeStreamsCSV lists every cavity's streams.
func writeStreamsCSV(w io.Writer, s *summary.Summary) error {
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
	return writeRows(w, rows)
}

// writeJedecCSV lists the figures.
func writeJedecCSV(w io.Writer, s *summary.Summary) error {
	rows := [][]string{{"environment", "figure", "K_per_W", "junction_K", "reference", "reference_K", "power_W"}}
	for _, f := range s.Jedec.Figures {
		rows = append(rows, []string{s.Jedec.Environment, f.Name, csvNumber(f.KPerW), csvNumber(s.Jedec.JunctionK),
			f.Reference, csvNumber(f.ReferenceK), csvNumber(s.Jedec.PowerW)})
	}
	return writeRows(w, rows)
}
