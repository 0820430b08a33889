package display

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"thermsim/stack/stackfile"
	"thermsim/study/sweep"
)

// The front has the points that no other point beats in both coordinates, by comparing all pairs.
func TestFront(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var x, y []float64
		for range 1 + r.IntN(30) {
			x, y = append(x, float64(r.IntN(9))), append(y, float64(r.IntN(9)))
		}
		type point [2]float64
		var want, got []point
		for i := range x {
			beaten := false
			for j := range x {
				beaten = beaten || x[j] <= x[i] && y[j] <= y[i] && (x[j] < x[i] || y[j] < y[i])
			}
			if p := (point{x[i], y[i]}); !beaten && !slices.Contains(want, p) {
				want = append(want, p)
			}
		}
		slices.SortFunc(want, func(a, b point) int { return int(a[0] - b[0]) })
		f := Front(x, y)
		for i := range f.X {
			got = append(got, point{f.X[i], f.Y[i]})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("x %v, y %v: front %v, expected %v", x, y, got, want)
		}
	}
}

// Two parameters of few values are curves over the longer one; those of many values are a map, its rows upwards.
func TestTwoParameters(t *testing.T) {
	for _, n := range [][2]int{{3, 2}, {2, 3}, {9, 10}} {
		f := &stackfile.SweepFile{}
		for i, label := range []string{"a", "b"} {
			v := stackfile.Vary{Keys: []string{label}, Label: label, Count: n[i]}
			for k := range n[i] {
				v.Values = append(v.Values, fmt.Sprint(100*k, " um"))
			}
			f.Vary = append(f.Vary, v)
		}
		plan, err := sweep.New(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows := [][]string{{"run", "a", "b", "status", "max_K"}}
		for run := range plan.Count() {
			v := plan.Values(run)
			var a, b float64
			if _, err := fmt.Sscanf(v[0]+" "+v[1], "%g um %g um", &a, &b); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, []string{fmt.Sprint(run), v[0], v[1], sweep.Done, fmt.Sprint(a + 2*b + 273.15)})
		}
		table := New(plan, rows)
		if n[0] > 8 {
			m := table.grid("", "", distinct(table.parameter(0)), distinct(table.parameter(1)))
			if got := m.Values[1*n[0]+2]; m.Rows[1] != "800" || m.Columns[2] != "200" || math.Abs(got-1800) > 1e-9 {
				t.Errorf("row %s, column %s: %g, expected 800, 200: 1800", m.Rows[1], m.Columns[2], got)
			}
			continue
		}
		c := table.family("", "", n[1] > n[0])
		over, by := 1.0, 2.0
		if n[1] > n[0] {
			over, by = by, over
		}
		if len(c.Curves) != 2 || c.Curves[1].Name != "100 um" || len(c.Curves[1].X) != 3 {
			t.Fatalf("%v: curves %+v", n, c.Curves)
		}
		for k, x := range c.Curves[1].X {
			if want := over*x + by*100; x != float64(100*k) || math.Abs(c.Curves[1].Y[k]-want) > 1e-9 {
				t.Errorf("%v: %g at %g, expected %g", n, c.Curves[1].Y[k], x, want)
			}
		}
	}
}
