package verify

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"thermsim/internal/testtier"
	"thermsim/stack"
	"thermsim/study/converge"
)

// layeredRow is a row of rises.csv: the mean over a box of one layer, or the maximum of that layer.
type layeredRow struct {
	name  string
	box   stack.Rect
	layer int
	rise  float64 // K, by finite elements, extrapolated
}

// A stack with vias and strong lateral contrast, against finite elements (testdata/layered/layered.py): both are
// extrapolated from three grids. A material that conducts 2 % better must fail: the thermal interface (TIM), in the
// extended tier any.
func TestLayeredStackAgainstFiniteElements(t *testing.T) {
	const limit = 8e-4 // of the largest rise; a mold that conducts 2 % worse is 9.1e-4 off
	rows := layeredRows(t)
	st := loadPeer(t, "layered", "stack.toml")
	rises := layeredRises(t, st, rows)
	for n, r := range rows {
		e := converge.Judge(rises[n][0], rises[n][1], rises[n][2], solveTol)
		t.Logf("%-18s %.3f, %.3f, %.3f K, order %.2f, extrapolated %.3f K, finite elements %.3f K: %+.3f %%", r.name,
			e.Values[0], e.Values[1], e.Values[2], e.Order, e.Extrapolated, r.rise,
			100*(e.Extrapolated-r.rise)/rows[0].rise)
		if !(math.Abs(e.Extrapolated-r.rise) <= limit*rows[0].rise) {
			t.Errorf("%s: %.4f K, finite elements %.4f K", r.name, e.Extrapolated, r.rise)
		}
	}
	for _, name := range testtier.Pick([]string{"tim"}, []string{"tim", "silicon", "bond", "mold", "copper"}) {
		st := loadPeer(t, "layered", "stack.toml")
		perturbConductivity(namedMaterial(st, name))
		off := 0.0
		for n, v := range layeredRises(t, st, rows) {
			e := converge.Judge(v[0], v[1], v[2], solveTol)
			off = math.Max(off, math.Abs(e.Extrapolated-rows[n].rise)/rows[0].rise)
		}
		if t.Logf("%s conducts 2 %% better: %.3f %%", name, 100*off); !(off > limit) {
			t.Errorf("passes with a %s that conducts 2 %% better", name)
		}
	}
}

func layeredRows(t *testing.T) []layeredRow {
	t.Helper()
	file, err := os.Open("testdata/layered/rises.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []layeredRow
	for _, r := range records[1:] {
		v := make([]float64, len(r))
		for i := 1; i < len(r); i++ {
			if v[i], err = strconv.ParseFloat(r[i], 64); err != nil {
				t.Fatal(err)
			}
		}
		box := stack.Rect{X: v[1] * 1e-3, Y: v[3] * 1e-3, Width: (v[2] - v[1]) * 1e-3, Height: (v[4] - v[3]) * 1e-3}
		rows = append(rows, layeredRow{r[0], box, int(v[5]), v[11]})
	}
	return rows
}

// layeredRises are those of all rows on three grids.
func layeredRises(t *testing.T, st *stack.Stack, rows []layeredRow) [][3]float64 {
	t.Helper()
	rises := make([][3]float64, len(rows))
	for level := range 3 {
		var err error
		if st, err = converge.Refine(st); err != nil {
			t.Fatal(err)
		}
		f, err := solver{options: exact}.steady(t.Context(), st)
		if err != nil {
			t.Fatal(err)
		}
		for n, r := range rows {
			if rises[n][level] = f.mean(r); n == 0 {
				rises[n][level] = f.max()
			}
		}
	}
	return rises
}

// mean rise over a box of one layer; the edges of boxes are lines of the grid, and its cells are of one size.
func (f *field) mean(r layeredRow) float64 {
	sum, cells := 0.0, 0
	for k := range f.NZ() {
		for j := range f.NY() {
			for i := range f.NX() {
				x, y := (f.X[i]+f.X[i+1])/2-r.box.X, (f.Y[j]+f.Y[j+1])/2-r.box.Y
				if f.Planes[k].Layer == r.layer && x > 0 && x < r.box.Width && y > 0 && y < r.box.Height {
					sum, cells = sum+f.at(i, j, k), cells+1
				}
			}
		}
	}
	return sum / float64(cells)
}
