package printout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/report/quantity"
	"thermsim/report/summary"
)

func (p *Page) layers(s *summary.Summary) {
	t := Table{Columns: []Column{Name("layer"), Number("max degC"), Number("mean"), Number("min"), Number("power W"),
		Number("x mm"), Number("y mm"), Name("hottest block")}}
	peaks := s.Peak != (summary.Peak{})
	if peaks {
		t.Columns = slices.Insert(t.Columns, 1, Number("peak degC"), Number("at"))
		t.Columns[3] = Number("last max")
	}
	most := 0.0
	for i := range s.Layers {
		most = max(most, math.Abs(s.Layers[i].PowerW))
	}
	note := lastStep(s, "top to bottom")
	for _, l := range slices.Backward(s.Layers) {
		power := "-"
		if l.PowerW != 0 {
			power = quantity.Fixed(l.PowerW, quantity.WattDecimals(most))
		}
		mean := p.Deg.Celsius(l.MeanK)
		if len(l.MeanWithout) > 0 {
			mean += "*"
		} else {
			mean += " "
		}
		cells := []string{l.Name, p.Deg.Celsius(l.MaxK), mean, p.Deg.Celsius(l.MinK), power,
			quantity.Millimetres(l.MaxAt.XM), quantity.Millimetres(l.MaxAt.YM),
			quantity.Dash(cmp.Or(l.MaxAt.Block, l.MaxAt.Region))}
		if peaks {
			cells = slices.Insert(cells, 1, p.Deg.Celsius(l.Peak.MaxK), quantity.Seconds(l.Peak.TimeS))
		}
		t.Add(cells...)
	}
	p.Heading("Layers", note)
	p.Table(&t)
	p.meansWithout(s)
}

// meansWithout tells what the means of layers leave out.
func (p *Page) meansWithout(s *summary.Summary) {
	var materials []string
	for i := range s.Layers {
		for _, m := range s.Layers[i].MeanWithout {
			if !slices.Contains(materials, m) {
				materials = append(materials, m)
			}
		}
	}
	if len(materials) > 0 {
		p.Line("  %s", p.Paint(dim, quantity.Shorten("* without "+strings.Join(materials, ", "), p.style.Width-2)))
	}
}

// regions lists the regions layer by layer, like the layers from the top.
// extentRow is a die or a region in its table.
type extentRow struct {
	name, layer    string
	watts          float64
	max, mean, min float64 // K
	at             summary.Place
	peak           summary.Peak
}

func (p *Page) dies(s *summary.Summary) {
	rows := make([]extentRow, 0, len(s.Dies))
	for i := range slices.Backward(s.Dies) {
		d := &s.Dies[i]
		rows = append(rows, extentRow{d.Name, d.Span(), d.PowerW, d.MaxK, d.MeanK, d.MinK, d.MaxAt, d.Peak})
	}
	p.extents(s, "Dies", "dies.csv", [2]string{"die", "layers"}, rows)
}

func (p *Page) regions(s *summary.Summary) {
	rows := make([]extentRow, 0, len(s.Regions))
	for i := range slices.Backward(s.Regions) {
		r := &s.Regions[i]
		rows = append(rows, extentRow{r.Label(), r.Layer, r.PowerW, r.MaxK, r.MeanK, r.MinK, r.MaxAt, r.Peak})
	}
	p.extents(s, "Regions", "regions.csv", [2]string{"region", "layer"}, rows)
}

// extents is a table of rows that come top to bottom; of many, the hottest.
func (p *Page) extents(s *summary.Summary, title, file string, first [2]string, rows []extentRow) {
	if len(rows) == 0 {
		return
	}
	peaks := s.Peak != (summary.Peak{})
	t := Table{Columns: []Column{Name(first[0]), Name(first[1]), Number("max degC"), Number("mean"), Number("min"),
		Number("power W"), Number("x mm"), Number("y mm")}}
	if peaks {
		t.Columns = slices.Insert(t.Columns, 2, Number("peak degC"), Number("at"))
		t.Columns[4] = Number("last max")
	}
	most := 0.0
	for i := range rows {
		most = max(most, math.Abs(rows[i].watts))
	}
	note := lastStep(s, "top to bottom")
	if n := len(rows); n > MaxTextBlocks {
		slices.SortStableFunc(rows, func(a, b extentRow) int {
			return cmp.Compare(b.peak.Reached(b.max), a.peak.Reached(a.max))
		})
		rows = rows[:MaxTextBlocks]
		note = lastStep(s, fmt.Sprintf("the %d hottest of %d; %s has them all", MaxTextBlocks, n, file))
	}
	for i := range rows {
		r := &rows[i]
		power := "-"
		if r.watts != 0 {
			power = quantity.Fixed(r.watts, quantity.WattDecimals(most))
		}
		cells := []string{r.name, r.layer, p.Deg.Celsius(r.max), p.Deg.Celsius(r.mean), p.Deg.Celsius(r.min), power,
			quantity.Millimetres(r.at.XM), quantity.Millimetres(r.at.YM)}
		if peaks {
			cells = slices.Insert(cells, 2, p.Deg.Celsius(r.peak.MaxK), quantity.Seconds(r.peak.TimeS))
		}
		t.Add(cells...)
	}
	p.Heading(title, note)
	p.Table(&t)
}

func (p *Page) blocks(s *summary.Summary) {
	if len(s.Blocks) == 0 {
		return
	}
	peaks := s.Peak != (summary.Peak{})
	hottest := slices.Clone(s.Blocks)
	slices.SortStableFunc(hottest, func(a, b summary.Block) int {
		return cmp.Compare(b.Peak.Reached(b.MaxK), a.Peak.Reached(a.MaxK))
	})
	most := 0.0
	for i := range s.Blocks {
		most = max(most, math.Abs(s.Blocks[i].PowerW))
	}
	t := Table{Columns: []Column{Name("block"), Name("layer"), Number("max degC"), Number("avg"), Number("min"),
		Number("power W"), Number("W/cm2"), Number("x mm"), Number("y mm")}}
	leaks := s.Power.LeakageW > 0
	if leaks {
		t.Columns = append(t.Columns, Number("of it leaking"))
	}
	if peaks {
		t.Columns = slices.Insert(t.Columns, 2, Number("peak degC"), Number("at"))
		t.Columns[4] = Number("last max")
	}
	for i, b := range hottest {
		if i == MaxTextBlocks {
			break
		}
		cells := []string{b.Name, b.Layer, p.Deg.Celsius(b.MaxK), p.Deg.Celsius(b.AvgK), p.Deg.Celsius(b.MinK),
			quantity.Fixed(b.PowerW, quantity.WattDecimals(most)), quantity.Significant(b.PowerW/b.AreaM2*1e-4, 3),
			quantity.Millimetres(b.MaxAt.XM),
			quantity.Millimetres(b.MaxAt.YM)}
		if leaks {
			cells = append(cells, quantity.Fixed(b.LeakageW, quantity.WattDecimals(most)))
		}
		if peaks {
			cells = slices.Insert(cells, 2, p.Deg.Celsius(b.Peak.MaxK), quantity.Seconds(b.Peak.TimeS))
		}
		t.Add(cells...)
	}
	note := lastStep(s, "hottest first")
	if len(s.Blocks) > MaxTextBlocks {
		note = lastStep(s, fmt.Sprintf("the %d hottest of %d; blocks.csv and --json have them all", MaxTextBlocks,
			len(s.Blocks)))
	}
	p.Heading("Blocks", note)
	p.Table(&t)
}
