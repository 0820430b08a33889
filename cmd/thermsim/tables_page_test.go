package main

import (
	"cmp"
	"fmt"
	"html"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	tagPattern  = regexp.MustCompile(`<[^>]*>`)
	headPattern = regexp.MustCompile(`(?s)<th .*?</th>`)
	rowPattern  = regexp.MustCompile(`(?s)<tr><td.*?</tr>`)
	cellPattern = regexp.MustCompile(`(?s)<td([^>]*)>(.*?)</td>`)
	exact       = regexp.MustCompile(`data-v="([^"]*)"`)
	shownAt     = regexp.MustCompile(`data-plane="(\d+)" data-x="([^"]*)" data-y="([^"]*)"`)
)

func withoutTags(markup string) string {
	return strings.TrimSpace(html.UnescapeString(tagPattern.ReplaceAllString(markup, "")))
}

// pageTable reads a table of the page: the exact numbers, which are saved and sorted by, temperatures in K.
// What people read must be the same. Names have the place behind them that a click shows.
func pageTable(t *testing.T, page, id string) (rows [][]string) {
	t.Helper()
	table := regexp.MustCompile(`(?s)<table id="` + id + `">.*?</table>`).FindString(page)
	var head []string
	for _, th := range headPattern.FindAllString(table, -1) {
		head = append(head, strings.Replace(withoutTags(th), "°C", "K", 1))
	}
	rows = append(rows, head)
	for _, tr := range rowPattern.FindAllString(table, -1) {
		var row []string
		for n, td := range cellPattern.FindAllStringSubmatch(tr, -1) {
			text := withoutTags(td[2])
			if v := exact.FindStringSubmatch(td[1]); v != nil {
				number, err := strconv.ParseFloat(v[1], 64)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(td[2], "data-k") {
					number = celsiusOf(number)
				}
				if fault := compareCell(text, number, agreement); fault != "" && v[1] != "NaN" {
					t.Errorf("%s, %s: %s", id, head[n], fault)
				}
				text = strings.Replace(v[1], "NaN", "", 1)
			} else if at := shownAt.FindStringSubmatch(td[2]); at != nil {
				text += fmt.Sprint(" @", at[1:])
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return rows
}

// comparePage compares every table of the page, and the facts at its head.
func (w *wanted) comparePage(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	compare := func(id string, want wantedTable) {
		t.Helper()
		compareTable(t, "the page's "+id, pageTable(t, page, id), want)
	}
	compare("layers-table", tableOf(w.pageLayers(), w.fromTop("layers")))
	compare("dies", tableOf(w.pageDies(), w.fromTop("dies")))
	compare("regions", tableOf(w.pageRegions(), w.fromTop("regions")))
	compare("blocks", tableOf(w.pageBlocks(), w.hottestBlocks()))
	compare("limits", w.pageLimits())
	compare("hotspots", w.pageSpots())
	compare("probes", w.pageProbes())
	w.compareFacts(t, page)
}

// placed is a name with the place that a click on it shows.
func placed(name string, cell int) string {
	x, y, _ := centreOf(cell)
	return fmt.Sprintf("%s @[%d %.9g %.9g]", name, cell/smallNX/smallNY, x, y)
}

// pageColumns are the name, which shows the peak, and further columns, among them the temperatures.
func (w *wanted) pageColumns(head string, label func(*wantedRow) any, columns ...wantedColumn) []wantedColumn {
	all := []wantedColumn{{head, func(r *wantedRow) any {
		if w.fields != nil {
			return placed(label(r).(string), r.peak.hottest)
		}
		return placed(label(r).(string), r.hottest)
	}}}
	for _, c := range columns {
		if c.head != "" {
			all = append(all, c)
			continue
		}
		if w.fields != nil {
			all = append(all, wantedColumn{"peak K", func(r *wantedRow) any { return r.peak.max }},
				wantedColumn{"at s", func(r *wantedRow) any { return r.peakS }})
		}
		all = append(all, wantedColumn{"max K", maxOf}, wantedColumn{"mean K", meanOf}, wantedColumn{"min K", minOf})
	}
	return all
}

var squareMillimetres = wantedColumn{"area mm²", func(r *wantedRow) any { return r.area * 1e6 }}

func (w *wanted) pageLayers() []wantedColumn {
	inRegions := map[string]string{"base": "logic, mould", "upper": "logic, memory, mould"}
	materials := func(r *wantedRow) any { return cmp.Or(inRegions[r.name], r.material) }
	return w.pageColumns("layer", nameOf, wantedColumn{"material", materials},
		wantedColumn{"thickness µm", func(r *wantedRow) any { return r.dz * 1e6 }}, wantedColumn{"power W", wattsOf},
		wantedColumn{}, wantedColumn{"mean without", func(r *wantedRow) any { return strings.Join(r.without, ", ") }})
}

func (w *wanted) pageDies() []wantedColumn {
	return w.pageColumns("die", nameOf, wantedColumn{"layers", spanOf}, wantedColumn{},
		wantedColumn{"power W", wattsOf})
}

func (w *wanted) pageRegions() []wantedColumn {
	return w.pageColumns("region", labelOf, wantedColumn{"layer", layerOf}, wantedColumn{"material", materialOf},
		wantedColumn{}, wantedColumn{"power W", wattsOf}, squareMillimetres)
}

func (w *wanted) pageBlocks() []wantedColumn {
	columns := w.pageColumns("block", nameOf, wantedColumn{"layer", layerOf}, wantedColumn{},
		wantedColumn{"power W", wattsOf},
		wantedColumn{"W/cm²", func(r *wantedRow) any { return r.watts / r.area / 1e4 }},
		squareMillimetres)
	if w.model.leaks {
		columns = append(columns, wantedColumn{"leaking W", func(r *wantedRow) any { return r.leak }})
	}
	return columns
}

func (w *wanted) pageLimits() wantedTable {
	t := wantedTable{head: []string{"limit of", "tmax K", "max K", "margin K", "margin W", "verdict"}}
	if w.fields != nil {
		t.head = slices.Insert(t.head, 5, "at s")
		if w.model.leaks {
			t.head = slices.Delete(t.head, 4, 5)
		}
	}
	for _, l := range w.limitList() {
		label, last, verdict := "the whole stack", []any{l.watts}, "PASS"
		if l.kind != "stack" {
			label = l.kind + " " + l.name + " of layer " + l.layer
		}
		if w.fields != nil {
			if last = append(last, l.time); w.model.leaks {
				last = last[1:]
			}
		}
		if l.max > l.tmax {
			verdict = "FAIL"
		}
		row := append([]any{placed(label, l.hottest), l.tmax, l.max, l.tmax - l.max}, last...)
		t.rows = append(t.rows, append(row, verdict))
	}
	return t
}

// pageSpots are those of a steady state, or of the hottest step of a transient.
func (w *wanted) pageSpots() wantedTable {
	at := *w
	for _, field := range w.fields {
		if slices.Max(field) > slices.Max(at.field) {
			at.field = field
		}
	}
	w = &at
	t := wantedTable{head: []string{"location", "max K", "rise K", "prominence K", "x mm", "y mm", "layer"}}
	for _, s := range w.hotSpots() {
		x, y, _ := centreOf(s.cell)
		layer, block, region := place(s.cell)
		kelvin := w.field[s.cell]
		name := placed(cmp.Or(block, region, "in "+layer), s.cell)
		t.rows = append(t.rows, []any{name, kelvin, kelvin - smallAmbient, s.prominence, x * 1e3, y * 1e3, layer})
	}
	return t
}

// pageProbes show the plane below where they lie between two.
func (w *wanted) pageProbes() wantedTable {
	p := w.model.probes(w.field)
	return wantedTable{head: []string{"probe", "temperature K", "x mm", "y mm", "z mm"}, rows: [][]any{
		{placed("inside", smallCell(3, 0, 0)), p[0], 7.0, 0.5, 0.15},
		{placed("below", smallCell(1, 2, 0)), p[1], 3.0, 2.5, 0.3},
	}}
}

func (w *wanted) compareFacts(t *testing.T, page string) {
	t.Helper()
	in, _, _, _ := w.heat()
	whole := w.whole()
	top, mean := whole.max, whole.mean
	margin := w.limitList()[0]
	facts := map[string]marked{"Mean": {celsiusOf(mean), " °C"}, "Power": {in, " W"}}
	if w.fields == nil {
		facts["R_th"] = marked{(top - smallAmbient) / in, " K/W"}
	} else {
		facts = map[string]marked{"Max, last step": {celsiusOf(top), " °C"},
			"Mean, last step": {celsiusOf(mean), " °C"}, "Power, last step": {in, " W"}}
		top = whole.peak.max
	}
	facts["Peak"], facts["Rise"] = marked{celsiusOf(top), " °C"}, marked{top - smallAmbient, " K"}
	facts["Ambient"] = marked{celsiusOf(smallAmbient), " °C"}
	facts["Smallest margin"] = marked{margin.tmax - margin.max, " K"}
	for label, want := range facts {
		found := regexp.MustCompile(`<dt>` + label + `</dt><dd>(.*?)</dd>`).FindStringSubmatch(page)
		if found == nil {
			t.Errorf("the page has no %s", label)
		} else if fault := compareCell(withoutTags(found[1]), want, agreement); fault != "" {
			t.Errorf("the page's %s: %s", label, fault)
		}
	}
}

// fromTop is a list from the top of the stack.
func (w *wanted) fromTop(list string) []*wantedRow {
	rows := slices.Clone(w.lists[list])
	slices.Reverse(rows)
	if list == "regions" { // the rest of a layer is its last row
		layer := func(r *wantedRow) int {
			return slices.IndexFunc(rows, func(o *wantedRow) bool { return o.layer == r.layer })
		}
		first := map[*wantedRow]int{}
		for _, r := range rows {
			if first[r] = 2 * layer(r); r.kind == "rest" {
				first[r]++
			}
		}
		slices.SortStableFunc(rows, func(a, b *wantedRow) int { return cmp.Compare(first[a], first[b]) })
	}
	return rows
}

func (w *wanted) hottestBlocks() []*wantedRow {
	blocks := slices.Clone(w.lists["blocks"])
	slices.SortFunc(blocks, func(a, b *wantedRow) int {
		return cmp.Compare(max(b.max, b.peak.max), max(a.max, a.peak.max))
	})
	return blocks
}
