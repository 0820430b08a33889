package tables

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"thermsim/report/quantity"
	"thermsim/report/summary"
	"thermsim/report/webpage"
)

// Extents is the table of layers, blocks, regions or dies. Each has its columns in three orders, by their keys, which
// are their heads in CSV files.
type Extents struct {
	Title           string
	csv, text, page string
	id, note, noun  string // of the page, and what a row is
	file            string // that has all rows
	hottestFirst    bool   // for people, who else see the rows from the top
	whole           bool   // people see all rows
	s               *summary.Summary
	rows            []extent // as in the file
	most            float64  // W, the largest power
}

// extent is a row.
type extent struct {
	layer, name, label, layers, kind, material string
	area, bottom, thickness                    float64 // m2 and m
	watts, leakage                             float64
	max, mean, min                             float64 // K
	at                                         *summary.Place
	peak                                       *summary.Peak
	without                                    []string
}

// figure is what a column shows of a row: words, or a number.
type figure struct {
	text, page string // heads for people
	words      func(e *extent) string
	value      func(e *extent) float64
	kelvin     bool                               // a temperature
	marked     bool                               // where the mean leaves materials out
	scale      float64                            // of the value for people; 0 for none
	format     func(t *Extents, v float64) string // of the scaled value
}

func significant(n int) func(*Extents, float64) string {
	return func(_ *Extents, v float64) string { return quantity.Significant(v, n) }
}

func millimetres(_ *Extents, v float64) string { return quantity.Millimetres(v) }

// fixed gives the powers of a table the same decimals.
func fixed(t *Extents, v float64) string { return quantity.Fixed(v, quantity.WattDecimals(t.most)) }

// figures are those of all tables.
var figures = map[string]figure{
	"layer":    {text: "layer", page: "layer", words: func(e *extent) string { return e.layer }},
	"layers":   {text: "layers", page: "layers", words: func(e *extent) string { return e.layers }},
	"span":     {text: "layers", page: "layers", words: func(e *extent) string { return e.layer }},
	"block":    {words: func(e *extent) string { return e.name }},
	"region":   {words: func(e *extent) string { return e.name }},
	"die":      {words: func(e *extent) string { return e.name }},
	"kind":     {words: func(e *extent) string { return e.kind }},
	"material": {page: "material", words: func(e *extent) string { return e.material }},
	"area_m2": {page: "area mm²", value: func(e *extent) float64 { return e.area }, scale: 1e6,
		format: significant(4)},
	"z_bottom_m": {value: func(e *extent) float64 { return e.bottom }},
	"thickness_m": {page: "thickness µm", value: func(e *extent) float64 { return e.thickness }, scale: 1e6,
		format: func(_ *Extents, v float64) string { return quantity.Trimmed(v) }},
	"power_W": {page: "power W", value: func(e *extent) float64 { return e.watts }, format: significant(4)},
	"aligned": {text: "power W", page: "power W", value: func(e *extent) float64 { return e.watts }, format: fixed},
	"watts": {text: "power W", value: func(e *extent) float64 { return e.watts },
		format: func(t *Extents, v float64) string {
			if v == 0 {
				return "-"
			}
			return fixed(t, v)
		}},
	"density_W_per_m2": {text: "W/cm2", page: "W/cm²", value: func(e *extent) float64 { return e.watts / e.area },
		scale: 1e-4, format: significant(3)},
	"max_K":     {text: "max degC", page: "max", value: func(e *extent) float64 { return e.max }, kelvin: true},
	"mean_K":    {text: "mean", page: "mean", value: func(e *extent) float64 { return e.mean }, kelvin: true},
	"marked":    {text: "mean", value: func(e *extent) float64 { return e.mean }, kelvin: true, marked: true},
	"avg_K":     {text: "avg", page: "mean", value: func(e *extent) float64 { return e.mean }, kelvin: true},
	"min_K":     {text: "min", page: "min", value: func(e *extent) float64 { return e.min }, kelvin: true},
	"max_x_m":   {text: "x mm", value: func(e *extent) float64 { return e.at.XM }, format: millimetres},
	"max_y_m":   {text: "y mm", value: func(e *extent) float64 { return e.at.YM }, format: millimetres},
	"max_z_m":   {value: func(e *extent) float64 { return e.at.ZM }},
	"max_block": {words: func(e *extent) string { return e.at.Block }},
	"hottest": {text: "hottest block",
		words: func(e *extent) string { return quantity.Dash(cmp.Or(e.at.Block, e.at.Region)) }},
	"mean_without": {words: func(e *extent) string { return strings.Join(e.without, " ") }},
	"without":      {page: "mean without", words: func(e *extent) string { return strings.Join(e.without, ", ") }},
	"peak_K": {text: "peak degC", page: "peak", value: func(e *extent) float64 {
		return e.peak.MaxK
	}, kelvin: true},
	"peak_at": {text: "at", value: func(e *extent) float64 { return e.peak.TimeS },
		format: func(_ *Extents, v float64) string { return quantity.Seconds(v) }},
	"peak_time_s": {page: "at s", value: func(e *extent) float64 { return e.peak.TimeS }, format: significant(3)},
	"peak_x_m":    {value: func(e *extent) float64 { return e.peak.At.XM }},
	"peak_y_m":    {value: func(e *extent) float64 { return e.peak.At.YM }},
	"peak_z_m":    {value: func(e *extent) float64 { return e.peak.At.ZM }},
	"leakage_W": {text: "of it leaking", page: "leaking W", value: func(e *extent) float64 { return e.leakage },
		format: fixed},
}

