package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

func (p *page) layers(s *Summary) {
	t := table{columns: []column{name("layer"), number("max degC"), number("mean"), number("min"), number("power W"),
		number("x mm"), number("y mm"), name("hottest block")}}
	peaks := s.Peak != (Peak{})
	if peaks {
		t.columns = slices.Insert(t.columns, 1, number("peak degC"), number("at"))
		t.columns[3] = number("last max")
	}
	most := 0.0
	for i := range s.Layers {
		most = max(most, math.Abs(s.Layers[i].PowerW))
	}
	note := lastStep(s, "top to bottom")
	for _, l := range slices.Backward(s.Layers) {
		power := "-"
		if l.PowerW != 0 {
			power = fixed(l.PowerW, wattDecimals(most))
		}
		mean := p.deg.celsius(l.MeanK)
		if len(l.MeanWithout) > 0 {
			mean += "*"
		} else {
			mean += " "
		}
		cells := []string{l.Name, p.deg.celsius(l.MaxK), mean, p.deg.celsius(l.MinK), power,
			millimetres(l.MaxAt.XM), millimetres(l.MaxAt.YM), dash(cmp.Or(l.MaxAt.Block, l.MaxAt.Region))}
		if peaks {
			cells = slices.Insert(cells, 1, p.deg.celsius(l.Peak.MaxK), seconds(l.Peak.TimeS))
		}
		t.add(cells...)
	}
	p.heading("Layers", note)
	p.table(&t)
	p.meansWithout(s)
}

// meansWithout tells what the means of layers leave out.
func (p *page) meansWithout(s *Summary) {
	var materials []string
	for i := range s.Layers {
		for _, m := range s.Layers[i].MeanWithout {
			if !slices.Contains(materials, m) {
				materials = append(materials, m)
			}
		}
	}
	if len(materials) > 0 {
		p.line("  %s", p.paint(dim, shorten("* without "+strings.Join(materials, ", "), p.style.Width-2)))
	}
}

// regions lists the regions layer by layer, like the layers from the top.
// extentRow is a die or a region in its table.
type extentRow struct {
	name, layer    string
	watts          float64
	max, mean, min float64 // K
	at             Place
	peak           Peak
}

func (p *page) dies(s *Summary) {
	rows := make([]extentRow, 0, len(s.Dies))
	for i := range slices.Backward(s.Dies) {
		d := &s.Dies[i]
		rows = append(rows, extentRow{d.Name, d.span(), d.PowerW, d.MaxK, d.MeanK, d.MinK, d.MaxAt, d.Peak})
	}
	p.extents(s, "Dies", "dies.csv", [2]string{"die", "layers"}, rows)
}

func (p *page) regions(s *Summary) {
	rows := make([]extentRow, 0, len(s.Regions))
	for i := range slices.Backward(s.Regions) {
		r := &s.Regions[i]
		rows = append(rows, extentRow{r.Label(), r.Layer, r.PowerW, r.MaxK, r.MeanK, r.MinK, r.MaxAt, r.Peak})
	}
	p.extents(s, "Regions", "regions.csv", [2]string{"region", "layer"}, rows)
}

// extents is a table of rows that come top to bottom; of many, the hottest.
func (p *page) extents(s *Summary, title, file string, first [2]string, rows []extentRow) {
	if len(rows) == 0 {
		return
	}
	peaks := s.Peak != (Peak{})
	t := table{columns: []column{name(first[0]), name(first[1]), number("max degC"), number("mean"), number("min"),
		number("power W"), number("x mm"), number("y mm")}}
	if peaks {
		t.columns = slices.Insert(t.columns, 2, number("peak degC"), number("at"))
		t.columns[4] = number("last max")
	}
	most := 0.0
	for i := range rows {
		most = max(most, math.Abs(rows[i].watts))
	}
	note := lastStep(s, "top to bottom")
	if n := len(rows); n > maxTextBlocks {
		slices.SortStableFunc(rows, func(a, b extentRow) int {
			return cmp.Compare(b.peak.reached(b.max), a.peak.reached(a.max))
		})
		rows = rows[:maxTextBlocks]
		note = lastStep(s, fmt.Sprintf("the %d hottest of %d; %s has them all", maxTextBlocks, n, file))
	}
	for i := range rows {
		r := &rows[i]
		power := "-"
		if r.watts != 0 {
			power = fixed(r.watts, wattDecimals(most))
		}
		cells := []string{r.name, r.layer, p.deg.celsius(r.max), p.deg.celsius(r.mean), p.deg.celsius(r.min), power,
			millimetres(r.at.XM), millimetres(r.at.YM)}
		if peaks {
			cells = slices.Insert(cells, 2, p.deg.celsius(r.peak.MaxK), seconds(r.peak.TimeS))
		}
		t.add(cells...)
	}
	p.heading(title, note)
	p.table(&t)
}

func (p *page) blocks(s *Summary) {
	if len(s.Blocks) == 0 {
		return
	}
	peaks := s.Peak != (Peak{})
	hottest := slices.Clone(s.Blocks)
	slices.SortStableFunc(hottest, func(a, b BlockSummary) int {
		return cmp.Compare(b.Peak.reached(b.MaxK), a.Peak.reached(a.MaxK))
	})
	most := 0.0
	for i := range s.Blocks {
		most = max(most, math.Abs(s.Blocks[i].PowerW))
	}
	t := table{columns: []column{name("block"), name("layer"), number("max degC"), number("avg"), number("min"),
		number("power W"), number("W/cm2"), number("x mm"), number("y mm")}}
	leaks := s.Power.LeakageW > 0
	if leaks {
		t.columns = append(t.columns, number("of it leaking"))
	}
	if peaks {
		t.columns = slices.Insert(t.columns, 2, number("peak degC"), number("at"))
		t.columns[4] = number("last max")
	}
	for i, b := range hottest {
		if i == maxTextBlocks {
			break
		}
		cells := []string{b.Name, b.Layer, p.deg.celsius(b.MaxK), p.deg.celsius(b.AvgK), p.deg.celsius(b.MinK),
			fixed(b.PowerW, wattDecimals(most)), significant(b.PowerW/b.AreaM2*1e-4, 3), millimetres(b.MaxAt.XM),
			millimetres(b.MaxAt.YM)}
		if leaks {
			cells = append(cells, fixed(b.LeakageW, wattDecimals(most)))
		}
		if peaks {
			cells = slices.Insert(cells, 2, p.deg.celsius(b.Peak.MaxK), seconds(b.Peak.TimeS))
		}
		t.add(cells...)
	}
	note := lastStep(s, "hottest first")
	if len(s.Blocks) > maxTextBlocks {
		note = lastStep(s, fmt.Sprintf("the %d hottest of %d; blocks.csv and --json have them all", maxTextBlocks,
			len(s.Blocks)))
	}
	p.heading("Blocks", note)
	p.table(&t)
}
