package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"

	"thermsim/report/printout"
	"thermsim/report/quantity"
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
	t := tables.New("layer", "#max K", "#min", "#mean", "#rms", "#x mm", "#y mm", "block")
	for _, l := range slices.Backward(c.Layers) {
		t.Add(l.Name, p.Deg.Kelvin(l.MaxK), p.Deg.Kelvin(l.MinK), p.Deg.Kelvin(l.MeanK), p.Deg.Kelvin(l.RMSK),
			quantity.Millimetres(l.At.XM), quantity.Millimetres(l.At.YM), quantity.Dash(l.At.Block))
	}
	p.Heading("Layers", "top to bottom; the place is that of the largest difference")
	p.Table(t)
	if len(c.Blocks) > 0 {
		blocks := slices.Clone(c.Blocks)
		sort.SliceStable(blocks, func(i, j int) bool { return math.Abs(blocks[i].MaxK) > math.Abs(blocks[j].MaxK) })
		t := tables.New("block", "layer", "#of maxima K", "#of means K")
		for _, b := range blocks[:min(len(blocks), printout.MaxTextBlocks)] {
			t.Add(b.Name, b.Layer, p.Deg.Kelvin(b.MaxK), p.Deg.Kelvin(b.AvgK))
		}
		note := "largest difference first"
		if len(blocks) > printout.MaxTextBlocks {
			note = fmt.Sprintf("the %d that differ most of %d; diff.json has them all", printout.MaxTextBlocks,
				len(blocks))
		}
		p.Heading("Blocks", note)
		p.Table(t)
	}
	return p.Flush()
}
