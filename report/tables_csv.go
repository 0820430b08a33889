package report

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
)

// writeBlocksCSV lists the blocks in the order of the layers and their floorplans.
func writeBlocksCSV(w io.Writer, s *Summary) error {
	rows := [][]string{{"layer", "block", "area_m2", "power_W", "density_W_per_m2", "max_K", "avg_K", "min_K"}}
	for _, b := range s.Blocks {
		rows = append(rows, []string{b.Layer, b.Name, csvNumber(b.AreaM2), csvNumber(b.PowerW), csvNumber(b.PowerW / b.AreaM2),
			csvNumber(b.MaxK), csvNumber(b.AvgK), csvNumber(b.MinK)})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// writeLayersCSV lists the layers from the bottom.
func writeLayersCSV(w io.Writer, s *Summary) error {
	rows := [][]string{{"layer", "material", "z_bottom_m", "thickness_m", "power_W", "max_K", "mean_K", "min_K",
		"max_x_m", "max_y_m", "max_z_m", "max_block"}}
	for _, l := range s.Layers {
		rows = append(rows, []string{l.Name, l.Material, csvNumber(l.ZBottomM), csvNumber(l.ThicknessM), csvNumber(l.PowerW),
			csvNumber(l.MaxK), csvNumber(l.MeanK), csvNumber(l.MinK),
			csvNumber(l.MaxAt.XM), csvNumber(l.MaxAt.YM), csvNumber(l.MaxAt.ZM), l.MaxAt.Block})
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