// Columns of all files: where it is hottest, the peak over time of transients, and the leakage, which is part of the
// power, where anything leaks.
const (
	place = " max_x_m max_y_m max_z_m"
	ends  = " peak_K peak_time_s peak_x_m peak_y_m peak_z_m leakage_W"
)

// Layers lists the layers, in the file from the bottom.
func Layers(s *summary.Summary) *Extents {
	t := &Extents{s: s, Title: "Layers", noun: "layer", whole: true, id: "layers-table", note: "Top to bottom.",
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
	return t
}

// Blocks lists the blocks, in the file in the order of the layers and their floorplans.
func Blocks(s *summary.Summary) *Extents {
	t := &Extents{s: s, Title: "Blocks", noun: "block", hottestFirst: true, file: "blocks.csv and --json have",
		id: "blocks", note: "Hottest first; a click on a heading sorts.",
		csv:  "layer block area_m2 power_W density_W_per_m2 max_K avg_K min_K" + place + ends,
		text: "layer peak_K peak_at max_K avg_K min_K aligned density_W_per_m2 max_x_m max_y_m leakage_W",
		page: "layer peak_K peak_time_s max_K avg_K min_K aligned density_W_per_m2 area_m2 leakage_W"}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		t.add(extent{layer: b.Layer, name: b.Name, label: b.Name, area: b.AreaM2, watts: b.PowerW, leakage: b.LeakageW,
			max: b.MaxK, mean: b.AvgK, min: b.MinK, at: &b.MaxAt, peak: &b.Peak})
	}
	return t
}

// Regions lists regions, what they leave of their layers, and uniform powers, in the file in the order of the layers.
func Regions(s *summary.Summary) *Extents {
	t := &Extents{s: s, Title: "Regions", noun: "region", file: "regions.csv has", id: "regions",
		note: "Top to bottom. Rest: what regions leave of their layer.",
		csv:  "layer region kind material area_m2 power_W max_K mean_K min_K" + place + ends,
		text: "layer peak_K peak_at max_K mean_K min_K watts max_x_m max_y_m",
		page: "layer material peak_K peak_time_s max_K mean_K min_K power_W area_m2"}
	for i := range s.Regions {
		r := &s.Regions[i]
		t.add(extent{layer: r.Layer, name: r.Name, label: r.Label(), kind: r.Kind, material: r.Material, area: r.AreaM2,
			watts: r.PowerW, leakage: r.LeakageW, max: r.MaxK, mean: r.MeanK, min: r.MinK, at: &r.MaxAt, peak: &r.Peak})
	}
	return t
}

// Dies lists the dies, in the file in the order of their lowest regions.
func Dies(s *summary.Summary) *Extents {
	t := &Extents{s: s, Title: "Dies", noun: "die", file: "dies.csv has", id: "dies",
		note: "Top to bottom, each with all its regions.",
		csv:  "die layers power_W max_K mean_K min_K" + place + ends,
		text: "span peak_K peak_at max_K mean_K min_K watts max_x_m max_y_m",
		page: "span peak_K peak_time_s max_K mean_K min_K power_W"}
	for i := range s.Dies {
		d := &s.Dies[i]
		t.add(extent{layer: d.Span(), layers: strings.Join(d.Layers, " "), name: d.Name, label: d.Name, watts: d.PowerW,
			leakage: d.LeakageW, max: d.MaxK, mean: d.MeanK, min: d.MinK, at: &d.MaxAt, peak: &d.Peak})
	}
	return t
}

func (t *Extents) add(e extent) {
	t.rows = append(t.rows, e)
	t.most = max(t.most, math.Abs(e.watts))
}

// Empty says that there are no rows.
func (t *Extents) Empty() bool { return len(t.rows) == 0 }

// chosen are the columns of keys that the run has figures for.
func (t *Extents) chosen(keys string, leaks bool) []string {
	return slices.DeleteFunc(strings.Fields(keys), func(key string) bool {
		switch {
		case strings.HasPrefix(key, "peak_"):
			return t.s.Peak == (summary.Peak{})
		case key == "leakage_W":
			return !leaks
		case key == "without":
			return !slices.ContainsFunc(t.rows, func(e extent) bool { return len(e.without) > 0 })
		}
		return false
	})
}

