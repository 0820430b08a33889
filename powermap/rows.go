package powermap

import (
	"cmp"
	"slices"

	"thermsim/stack/geometry"
)

// Row is the part of a row of cells that a shape covers: Areas[n] m2 of cell (I+n, J).
type Row struct {
	I, J  int
	Areas []float64
}

// Rows measures a shape on the grid, from south to north. A row lists the cells from the first to the last that the
// shape covers, with 0 for others between them. As with [Overlap], parts beyond the grid and parts no larger than
// rounding are omitted.
func Rows(g Grid, s geometry.Shape) []Row {
	const sliver = 1e-9 // of the cell, or of a shape smaller than that
	var rows []Row
	at, whole := map[int]int{}, s.Area()
	geometry.CellAreas(s, g.X, g.Y, func(i, j int, area float64) {
		if cell := (g.X[i+1] - g.X[i]) * (g.Y[j+1] - g.Y[j]); area <= sliver*min(cell, whole) {
			return
		}
		n, known := at[j]
		if !known {
			n = len(rows)
			at[j] = n
			rows = append(rows, Row{I: i, J: j})
		}
		r := &rows[n]
		for len(r.Areas) < i-r.I {
			r.Areas = append(r.Areas, 0)
		}
		r.Areas = append(r.Areas, area)
	})
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.J, b.J) })
	return rows
}
