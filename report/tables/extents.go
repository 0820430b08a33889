package tables

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"thermsim/report/quantity"
	"thermsim/report/summary"
)

// extent is a row of the tables of layers, blocks, regions and dies.
type extent struct {
	layer, name, label, layers, kind, material string
	area, bottom, thickness                    float64 // m2 and m
	watts, leakage                             float64
	fill                                       int     // 1 of material around dies, 2 of the rest of a layer
	max, mean, min                             float64 // K
	at                                         *summary.Place
	peak                                       *summary.Peak
	without                                    []string
}

// extents are the rows of such a table and its options.
type extents struct {
	s    *summary.Summary
	rows []extent // in the order of the file
	most float64  // W, the largest power
	// Keys of the columns in three orders. A key is the heading of the CSV file. Each row starts with its name.
	noun, csv, text, page string
	hottestFirst          bool // in terminals and pages; otherwise rows are listed top to bottom
}

func (t *extents) add(e extent) {
	t.rows = append(t.rows, e)
	t.most = max(t.most, math.Abs(e.watts))
}

func (t *extents) words(text, page string, of func(e *extent) string) Column {
	return Column{Text: text, Page: page, Words: func(n int) string { return of(&t.rows[n]) }}
}

func (t *extents) value(text, page string, u Unit, of func(e *extent) float64) Column {
	return Column{Text: text, Page: page, Unit: u, Value: func(n int) float64 { return of(&t.rows[n]) }}
}

// columns returns the columns of all tables by key.
func (t *extents) columns() map[string]Column {
	name := t.words("", "", func(e *extent) string { return e.name })
	mean := func(e *extent) float64 { return e.mean }
	watts := func(e *extent) float64 { return e.watts }
	aligned := fixed(1, quantity.WattDecimals(t.most)) // all power values of a table have the same decimals
	dashed := Unit{format: func(deg quantity.Digits, v float64) string {
		if v == 0 {
			return "-"
		}
		return aligned.format(deg, v)
	}}
	marked := t.value("mean", "", Celsius, mean)
	marked.Mark = func(n int) string {
		if len(t.rows[n].without) > 0 {
			return "*"
		}
		return " "
	}
	thickness := Unit{scale: 1e6, format: func(_ quantity.Digits, v float64) string { return quantity.Trimmed(v) }}
	peakTime := func(e *extent) float64 { return e.peak.TimeS }
	return map[string]Column{
		"layer": t.words("layer", "layer", func(e *extent) string { return e.layer }), "block": name, "region": name,
		"die":        name,
		"layers":     t.words("layers", "layers", func(e *extent) string { return e.layers }),
		"span":       t.words("layers", "layers", func(e *extent) string { return e.layer }),
		"kind":       t.words("", "", func(e *extent) string { return e.kind }),
		"material":   t.words("", "material", func(e *extent) string { return e.material }),
		"area_m2":    t.value("", "area mm²", significant(1e6, 4), func(e *extent) float64 { return e.area }),
		"z_bottom_m": t.value("", "", Unit{}, func(e *extent) float64 { return e.bottom }),
		"thickness_m": t.value("", "thickness µm", thickness,
			func(e *extent) float64 { return e.thickness }),
		"power_W": t.value("", "power W", significant(1, 4), watts),
		"aligned": t.value("power W", "power W", aligned, watts),
		"watts":   t.value("power W", "", dashed, watts),
		"density_W_per_m2": t.value("W/cm2", "W/cm²", significant(1e-4, 3),
			func(e *extent) float64 { return e.watts / e.area }),
		"max_K":     t.value("max degC", "max", Celsius, func(e *extent) float64 { return e.max }),
		"mean_K":    t.value("mean", "mean", Celsius, mean),
		"marked":    marked,
		"min_K":     t.value("min", "min", Celsius, func(e *extent) float64 { return e.min }),
		"max_x_m":   t.value("x mm", "", Millimetres, func(e *extent) float64 { return e.at.XM }),
		"max_y_m":   t.value("y mm", "", Millimetres, func(e *extent) float64 { return e.at.YM }),
		"max_z_m":   t.value("", "", Unit{}, func(e *extent) float64 { return e.at.ZM }),
		"max_block": t.words("", "", func(e *extent) string { return e.at.Block }),
		"hottest": t.words("hottest block", "",
			func(e *extent) string { return quantity.Dash(cmp.Or(e.at.Block, e.at.Region)) }),
		"mean_without": t.words("", "", func(e *extent) string { return strings.Join(e.without, " ") }),
		"without":      t.words("", "mean without", func(e *extent) string { return strings.Join(e.without, ", ") }),
		"peak_K":       t.value("peak degC", "peak", Celsius, func(e *extent) float64 { return e.peak.MaxK }),
		"peak_at":      t.value("at", "", seconds, peakTime),
		"peak_time_s":  t.value("", "at s", significant(1, 3), peakTime),
		"peak_x_m":     t.value("", "", Unit{}, func(e *extent) float64 { return e.peak.At.XM }),
		"peak_y_m":     t.value("", "", Unit{}, func(e *extent) float64 { return e.peak.At.YM }),
		"peak_z_m":     t.value("", "", Unit{}, func(e *extent) float64 { return e.peak.At.ZM }),
		"leakage_W":    t.value("of it leaking", "leaking W", aligned, func(e *extent) float64 { return e.leakage }),
	}
}