// CSV writes the file.
func (t *Extents) CSV(w io.Writer) error {
	keys := t.chosen(t.csv, t.s.Power.LeakageW != 0)
	rows := [][]string{slices.Clone(keys)}
	for i := range t.rows {
		cells := make([]string, len(keys))
		for n, key := range keys {
			if c := figures[key]; c.words != nil {
				cells[n] = c.words(&t.rows[i])
			} else {
				cells[n] = csvNumber(c.value(&t.rows[i]))
			}
		}
		rows = append(rows, cells)
	}
	return WriteRows(w, rows)
}

func sortHottest(rows []*extent) {
	slices.SortStableFunc(rows, func(a, b *extent) int {
		return cmp.Compare(b.peak.Reached(b.max), a.peak.Reached(a.max))
	})
}

// shown are the rows in the order of people, the hottest of them where there are more than so many.
func (t *Extents) shown(most int) []*extent {
	rows := make([]*extent, len(t.rows))
	for i := range t.rows {
		rows[i] = &t.rows[i]
	}
	if !t.hottestFirst {
		slices.Reverse(rows)
	}
	cut := len(rows) > most && !t.whole
	if t.hottestFirst || cut {
		sortHottest(rows)
	}
	if cut {
		rows = rows[:most]
	}
	return rows
}

func (c *figure) number(e *extent) float64 { return c.value(e) * cmp.Or(c.scale, 1) }

// Text is the table for a terminal, with at most so many rows, and what to say of their order.
func (t *Extents) Text(deg quantity.Digits, most int) (table *Table, note string) {
	rows, note := t.shown(most), "top to bottom"
	switch {
	case len(rows) < len(t.rows):
		note = fmt.Sprintf("the %d hottest of %d; %s them all", most, len(t.rows), t.file)
	case t.hottestFirst:
		note = "hottest first"
	}
	heads := []string{t.noun}
	keys := t.chosen(t.text, t.s.Power.LeakageW > 0)
	for _, key := range keys {
		c := figures[key]
		head := c.text
		if key == "max_K" && t.s.Peak != (summary.Peak{}) {
			head = "last max"
		}
		if c.words == nil {
			head = "#" + head
		}
		heads = append(heads, head)
	}
	table = New(heads...)
	for _, e := range rows {
		cells := []string{e.label}
		for _, key := range keys {
			cells = append(cells, t.cell(key, e, deg))
		}
		table.Add(cells...)
	}
	return table, note
}

func (t *Extents) cell(key string, e *extent, deg quantity.Digits) string {
	c := figures[key]
	switch {
	case c.words != nil:
		return c.words(e)
	case c.marked && len(e.without) > 0:
		return deg.Celsius(c.value(e)) + "*"
	case c.marked:
		return deg.Celsius(c.value(e)) + " "
	case c.kelvin:
		return deg.Celsius(c.value(e))
	}
	return c.format(t, c.number(e))
}

// Limits of tables on pages.
const (
	// ManyRows make a table long enough for a filter.
	ManyRows = 12
	// mostRows of blocks go into a page: browsers take long over more, and ten times as many bytes as all else in it.
	mostRows = 20_000
)

// Page is the table for a page. A click on a row shows the place that mark gives it.
func (t *Extents) Page(deg quantity.Digits, mark func(text string, at summary.Place) webpage.Cell) webpage.Table {
	table := webpage.Table{ID: t.id, Title: t.Title, Note: t.note, Long: !t.whole && len(t.rows) > ManyRows,
		Columns: []webpage.Column{{Name: t.noun}}}
	keys := t.chosen(t.page, t.s.Power.LeakageW > 0)
	for _, key := range keys {
		c := figures[key]
		table.Columns = append(table.Columns,
			webpage.Column{Name: c.page, Number: c.words == nil, Temperature: c.kelvin})
	}
	most := len(t.rows)
	if t.hottestFirst {
		most = mostRows
	}
	rows := t.shown(most)
	if n := len(t.rows); len(rows) < n {
		table.Note += fmt.Sprintf(" The hottest %d of %d; blocks.csv has all.", most, n)
	}
	for _, e := range rows {
		at := e.at
		if t.s.Peak != (summary.Peak{}) {
			at = &e.peak.At
		}
		cells := []webpage.Cell{mark(e.label, *at)}
		for _, key := range keys {
			switch c := figures[key]; {
			case c.words != nil:
				cells = append(cells, webpage.Text(c.words(e)))
			case c.kelvin:
				cells = append(cells, webpage.Temperature(c.value(e), int(deg)))
			default:
				cells = append(cells, webpage.Number(c.number(e), c.format(t, c.number(e))))
			}
		}
		table.Rows = append(table.Rows, cells)
	}
	return table
}
