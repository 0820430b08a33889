package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"
)

// WriteText prints the tables.
func (c *Comparison) WriteText(w io.Writer, st Style) error {
	p := newPage(w, st, max(math.Abs(c.All.MaxK), math.Abs(c.All.MinK)))
	p.line("%s", p.paint(bold, fmt.Sprintf("%s minus %s", c.First, c.Second)))
	for _, doubt := range c.Doubts {
		p.line("  %s %s", p.paint(red, c.Caveat()+":"), doubt)
	}
	p.line("  peak %s and %s degC: %s K apart", p.deg.celsius(c.PeakK[0]), p.deg.celsius(c.PeakK[1]),
		p.deg.kelvin(c.PeakK[0]-c.PeakK[1]))
	if math.IsNaN(c.All.MaxK) {
		p.line("  no cell can be compared")
		return p.flush()
	}
	p.line("  differences from %s to %s K, mean %s, rms %s; largest in %s at x %s, y %s mm", p.deg.kelvin(c.All.MinK),
		p.deg.kelvin(c.All.MaxK),
		p.deg.kelvin(c.All.MeanK), p.deg.kelvin(c.All.RMSK), placeText(c.All.At, 30), millimetres(c.All.At.XM),
		millimetres(c.All.At.YM))
	if !c.SameGrid {
		p.line("  the grids differ: the second field was interpolated to the first one's")
	}
	if len(c.Missing) > 0 {
		p.line("  in one of the stacks only, not compared: %s", strings.Join(c.Missing, ", "))
	}
	t := table{columns: []column{name("layer"), number("max K"), number("min"), number("mean"), number("rms"),
		number("x mm"), number("y mm"), name("block")}}
	for _, l := range slices.Backward(c.Layers) {
		t.add(l.Name, p.deg.kelvin(l.MaxK), p.deg.kelvin(l.MinK), p.deg.kelvin(l.MeanK), p.deg.kelvin(l.RMSK),
			millimetres(l.At.XM), millimetres(l.At.YM), dash(l.At.Block))
	}
	p.heading("Layers", "top to bottom; the place is that of the largest difference")
	p.table(&t)
	if len(c.Blocks) > 0 {
		blocks := slices.Clone(c.Blocks)
		sort.SliceStable(blocks, func(i, j int) bool { return math.Abs(blocks[i].MaxK) > math.Abs(blocks[j].MaxK) })
		t := table{columns: []column{name("block"), name("layer"), number("of maxima K"), number("of means K")}}
		for _, b := range blocks[:min(len(blocks), maxTextBlocks)] {
			t.add(b.Name, b.Layer, p.deg.kelvin(b.MaxK), p.deg.kelvin(b.AvgK))
		}
		note := "largest difference first"
		if len(blocks) > maxTextBlocks {
			note = fmt.Sprintf("the %d that differ most of %d; diff.json has them all", maxTextBlocks, len(blocks))
		}
		p.heading("Blocks", note)
		p.table(&t)
	}
	return p.flush()
}
