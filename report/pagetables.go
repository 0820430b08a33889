package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/report/webpage"
)

// last starts the note of a table whose figures are of a transient's last step.
func (b *pageBuilder) last(peak string) string {
	if b.s.Steps == 0 {
		return ""
	}
	return "Last step" + peak + ". "
}

// peaks says whether tables have columns for the peak over time.
func (b *pageBuilder) peaks() bool { return b.s.Peak != (Peak{}) }

// withPeak adds the columns of the peak at a place in the table.
func (b *pageBuilder) withPeak(t *webpage.Table, at int) {
	if b.peaks() {
		t.Columns = slices.Insert(t.Columns, at, temperatureColumn("peak"), numberColumn("at s"))
		t.Note = b.last(" but for the peak over time and its time") + t.Note
		return
	}
	t.Note = b.last("") + t.Note
}

// row adds a row, with its peak at a place where tables have one.
func (b *pageBuilder) row(t *webpage.Table, at int, p *Peak, cells ...webpage.Cell) {
	if b.peaks() {
		cells = slices.Insert(cells, at, b.temperature(p.MaxK), webpage.Number(p.TimeS, significant(p.TimeS, 3)))
	}
	t.Rows = append(t.Rows, cells)
}

// manyRows makes a table long enough for a filter.
const manyRows = 12

// mostRows of blocks go into a page: browsers take long over more, and ten times as many bytes as all else in it.
const mostRows = 20_000

// mostOutlines of blocks are drawn on the map of a layer; more would cover it, and take longer than the map.
const mostOutlines = 50_000

func (b *pageBuilder) limits() webpage.Table {
	t := webpage.Table{
		ID: "limits", Title: "Limits", Long: len(b.s.Limits) > manyRows, Note: "Worst first. Watts: what the whole " +
			"power may grow by, in its present proportions, until the limit is reached.",
		Columns: []webpage.Column{{Name: "limit of"}, temperatureColumn("tmax"), temperatureColumn("max"),
			numberColumn("margin K"), numberColumn("margin W"), {Name: ""}},
	}
	if b.s.Steps > 0 {
		t.Note, t.Columns[4].Name = "Worst first, at the peak over time.", "at s"
	}
	for i := range b.s.Limits {
		l := &b.s.Limits[i]
		last, verdict := webpage.Number(l.MarginW, significant(l.MarginW, 3)), "kept"
		if b.s.Steps > 0 {
			last = webpage.Number(l.TimeS, significant(l.TimeS, 3))
		}
		if !l.OK {
			verdict = "EXCEEDED"
		}
		t.Rows = append(t.Rows, []webpage.Cell{
			b.place(l.Label(), l.At), b.temperature(l.TMaxK), b.temperature(l.MaxK),
			webpage.Number(l.MarginK, b.deg.kelvin(l.MarginK)), last, webpage.Text(verdict),
		})
	}
	return t
}

func (b *pageBuilder) dies() webpage.Table {
	t := webpage.Table{
		ID: "dies", Title: "Dies", Long: len(b.s.Dies) > manyRows, Note: "Top to bottom, each with all its regions.",
		Columns: []webpage.Column{{Name: "die"}, {Name: "layers"}, temperatureColumn("max"), temperatureColumn("mean"),
			temperatureColumn("min"), numberColumn("power W")},
	}
	b.withPeak(&t, 2)
	for i := range slices.Backward(b.s.Dies) {
		d := &b.s.Dies[i]
		at := d.MaxAt
		if b.peaks() {
			at = d.Peak.At
		}
		b.row(&t, 2, &d.Peak, b.place(d.Name, at), webpage.Text(d.span()), b.temperature(d.MaxK),
			b.temperature(d.MeanK), b.temperature(d.MinK),
			webpage.Number(d.PowerW, significant(d.PowerW, 4)))
	}
	return t
}