// Columns of all files: the location of the maximum, the peak over time of transients, and the leakage, which is part
// of the power.
const (
	place = " max_x_m max_y_m max_z_m"
	ends  = " peak_K peak_time_s peak_x_m peak_y_m peak_z_m leakage_W"
)

// Layers lists the layers, in the file bottom to top.
func Layers(s *summary.Summary) *Table {
	t := &extents{s: s, noun: "layer",
		csv: "layer material z_bottom_m thickness_m power_W max_K mean_K min_K" + place + " max_block mean_without" +
			ends,
		text: "peak_K peak_at max_K marked min_K watts max_x_m max_y_m hottest",
		page: "material thickness_m power_W peak_K peak_time_s max_K mean_K min_K without"}
	for i := range s.Layers {
		l := &s.Layers[i]
		t.add(extent{layer: l.Name, label: l.Name, material: l.Material, bottom: l.ZBottomM, thickness: l.ThicknessM,
			watts: l.PowerW, leakage: l.LeakageW, max: l.MaxK, mean: l.MeanK, min: l.MinK, at: &l.MaxAt, peak: &l.Peak,
			without: l.MeanWithout})
	}
	return t.table(Table{ID: "layers-table", Title: "Layers", File: "layers.csv", PageNote: "Top to bottom.",
		Short: true})
}

// Blocks lists the blocks, in the file in the order of the layers and their floorplans.
func Blocks(s *summary.Summary) *Table {
	t := &extents{s: s, noun: "block", hottestFirst: true,
		csv:  "layer block area_m2 power_W density_W_per_m2 max_K mean_K min_K" + place + ends,
		text: "layer peak_K peak_at max_K mean_K min_K aligned density_W_per_m2 max_x_m max_y_m leakage_W",
		page: "layer peak_K peak_time_s max_K mean_K min_K aligned density_W_per_m2 area_m2 leakage_W"}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		t.add(extent{layer: b.Layer, name: b.Name, label: b.Name, area: b.AreaM2, watts: b.PowerW, leakage: b.LeakageW,
			max: b.MaxK, mean: b.AvgK, min: b.MinK, at: &b.MaxAt, peak: &b.Peak})
	}
	return t.table(Table{ID: "blocks", Title: "Blocks", File: "blocks.csv",
		MostPage: mostPageBlocks,
		PageNote: "Hottest first.", PageHint: "Click a heading to sort."})
}

// Regions lists regions, the rest of their layers, and uniform powers, in the file in the order of the layers.
func Regions(s *summary.Summary) *Table {
	t := &extents{s: s, noun: "region",
		csv:  "layer region kind material area_m2 power_W max_K mean_K min_K" + place + ends,
		text: "layer peak_K peak_at max_K mean_K min_K watts max_x_m max_y_m",
		page: "layer material peak_K peak_time_s max_K mean_K min_K power_W area_m2"}
	around := map[string][]string{} // materials around the dies of a layer
	for i := range s.Layers {
		around[s.Layers[i].Name] = s.Layers[i].MeanWithout
	}
	for i := range s.Regions {
		r := &s.Regions[i]
		fill := 0
		switch {
		case r.Kind == summary.KindRest:
			fill = 2
		case slices.Contains(around[r.Layer], r.Material):
			fill = 1
		}
		t.add(extent{layer: r.Layer, name: r.Name, label: r.Label(), kind: r.Kind, fill: fill, material: r.Material,
			area: r.AreaM2, watts: r.PowerW, leakage: r.LeakageW, max: r.MaxK, mean: r.MeanK, min: r.MinK, at: &r.MaxAt,
			peak: &r.Peak})
	}
	return t.table(Table{ID: "regions", Title: "Regions", File: "regions.csv",
		PageNote: "Top to bottom, the space around dies last. Rest: the part of a layer that no region covers."})
}

