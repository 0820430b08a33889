package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"thermsim/report/printout"
	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/report/tables"
)

// WriteText prints the tables.
func (c *Comparison) WriteText(w io.Writer, st printout.Style) error {
	p := printout.NewPage(w, st, max(math.Abs(c.All.MaxK), math.Abs(c.All.MinK)))
	p.Line("%s", p.Paint(printout.Bold, fmt.Sprintf("%s minus %s", c.First, c.Second)))
	for _, doubt := range c.Doubts {
		p.Line("  %s %s", p.Paint(printout.Red, c.Caveat()+":"), doubt)
	}
	p.Line("  peak %s and %s degC: %s K apart", p.Deg.Celsius(c.PeakK[0]), p.Deg.Celsius(c.PeakK[1]),
		p.Deg.Kelvin(c.PeakK[0]-c.PeakK[1]))
	if math.IsNaN(c.All.MaxK) {
		p.Line("  no cell can be compared")
		return p.Flush()
	}
	p.Line("  differences from %s to %s K, mean %s, rms %s; largest in %s at x %s, y %s mm", p.Deg.Kelvin(c.All.MinK),
		p.Deg.Kelvin(c.All.MaxK),
		p.Deg.Kelvin(c.All.MeanK), p.Deg.Kelvin(c.All.RMSK), printout.PlaceText(c.All.At, 30),
		quantity.Millimetres(c.All.At.XM),
		quantity.Millimetres(c.All.At.YM))
	if !c.SameGrid {
		p.Line("  the grids differ: the second field was interpolated to the first one's")
	}
	if len(c.Missing) > 0 {
		p.Line("  in one of the stacks only, not compared: %s", strings.Join(c.Missing, ", "))
	}
	for _, t := range c.tables(true) {
		p.Table(t)
	}
	return p.Flush()
}

// tables are those of the layers, from the top, and of the blocks, which may be sorted by their difference.
func (c *Comparison) tables(sorted bool) []*tables.Table {
	l, b := slices.Clone(c.Layers), slices.Clone(c.Blocks)
	slices.Reverse(l)
	if sorted {
		slices.SortStableFunc(b, func(x, y BlockDifference) int {
			return cmp.Compare(math.Abs(y.MaxK), math.Abs(x.MaxK))
		})
	}
	layers := &tables.Table{ID: "layers-table", Title: "Layers", Count: len(l), Short: true,
		Note:     "top to bottom; the place is that of the largest difference",
		PageNote: "Differences in K, top to bottom; a click shows where they are largest.",
		Columns: []tables.Column{
			{Text: "layer", Page: "layer", Words: func(n int) string { return l[n].Name },
				At: func(n int) *summary.Place { return &l[n].At }},
			{Text: "max K", Page: "max", Unit: tables.Kelvin, Value: func(n int) float64 { return l[n].MaxK }},
			{Text: "min", Page: "min", Unit: tables.Kelvin, Value: func(n int) float64 { return l[n].MinK }},
			{Text: "mean", Page: "mean", Unit: tables.Kelvin, Value: func(n int) float64 { return l[n].MeanK }},
			{Text: "rms", Page: "rms", Unit: tables.Kelvin, Value: func(n int) float64 { return l[n].RMSK }},
			{Text: "x mm", Unit: tables.Millimetres, Value: func(n int) float64 { return l[n].At.XM }},
			{Text: "y mm", Unit: tables.Millimetres, Value: func(n int) float64 { return l[n].At.YM }},
			{Text: "block", Words: func(n int) string { return quantity.Dash(l[n].At.Block) }},
		}}
	blocks := &tables.Table{ID: "blocks", Title: "Blocks", Count: len(b), Most: tables.MaxTextRows,
		Note: "largest difference first", PageNote: "Differences in K.",
		Cut: "the %d that differ most of %d; diff.json has them all",
		Columns: []tables.Column{
			{Text: "block", Page: "block", Words: func(n int) string { return b[n].Name }},
			{Text: "layer", Page: "layer", Words: func(n int) string { return b[n].Layer }},
			{Text: "of maxima K", Page: "of maxima", Unit: tables.Kelvin,
				Value: func(n int) float64 { return b[n].MaxK }},
			{Text: "of means K", Page: "of means", Unit: tables.Kelvin,
				Value: func(n int) float64 { return b[n].AvgK }},
		}}
	return []*tables.Table{layers, blocks}
}
