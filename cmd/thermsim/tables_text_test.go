package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// section finds a table of the report by its title, its columns apart by two blanks.
func section(t *testing.T, text, title string) (rows [][]string) {
	t.Helper()
	found := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		switch {
		case !found:
			found = strings.HasPrefix(line, title)
		case !strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "  *"):
			return rows
		default:
			cells := strings.FieldsFunc(strings.ReplaceAll(line, "  ", "\t"), func(r rune) bool { return r == '\t' })
			for c := range cells {
				cells[c] = strings.TrimSpace(cells[c])
			}
			rows = append(rows, slices.DeleteFunc(cells, func(c string) bool { return c == "" }))
		}
	}
	if !found {
		t.Fatalf("there is no %q in\n%s", title, text)
	}
	return rows
}

func celsiusOf(kelvin float64) float64 { return kelvin - 273.15 }

// textColumns are those that the tables of rows have in common, in degrees Celsius and millimetres, behind their names.
func (w *wanted) textColumns(names []wantedColumn, mean string, behind ...wantedColumn) []wantedColumn {
	columns := slices.Clone(names)
	top := "max degC"
	if w.fields != nil {
		columns = append(columns, wantedColumn{"peak degC", func(r *wantedRow) any { return celsiusOf(r.peak.max) }},
			wantedColumn{"at", func(r *wantedRow) any { return inSeconds(r.peakS) }})
		top = "last max"
	}
	columns = append(columns, wantedColumn{top, func(r *wantedRow) any { return celsiusOf(r.max) }},
		wantedColumn{mean, func(r *wantedRow) any {
			if r.without != nil {
				return marked{celsiusOf(r.mean), "*"}
			}
			return celsiusOf(r.mean)
		}},
		wantedColumn{"min", func(r *wantedRow) any { return celsiusOf(r.min) }},
		wantedColumn{"power W", func(r *wantedRow) any {
			if r.watts == 0 {
				return "-"
			}
			return r.watts
		}})
	at := []wantedColumn{
		{"x mm", func(r *wantedRow) any { x, _, _ := centreOf(r.hottest); return x * 1e3 }},
		{"y mm", func(r *wantedRow) any { _, y, _ := centreOf(r.hottest); return y * 1e3 }},
	}
	if len(behind) > 0 && behind[0].head == "W/cm2" {
		columns, behind = append(columns, behind[0]), behind[1:]
	}
	return append(append(columns, at...), behind...)
}

// compareText compares the tables of the report, layers and their like from the top.
func (w *wanted) compareText(t *testing.T, text string) {
	t.Helper()
	hottest := wantedColumn{"hottest block", func(r *wantedRow) any {
		_, block, region := place(r.hottest)
		return cmp.Or(block, region, "-")
	}}
	compare := func(title string, rows []*wantedRow, columns []wantedColumn) {
		t.Helper()
		compareTable(t, title, section(t, text, title+"  "), tableOf(columns, rows))
	}
	layers := w.textColumns([]wantedColumn{{"layer", nameOf}}, "mean", hottest)
	compare("Layers", w.fromTop("layers"), layers)
	compare("Dies", w.fromTop("dies"), w.textColumns([]wantedColumn{{"die", nameOf}, {"layers", spanOf}}, "mean"))
	regions := w.textColumns([]wantedColumn{{"region", labelOf}, {"layer", layerOf}}, "mean")
	compare("Regions", w.fromTop("regions"), regions)
	behind := []wantedColumn{{"W/cm2", func(r *wantedRow) any { return r.watts / r.area / 1e4 }}}
	if w.model.leaks {
		behind = append(behind, wantedColumn{"of it leaking", func(r *wantedRow) any { return r.leak }})
	}
	blocks := w.textColumns([]wantedColumn{{"block", nameOf}, {"layer", layerOf}}, "mean", behind...)
	compare("Blocks", w.hottestBlocks(), blocks)

	points := wantedTable{head: []string{"probe", "degC", "rise K", "x mm", "y mm", "z mm"}}
	for n, kelvin := range w.model.probes(w.field) {
		points.rows = append(points.rows, [][]any{
			{"inside", celsiusOf(kelvin), kelvin - smallAmbient, 7.0, 0.5, 0.15},
			{"below", celsiusOf(kelvin), kelvin - smallAmbient, 3.0, 2.5, 0.3},
		}[n])
	}
	compareTable(t, "Probes", section(t, text, "Probes"), points)
	spots := wantedTable{head: []string{"#", "degC", "rise K", "x mm", "y mm", "layer", "block"}}
	for n, s := range w.hotSpots() {
		x, y, _ := centreOf(s.cell)
		layer, block, region := place(s.cell)
		kelvin := w.field[s.cell]
		spots.rows = append(spots.rows, []any{float64(n + 1), celsiusOf(kelvin), kelvin - smallAmbient, x * 1e3,
			y * 1e3, layer, cmp.Or(block, region, "-")})
	}
	compareTable(t, "Hot spots", section(t, text, "Hot spots"), spots)
	limits := wantedTable{head: []string{"limit", "tmax degC", "max degC", "margin K", "W", "layer", "block"}}
	if w.fields != nil {
		limits.head = slices.Insert(limits.head, 5, "at")
		if w.model.leaks {
			limits.head = slices.Delete(limits.head, 4, 5)
		}
	}
	for _, l := range w.limitList() {
		label, last := l.kind+" "+l.name, []any{l.watts}
		if l.kind == "stack" {
			label = "the whole stack"
		}
		switch {
		case w.fields != nil && w.model.leaks:
			last = []any{inSeconds(l.time)}
		case w.fields != nil:
			last = append(last, inSeconds(l.time))
		case w.model.leaks:
			last = []any{"-"}
		}
		layer, block, region := place(l.hottest)
		row := append([]any{label, celsiusOf(l.tmax), celsiusOf(l.max), l.tmax - l.max}, last...)
		limits.rows = append(limits.rows, append(row, layer, cmp.Or(block, region, "-")))
	}
	compareTable(t, "Limits", section(t, text, "Limits"), limits)
	if w.fields != nil {
		steps := wantedTable{head: []string{"step", "t", "max degC", "power W"}}
		hottest := 1
		for step := range w.fields {
			if slices.Max(w.fields[step]) > slices.Max(w.fields[hottest]) {
				hottest = step
			}
		}
		for _, row := range []struct {
			name string
			step int
		}{{"first", 1}, {"hottest", hottest}, {"last", smallSteps}} {
			watts, _ := w.powerIn(row.step)
			top := celsiusOf(slices.Max(w.fields[row.step]))
			steps.rows = append(steps.rows, []any{row.name, inSeconds(smallDt * float64(row.step)), top, watts})
		}
		compareTable(t, "Time steps", section(t, text, "Time steps"), steps)
	}
}