// Dies lists the dies, in the file in the order of their lowest regions.
func Dies(s *summary.Summary) *Table {
	t := &extents{s: s, noun: "die",
		csv:  "die layers power_W max_K mean_K min_K" + place + ends,
		text: "span peak_K peak_at max_K mean_K min_K watts max_x_m max_y_m",
		page: "span peak_K peak_time_s max_K mean_K min_K power_W"}
	for i := range s.Dies {
		d := &s.Dies[i]
		t.add(extent{layer: d.Span(), layers: strings.Join(d.Layers, " "), name: d.Name, label: d.Name, watts: d.PowerW,
			leakage: d.LeakageW, max: d.MaxK, mean: d.MeanK, min: d.MinK, at: &d.MaxAt, peak: &d.Peak})
	}
	return t.table(Table{ID: "dies", Title: "Dies", File: "dies.csv", Grouped: true,
		PageNote: "Top to bottom, each with all its regions."})
}

// table completes a table.
func (t *extents) table(out Table) *Table {
	out.Count, out.Shown = len(t.rows), t.shown
	if t.noun != "block" {
		out.Tier = func(n int) string { return t.rows[n].label }
		out.Kelvin = func(n int) float64 { return t.rows[n].peak.Reached(t.rows[n].max) }
	}
	out.Note = lastStep(t.s, "top to bottom")
	if t.hottestFirst {
		out.Note = lastStep(t.s, "hottest first")
	}
	out.Cut = lastStep(t.s, "the %d hottest; +%d more in "+out.File)
	of, peaks := "", t.s.Peak != (summary.Peak{})
	if peaks {
		of = "; the peak and its time refer to the whole transient"
	}
	out.PageNote = lastStepOnPage(t.s, of, out.PageNote)
	label := t.words(t.noun, t.noun, func(e *extent) string { return e.label })
	label.At = func(n int) *summary.Place {
		if peaks {
			return &t.rows[n].peak.At
		}
		return t.rows[n].at
	}
	out.Columns = []Column{label}
	columns, leakage := t.columns(), t.s.Power.LeakageW
	add := func(keys string, leaks bool, head func(key string, c *Column)) {
		for _, key := range strings.Fields(keys) {
			if t.has(key, leaks) {
				c := columns[key]
				head(key, &c)
				out.Columns = append(out.Columns, c)
			}
		}
	}
	add(t.csv, leakage != 0, func(key string, c *Column) { c.CSV, c.Text, c.Page = key, "", "" })
	add(t.text, leakage > 0, func(key string, c *Column) {
		if c.Page = ""; key == "max_K" && peaks {
			c.Text = "last max"
		}
	})
	add(t.page, leakage > 0, func(_ string, c *Column) { c.Text = "" })
	return &out
}

// has reports whether the run has values for a column.
func (t *extents) has(key string, leaks bool) bool {
	switch {
	case strings.HasPrefix(key, "peak_"):
		return t.s.Peak != (summary.Peak{})
	case key == "leakage_W":
		return leaks
	case key == "without":
		return slices.ContainsFunc(t.rows, func(e extent) bool { return len(e.without) > 0 })
	}
	return true
}

// shown returns the rows for terminals and pages; the hottest ones if there are more than most.
func (t *extents) shown(most int) []int {
	rows := make([]int, len(t.rows))
	for n := range rows {
		rows[n] = n
	}
	if !t.hottestFirst {
		slices.Reverse(rows)
		t.fillLast(rows)
	}
	cut := len(rows) > most
	if t.hottestFirst || cut {
		slices.SortStableFunc(rows, func(a, b int) int {
			p, q := &t.rows[a], &t.rows[b]
			return cmp.Compare(q.peak.Reached(q.max), p.peak.Reached(p.max))
		})
	}
	if cut {
		rows = rows[:most]
	}
	return rows
}

// fillLast lists the fill around the dies of each layer, and the rest of the layer, after its other rows.
func (t *extents) fillLast(rows []int) {
	for from, to := 0, 0; from < len(rows); from = to {
		for to = from; to < len(rows) && t.rows[rows[to]].layer == t.rows[rows[from]].layer; to++ {
		}
		slices.SortStableFunc(rows[from:to], func(a, b int) int { return cmp.Compare(t.rows[a].fill, t.rows[b].fill) })
	}
}