func (b *pageBuilder) regions() webpage.Table {
	t := webpage.Table{
		ID: "regions", Title: "Regions", Long: len(b.s.Regions) > manyRows, Note: "Top to bottom. Rest: what regions " +
			"leave of their layer.",
		Columns: []webpage.Column{{Name: "region"}, {Name: "layer"}, {Name: "material"}, temperatureColumn("max"),
			temperatureColumn("mean"), temperatureColumn("min"),
			numberColumn("power W"), numberColumn("area mm²")},
	}
	b.withPeak(&t, 3)
	for i := range slices.Backward(b.s.Regions) {
		r := &b.s.Regions[i]
		at := r.MaxAt
		if b.peaks() {
			at = r.Peak.At
		}
		b.row(&t, 3, &r.Peak, b.place(r.Label(), at), webpage.Text(r.Layer), webpage.Text(r.Material),
			b.temperature(r.MaxK), b.temperature(r.MeanK), b.temperature(r.MinK),
			webpage.Number(r.PowerW, significant(r.PowerW, 4)),
			webpage.Number(r.AreaM2*1e6, significant(r.AreaM2*1e6, 4)))
	}
	return t
}

func (b *pageBuilder) blocks() webpage.Table {
	t := webpage.Table{
		ID: "blocks", Title: "Blocks", Long: len(b.s.Blocks) > manyRows, Note: "Hottest first; a click on a " +
			"heading sorts.",
		Columns: []webpage.Column{{Name: "block"}, {Name: "layer"}, temperatureColumn("max"), temperatureColumn("mean"),
			temperatureColumn("min"),
			numberColumn("power W"), numberColumn("W/cm²"), numberColumn("area mm²")},
	}
	leaks := b.s.Power.LeakageW > 0
	if leaks {
		t.Columns = append(t.Columns, numberColumn("leaking W"))
	}
	b.withPeak(&t, 2)
	order := make([]int, len(b.s.Blocks))
	most := 0.0
	for i := range order {
		order[i] = i
		most = max(most, math.Abs(b.s.Blocks[i].PowerW))
	}
	hottest := func(i int) float64 { return b.s.Blocks[i].Peak.reached(b.s.Blocks[i].MaxK) }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(hottest(j), hottest(i)) })
	if n := len(order); n > mostRows {
		t.Note += fmt.Sprintf(" The hottest %d of %d; blocks.csv has all.", mostRows, n)
		order = order[:mostRows]
	}
	for _, i := range order {
		block := &b.s.Blocks[i]
		density := block.PowerW / block.AreaM2 * 1e-4
		at := block.MaxAt
		if b.peaks() {
			at = block.Peak.At
		}
		cells := []webpage.Cell{
			b.place(block.Name, at), webpage.Text(block.Layer), b.temperature(block.MaxK), b.temperature(block.AvgK),
			b.temperature(block.MinK),
			webpage.Number(block.PowerW, fixed(block.PowerW, wattDecimals(most))),
			webpage.Number(density, significant(density, 3)),
			webpage.Number(block.AreaM2*1e6, significant(block.AreaM2*1e6, 4)),
		}
		if leaks {
			cells = append(cells, webpage.Number(block.LeakageW, fixed(block.LeakageW, wattDecimals(most))))
		}
		b.row(&t, 2, &block.Peak, cells...)
	}
	return t
}

func (b *pageBuilder) layers() webpage.Table {
	t := webpage.Table{
		ID: "layers-table", Title: "Layers", Note: "Top to bottom.",
		Columns: []webpage.Column{{Name: "layer"}, {Name: "material"}, numberColumn("thickness µm"),
			numberColumn("power W"), temperatureColumn("max"), temperatureColumn("mean"), temperatureColumn("min")},
	}
	b.withPeak(&t, 4)
	without := slices.ContainsFunc(b.s.Layers, func(l LayerSummary) bool { return len(l.MeanWithout) > 0 })
	if without {
		t.Columns = append(t.Columns, webpage.Column{Name: "mean without"})
	}
	for i := range slices.Backward(b.s.Layers) {
		l := &b.s.Layers[i]
		at := l.MaxAt
		if b.peaks() {
			at = l.Peak.At
		}
		cells := []webpage.Cell{
			b.place(l.Name, at), webpage.Text(l.Material),
			webpage.Number(l.ThicknessM*1e6, trimmed(l.ThicknessM*1e6)),
			webpage.Number(l.PowerW, significant(l.PowerW, 4)),
			b.temperature(l.MaxK), b.temperature(l.MeanK), b.temperature(l.MinK),
		}
		if without {
			cells = append(cells, webpage.Text(strings.Join(l.MeanWithout, ", ")))
		}
		b.row(&t, 4, &l.Peak, cells...)
	}
	return t
}