// compareLines compares the verdict and the balance of heat.
func (w *wanted) compareLines(t *testing.T, text string) {
	t.Helper()
	whole := w.whole()
	in, leak, out, stored := w.heat()
	peak, requested := &whole.smallStats, "requested"
	if w.fields != nil {
		peak, requested = &whole.peak, "requested for a steady state"
	}
	layer, block, _ := place(peak.hottest)
	x, y, _ := centreOf(peak.hottest)
	type line struct {
		pattern string
		want    []any
	}
	lines := []line{
		{`Peak (\S+) degC in (\w+), block (\w+) at x (\S+), y (\S+) mm`,
			[]any{celsiusOf(peak.max), layer, block, x * 1e3, y * 1e3}},
		{`(\S+) K above the ambient of (\S+) degC`, []any{peak.max - smallAmbient, celsiusOf(smallAmbient)}},
		{`power  +` + requested + ` (\S+), on the grid (\S+) `, []any{6.5, 6.5}},
		{`Energy: in (\S+) W, out (\S+) W, `, []any{in, out}}, {`Heat by face in W: top (\S+) \((\S+) %\)\n`, []any{out, 100.0}},
		{`faces  +top (\S+) \((\S+) %\)\n`, []any{out, 100.0}},
		{`balance  +in (\S+) W, out (\S+) W, `, []any{in, out}},
	}
	if w.model.leaks {
		lines = append(lines, line{`leaking (\S+?),?\n`, []any{leak}})
	}
	if w.fields == nil {
		lines = append(lines, line{`: R_th (\S+) K/W\n`, []any{(whole.max - smallAmbient) / in}})
	} else {
		layer, block, _ := place(whole.hottest)
		lines = append(lines, line{`, at t = (.*) \((\d+) steps, end (.*)\)\n`,
			[]any{inSeconds(whole.peakS), float64(smallSteps), inSeconds(smallDt * smallSteps)}},
			line{`Last step: (\S+) degC in (\w+), block (\w+)\n`, []any{celsiusOf(whole.max), layer, block}},
			line{`in the last step (\S+)\n`, []any{in}}, line{`balance .*stored (\S+) W, `, []any{stored}},
			line{`Energy: .*stored (\S+) W, `, []any{stored}})
	}
	for _, l := range lines {
		found := regexp.MustCompile(l.pattern).FindStringSubmatch(text)
		if found == nil {
			t.Errorf("no line of the form %s in\n%s", l.pattern, text)
			continue
		}
		for n, want := range l.want {
			if fault := compareCell(found[n+1], want, agreement); fault != "" {
				t.Errorf("%q: %s", found[0], fault)
			}
		}
	}
}
