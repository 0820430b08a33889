package main

import (
	"cmp"
	"slices"
	"strings"
)

type wantedColumn struct {
	head string
	of   func(*wantedRow) any
}

// table is a list of rows with the columns that all lists have behind their own.
func (w *wanted) table(list string, columns []wantedColumn) (t wantedTable) {
	at := func(suffix string, cell func(*wantedRow) int) []wantedColumn {
		coordinate := func(axis int) func(*wantedRow) any {
			return func(r *wantedRow) any {
				x, y, z := centreOf(cell(r))
				return []float64{x, y, z}[axis]
			}
		}
		x, y, z := coordinate(0), coordinate(1), coordinate(2)
		return []wantedColumn{{suffix + "_x_m", x}, {suffix + "_y_m", y}, {suffix + "_z_m", z}}
	}
	n := 1 + slices.IndexFunc(columns, func(c wantedColumn) bool { return c.head == "min_K" })
	columns = slices.Insert(columns, n, at("max", func(r *wantedRow) int { return r.hottest })...)
	if w.fields != nil {
		columns = append(columns, wantedColumn{"peak_K", func(r *wantedRow) any { return r.peak.max }},
			wantedColumn{"peak_time_s", func(r *wantedRow) any { return r.peakS }})
		columns = append(columns, at("peak", func(r *wantedRow) int { return r.peak.hottest })...)
	}
	if w.model.leaks {
		columns = append(columns, wantedColumn{"leakage_W", func(r *wantedRow) any { return r.leak }})
	}
	return tableOf(columns, w.lists[list])
}

func tableOf(columns []wantedColumn, rows []*wantedRow) (t wantedTable) {
	for _, c := range columns {
		t.head = append(t.head, c.head)
	}
	for _, r := range rows {
		var row []any
		for _, c := range columns {
			row = append(row, c.of(r))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func layerColumns() []wantedColumn {
	return []wantedColumn{
		{"layer", nameOf}, {"material", materialOf},
		{"z_bottom_m", func(r *wantedRow) any { return r.z }}, {"thickness_m", func(r *wantedRow) any { return r.dz }},
		{"power_W", wattsOf}, {"max_K", maxOf}, {"mean_K", meanOf}, {"min_K", minOf},
		{"max_block", func(r *wantedRow) any { _, block, _ := place(r.hottest); return block }},
		{"mean_without", func(r *wantedRow) any { return strings.Join(r.without, " ") }},
	}
}

func nameOf(r *wantedRow) any     { return r.name }
func layerOf(r *wantedRow) any    { return r.layer }
func areaOf(r *wantedRow) any     { return r.area }
func materialOf(r *wantedRow) any { return r.material }
func spanOf(r *wantedRow) any     { return strings.Join(r.layers, " to ") }

// labelOf is what people read of a region.
func labelOf(r *wantedRow) any {
	switch r.kind {
	case "rest":
		return "rest, " + r.material
	case "power":
		return r.name + " (power)"
	}
	return r.name
}

func wattsOf(r *wantedRow) any { return r.watts }
func maxOf(r *wantedRow) any   { return r.max }
func meanOf(r *wantedRow) any  { return r.mean }
func minOf(r *wantedRow) any   { return r.min }

func blockColumns() []wantedColumn {
	return []wantedColumn{
		{"layer", layerOf}, {"block", nameOf},
		{"area_m2", areaOf}, {"power_W", wattsOf},
		{"density_W_per_m2", func(r *wantedRow) any { return r.watts / r.area }},
		{"max_K", maxOf}, {"mean_K", meanOf}, {"min_K", minOf},
	}
}

func regionColumns() []wantedColumn {
	return []wantedColumn{
		{"layer", layerOf}, {"region", nameOf},
		{"kind", func(r *wantedRow) any { return r.kind }},
		{"material", materialOf}, {"area_m2", areaOf},
		{"power_W", wattsOf}, {"max_K", maxOf}, {"mean_K", meanOf}, {"min_K", minOf},
	}
}

func dieColumns() []wantedColumn {
	return []wantedColumn{
		{"die", nameOf}, {"layers", func(r *wantedRow) any { return strings.Join(r.layers, " ") }},
		{"power_W", wattsOf}, {"max_K", maxOf}, {"mean_K", meanOf}, {"min_K", minOf},
	}
}

// mapOf is the hottest plane of a layer, cell by cell.
func (w *wanted) mapOf(layer int) (t wantedTable) {
	t.head = []string{`y\x`, "0.001", "0.003", "0.005", "0.007"}
	for j := range smallNY {
		row := []any{(float64(j) + 0.5) * smallDY}
		for i := range smallNX {
			top := 0.0
			for _, k := range smallLayers[layer].planes {
				top = max(top, w.field[smallCell(i, j, k)])
			}
			row = append(row, top)
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func (w *wanted) limits() (t wantedTable) {
	const head = "kind,layer,name,tmax_K,max_K,margin_K,margin_W,time_s,x_m,y_m,z_m,at_layer,at_block,at_region,ok"
	t.head = strings.Split(head, ",")
	for _, l := range w.limitList() {
		x, y, z := centreOf(l.hottest)
		layer, block, region := place(l.hottest)
		ok, time := "true", any("")
		if l.max > l.tmax {
			ok = "false"
		}
		if w.fields != nil {
			time = l.time
		}
		t.rows = append(t.rows, []any{l.kind, l.layer, l.name, l.tmax, l.max, l.tmax - l.max, l.watts, time,
			x, y, z, layer, block, region, ok})
	}
	return t
}

// trace is a row per step: the power with its leakage, which is that at the end of the step.
func (w *wanted) trace() (t wantedTable) {
	t.head = []string{"time_s", "power_W", "max_K"}
	if w.model.leaks {
		t.head = append(t.head, "leakage_W")
	}
	var rows []*wantedRow
	add := func(list string, name func(*wantedRow) string) {
		for _, r := range w.lists[list] {
			t.head = append(t.head, name(r)+"_mean_K", name(r)+"_max_K")
			rows = append(rows, r)
		}
	}
	add("blocks", func(r *wantedRow) string { return r.layer + "/" + r.name })
	add("regions", func(r *wantedRow) string { return r.layer + "/" + r.kind + ":" + cmp.Or(r.name, r.material) })
	add("dies", func(r *wantedRow) string { return "die:" + r.name })
	t.head = append(t.head, "inside_K", "below_K")
	for step := 1; step < len(w.fields); step++ {
		field := w.fields[step]
		power, leak := w.powerIn(step)
		row := []any{smallDt * float64(step), power, slices.Max(field)}
		if w.model.leaks {
			row = append(row, leak)
		}
		for _, r := range rows {
			s := w.model.stats(field, r.over)
			row = append(row, s.mean, s.max)
		}
		probes := w.model.probes(field)
		t.rows = append(t.rows, append(row, probes[0], probes[1]))
	}
	return t
}
