package report

import (
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"

	"thermsim/report/samples"
	"thermsim/report/webpage"
	"thermsim/stack"
)

// unequalPage writes page and tables of a steady run on 9 x 4 cells, with blocks enough for a filter. Its field rises
// to the east ten times as steeply as to the north.
func unequalPage(t *testing.T, page, tables string) {
	t.Helper()
	s := samples.Stack(9, 4)
	s.Layers[1].Cells = 1 // a map in CSV is then one plane
	s.Layers[1].Powers[0].Blocks = nil
	for i := range 16 {
		x, y := float64(i%4)*2.5e-3, float64(i/4)*2e-3
		size := samples.Rect(x, y, 1e-3+1e-4*float64(i), 1e-3)
		s.Layers[1].Powers[0].Blocks = append(s.Layers[1].Powers[0].Blocks,
			stack.Block{Name: fmt.Sprint("unit", i+1), Rects: size, Watts: 1 + float64(i%5)})
	}
	r := runOf(t, s, func(x, y, z float64) float64 { return 310 + 4e3*x + 4e2*y + 1e4*z })
	r.Command = "steady"
	files := begin(t, page, nil)
	out, err := NewRecording(files, r, 0, Options{}, OutputOptions{Page: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Finish(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := writeRun(t.Context(), tables, r, summarise(t, r), Options{}); err != nil {
		t.Fatal(err)
	}
}

// checkCells reads what the page tells of cells and blocks against the CSV files of the same run, in both units.
func checkCells(b *browser) {
	b.t.Helper()
	dir, tables := b.t.TempDir(), b.t.TempDir()
	unequalPage(b.t, dir, tables)
	b.look(1280, 900, "light")
	b.open(filepath.Join(dir, PageName))
	b.set("#plane", "2", "input") // feol
	cells := readCSV(b.t, filepath.Join(tables, "map_feol.csv"))
	for _, unit := range []struct {
		button, name string
		zero         float64
	}{{"C", "°C", 273.15}, {"K", "K", 0}} {
		b.click("[data-value=" + unit.button + "]")
		// The pointer, from the upper left corner of the map, which lies in the north-west.
		for _, at := range [][2]float64{{0.06, 0.9}, {0.5, 0.1}, {0.83, 0.4}, {0.95, 0.95}} {
			x, y := b.mapPoint(at[0], at[1])
			b.run(input.DispatchMouseEvent(input.MouseMoved, x, y))
			b.settle()
			i, j := int(at[0]*9), 3-int(at[1]*4)
			b.reads(cells[1+j][1+i], unit.name, unit.zero, at[0]*10, (1-at[1])*8)
		}
		b.js(`document.getElementById("map").dispatchEvent(new PointerEvent("pointerleave"))`, nil)
		// Keys, from the south-west corner to the second row of the sixth column.
		b.key("#map", "ArrowLeft", true)
		b.key("#map", "ArrowDown", true)
		b.reads(cells[1][1], unit.name, unit.zero, 10.0/18, 1)
		for _, key := range []string{"ArrowUp", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"} {
			b.key("#map", key, false)
		}
		b.reads(cells[2][6], unit.name, unit.zero, 5.5*10.0/9, 3)
		b.checkSavedBlocks(filepath.Join(tables, "blocks.csv"), unit.name, unit.zero)
	}
}

// reads checks the temperature that the page tells, and the place, in mm.
func (b *browser) reads(cell, unit string, zero, x, y float64) {
	b.t.Helper()
	got := b.text("#readout")
	var kelvin float64
	if _, err := fmt.Sscanf(got, "%g "+unit+" at x", &kelvin); err != nil {
		b.t.Errorf("%q: %v", got, err)
		return
	}
	near(b.t, got, kelvin, parse(b.t, cell)-zero, webpage.DefaultErrorK+0.005)
	atX, atY := b.place()
	near(b.t, "x of "+got, atX, x, 0.03) // a pixel
	near(b.t, "y of "+got, atY, y, 0.03)
}

// checkSavedBlocks filters the table of blocks, sorts it by name and by power, and reads what is saved.
func (b *browser) checkSavedBlocks(path, unit string, zero float64) {
	b.t.Helper()
	rows := readCSV(b.t, path)
	column := func(name string) int { return slices.Index(rows[0], name) }
	number := func(row []string, name string) float64 { return parse(b.t, row[column(name)]) }
	wanted := slices.DeleteFunc(slices.Clone(rows[1:]), func(r []string) bool {
		return !strings.Contains(r[1], "unit1")
	})
	if len(wanted) != 8 { // 1 and 10 to 16
		b.t.Fatalf("%d blocks are called unit1...", len(wanted))
	}
	b.js(`{ window.saved = []; const make = URL.createObjectURL;
		URL.createObjectURL = (blob) => (window.saved.push(blob), make.call(URL, blob)); }`, nil)
	b.set("[data-filter=blocks]", "FEOL unit1", "input")
	for _, order := range []struct {
		column int
		less   func(a, b []string) bool
	}{
		{1, func(a, b []string) bool { return len(a[1]) < len(b[1]) || len(a[1]) == len(b[1]) && a[1] < b[1] }},
		// The largest first.
		{8, func(x, y []string) bool { return number(x, "area_m2") > number(y, "area_m2") }},
	} {
		b.js(`document.querySelectorAll("#blocks th").forEach((h) => h.setAttribute("aria-sort", "none"))`, nil)
		b.click(fmt.Sprintf("#blocks th:nth-child(%d) button", order.column))
		slices.SortFunc(wanted, func(x, y []string) int { return map[bool]int{true: -1, false: 1}[order.less(x, y)] })
		b.click("[data-csv=blocks]")
		var text string
		b.js("window.saved.at(-1).text()", &text)
		got, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			b.t.Fatal(err)
		}
		head := []string{"block", "layer", "max " + unit, "mean " + unit, "min " + unit,
			"power W", "W/cm²", "area mm²"}
		if len(got) != 1+len(wanted) || !slices.Equal(got[0], head) {
			b.t.Fatalf("saved %q, want %q and %d rows", got, head, len(wanted))
		}
		for n, row := range wanted {
			if got[n+1][0] != row[column("block")] || got[n+1][1] != row[column("layer")] {
				b.t.Errorf("row %d is of %q, want %q", n, got[n+1][:2], row[:2])
			}
			for c, want := range []float64{number(row, "max_K") - zero, number(row, "mean_K") - zero,
				number(row, "min_K") - zero, number(row, "power_W"),
				number(row, "density_W_per_m2") / 1e4, number(row, "area_m2") * 1e6} {
				near(b.t, got[n+1][0]+", "+head[c+2], parse(b.t, got[n+1][c+2]), want, 1e-6*math.Abs(want))
			}
		}
	}
	b.set("[data-filter=blocks]", "", "input")
}
