package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"thermsim/report/quantity"
	"thermsim/report/summary"
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
func (b *pageBuilder) peaks() bool { return b.s.Peak != (summary.Peak{}) }

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
func (b *pageBuilder) row(t *webpage.Table, at int, p *summary.Peak, cells ...webpage.Cell) {
	if b.peaks() {
		cells = slices.Insert(cells, at, b.temperature(p.MaxK), webpage.Number(p.TimeS, quantity.Significant(p.TimeS,
			3)))
	}
	t.Rows = append(t.Rows, cells)
}

// manyRows makes a table long enough for a filter.
const manyRows = 12

// mostRows of blocks go into a page: browsers take long over more, and ten times as many bytes as all else in it.
const mostRows = 20_000

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
		last, verdict := webpage.Number(l.MarginW, quantity.Significant(l.MarginW, 3)), "kept"
		if b.s.Steps > 0 {
			last = webpage.Number(l.TimeS, quantity.Significant(l.TimeS, 3))
		}
		if !l.OK {
			verdict = "EXCEEDED"
		}
		t.Rows = append(t.Rows, []webpage.Cell{
			b.place(l.Label(), l.At), b.temperature(l.TMaxK), b.temperature(l.MaxK),
			webpage.Number(l.MarginK, b.deg.Kelvin(l.MarginK)), last, webpage.Text(verdict),
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
		b.row(&t, 2, &d.Peak, b.place(d.Name, at), webpage.Text(d.Span()), b.temperature(d.MaxK),
			b.temperature(d.MeanK), b.temperature(d.MinK),
			webpage.Number(d.PowerW, quantity.Significant(d.PowerW, 4)))
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
			webpage.Number(r.PowerW, quantity.Significant(r.PowerW, 4)),
			webpage.Number(r.AreaM2*1e6, quantity.Significant(r.AreaM2*1e6, 4)))
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
	hottest := func(i int) float64 { return b.s.Blocks[i].Peak.Reached(b.s.Blocks[i].MaxK) }
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
			webpage.Number(block.PowerW, quantity.Fixed(block.PowerW, quantity.WattDecimals(most))),
			webpage.Number(density, quantity.Significant(density, 3)),
			webpage.Number(block.AreaM2*1e6, quantity.Significant(block.AreaM2*1e6, 4)),
		}
		if leaks {
			cells = append(cells, webpage.Number(block.LeakageW, quantity.Fixed(block.LeakageW,
				quantity.WattDecimals(most))))
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
	without := slices.ContainsFunc(b.s.Layers, func(l summary.Layer) bool { return len(l.MeanWithout) > 0 })
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
			webpage.Number(l.ThicknessM*1e6, quantity.Trimmed(l.ThicknessM*1e6)),
			webpage.Number(l.PowerW, quantity.Significant(l.PowerW, 4)),
			b.temperature(l.MaxK), b.temperature(l.MeanK), b.temperature(l.MinK),
		}
		if without {
			cells = append(cells, webpage.Text(strings.Join(l.MeanWithout, ", ")))
		}
		b.row(&t, 4, &l.Peak, cells...)
	}
	return t
}

// coolant is a table of the page with a row for each cavity, and below it one for each stream where they differ.
func (b *pageBuilder) coolant() webpage.Table {
	t := webpage.Table{
		ID: "coolant", Title: "Coolant", Note: b.last("") + "Top to bottom; zones and channels that differ from the " +
			"west or the south. A click shows the coolant on the map.",
		Columns: []webpage.Column{{Name: "cavity"}, {Name: "flow"}, numberColumn("ml/min"), numberColumn("m/s"),
			numberColumn("Re"), numberColumn("wall Bi"), numberColumn("kPa"), numberColumn("pumping mW"),
			temperatureColumn("in"), temperatureColumn("out"), numberColumn("heat W")},
	}
	number := func(v, scale float64) webpage.Cell { return webpage.Number(v*scale, quantity.Known(v, scale)) }
	for i := range slices.Backward(b.s.Coolant) {
		c := &b.s.Coolant[i]
		cavity := b.mesh.Cavities[i]
		size := b.mesh.Stack.Size
		show := func(text string, across float64) webpage.Cell {
			at := [2]float64{size[0] / 2, size[1] / 2}
			at[1-cavity.Along] = across
			return webpage.Place(text, cavity.Fluid, at[0], at[1])
		}
		t.Rows = append(t.Rows, []webpage.Cell{
			show(c.Layer, size[1-cavity.Along]/2), webpage.Text(c.Direction), number(c.FlowM3PerS, 6e7),
			number(c.VelocityMPerS, 1), number(c.Reynolds, 1), number(c.Biot, 1),
			number(c.PressureDrop, 1e-3), number(c.PumpingW, 1e3), b.temperature(c.InletK), b.temperature(c.OutletK),
			number(c.HeatW, 1),
		})
		if !c.Uneven() || len(c.Streams) > mostPageStreams {
			continue
		}
		for j := range c.Streams {
			x := &c.Streams[j]
			name := fmt.Sprintf("%s, %s to %s mm", c.Layer, quantity.Millimetres(x.FromM), quantity.Millimetres(x.ToM))
			t.Rows = append(t.Rows, []webpage.Cell{
				show(name, (x.FromM+x.ToM)/2), webpage.Text(c.Direction), number(x.FlowM3PerS, 6e7),
				number(x.VelocityMPerS, 1), number(x.Reynolds, 1), number(math.NaN(), 1),
				number(x.PressureDrop, 1e-3), number(x.FlowM3PerS*x.PressureDrop, 1e3), b.temperature(c.InletK),
				b.temperature(x.OutletK), number(x.HeatW, 1),
			})
		}
	}
	return t
}

// mostPageStreams is the largest number of streams of a cavity that the page lists.
const mostPageStreams = 500

func (b *pageBuilder) jedec() webpage.Table {
	t := webpage.Table{
		ID: "jedec", Title: "JEDEC figures", Note: b.s.Jedec.Environment + ". Theta: a resistance, psi: a parameter " +
			"(JESD51-12), from the hottest cell.",
		Columns: []webpage.Column{{Name: "figure"}, numberColumn("K/W"), {Name: "from the junction to"},
			temperatureColumn("temperature")},
	}
	for _, f := range b.s.Jedec.Figures {
		t.Rows = append(t.Rows, []webpage.Cell{webpage.Text(f.Name), webpage.Number(f.KPerW,
			quantity.Significant(f.KPerW, 4)),
			webpage.Text(f.Reference), b.temperature(f.ReferenceK)})
	}
	return t
}
