// Package display draws the results of a sweep.
package display

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"thermsim/report/picture"
	"thermsim/report/quantity"
	"thermsim/study/sweep"
)

// Table is the finished table of a sweep.
type Table struct {
	Plan  *sweep.Plan
	Rows  [][]string
	Index map[string]int
}

// New reads the rows of a table, the header first.
func New(plan *sweep.Plan, rows [][]string) *Table {
	t := &Table{Plan: plan, Rows: rows[1:], Index: map[string]int{}}
	for i, name := range rows[0] {
		if _, ok := t.Index[name]; !ok { // a layer named max has a second column max_K
			t.Index[name] = i
		}
	}
	return t
}

// Numbers of a column; NaN for missing values, and in runs without a result, because a runaway ends at a lower power.
func (t *Table) Numbers(column string) []float64 {
	list := make([]float64, len(t.Rows))
	for i, row := range t.Rows {
		x, err := strconv.ParseFloat(row[t.Index[column]], 64)
		if err != nil || row[t.Index["status"]] != sweep.Done {
			x = math.NaN()
		}
		list[i] = x
	}
	return list
}

// Celsius converts a column in K.
func (t *Table) Celsius(column string) []float64 {
	list := t.Numbers(column)
	for i := range list {
		list[i] = list[i] - quantity.ZeroCelsius
	}
	return list
}

// mostCurves is the number of values of a parameter up to which each has a curve.
const mostCurves = 8

// Draw shows the maximum as curves over a parameter, one for each value of a second one, as a map over two parameters
// of many values, or on parallel axes.
func (t *Table) Draw(w io.Writer, title string) error {
	subtitle := fmt.Sprintf("%d runs, maximum of the stack", len(t.Rows))
	if n := t.Plan.Numbers; len(n) == 2 && n[0] && n[1] {
		x, y := distinct(t.parameter(0)), distinct(t.parameter(1))
		switch {
		case len(x)*len(y) != len(t.Rows):
		case min(len(x), len(y)) <= mostCurves:
			return t.family(title, subtitle, len(y) > len(x) && len(x) <= mostCurves).Write(w, picture.PNG)
		default:
			return t.grid(title, subtitle, x, y).Write(w, picture.PNG)
		}
	}
	if t.Plan.Numbers[0] && len(t.Plan.Labels) == 1 {
		c := picture.Chart{Title: title, Subtitle: subtitle, X: t.label(0), Y: "temperature (°C)",
			Curves: []picture.Curve{t.curve(0, "max_K", "maximum", nil)}, LogX: t.spread(0)}
		for name := range t.Index {
			if strings.HasPrefix(name, "probe/") {
				c.Curves = append(c.Curves, t.curve(0, name, strings.TrimSuffix(name, "_K"), nil))
			}
		}
		slices.SortFunc(c.Curves[1:], func(a, b picture.Curve) int { return strings.Compare(a.Name, b.Name) })
		return c.Write(w, picture.PNG)
	}
	p := picture.Parallel{Title: title, Subtitle: subtitle + "; a line for each run"}
	for i := range t.Plan.Labels {
		p.Axes = append(p.Axes, t.axis(i))
	}
	p.Axes = append(p.Axes, picture.Axis{Name: "maximum °C", Values: t.Celsius("max_K")})
	return p.Write(w, picture.PNG)
}

// distinct lists the different values in ascending order.
func distinct(x []float64) []float64 { return slices.Compact(slices.Sorted(slices.Values(x))) }

// family has a curve over one of two parameters for each value of the other: over the second if swap.
func (t *Table) family(title, subtitle string, swap bool) *picture.Chart {
	over, by := 0, 1
	if swap {
		over, by = 1, 0
	}
	c := &picture.Chart{Title: title, Subtitle: subtitle + "; curves: " + t.label(by), X: t.label(over),
		Y: "maximum (°C)", LogX: t.spread(over)}
	of := t.parameter(by)
	for _, v := range distinct(of) {
		name := strings.TrimSpace(fmt.Sprintf("%g %s", v, t.Plan.Units[by]))
		c.Curves = append(c.Curves, t.curve(over, "max_K", name, func(run int) bool { return of[run] == v }))
	}
	return c
}

// grid has a cell for each pair of values of two parameters.
func (t *Table) grid(title, subtitle string, x, y []float64) *picture.Matrix {
	m := &picture.Matrix{Title: title, Subtitle: subtitle, Across: t.label(0), Down: t.label(1), Unit: "°C",
		Values: make([]float64, len(x)*len(y))}
	names := func(values []float64) (list []string) {
		for _, v := range values {
			list = append(list, fmt.Sprintf("%.5g", v))
		}
		return list
	}
	m.Columns, m.Rows = names(x), names(y)
	slices.Reverse(m.Rows) // upwards, as on an axis
	px, py, kelvin := t.parameter(0), t.parameter(1), t.Celsius("max_K")
	for run := range t.Rows {
		i, _ := slices.BinarySearch(x, px[run])
		j, _ := slices.BinarySearch(y, py[run])
		m.Values[(len(y)-1-j)*len(x)+i] = kelvin[run]
	}
	return m
}

// Pareto draws the runs over two temperatures, in K in the table, and those that no other run beats in both.
func (t *Table) Pareto(title string, outputs [2]string) *picture.Chart {
	x, y := t.Celsius(outputs[0]+"_K"), t.Celsius(outputs[1]+"_K")
	c := &picture.Chart{Title: title, X: outputs[0] + " (°C)", Y: outputs[1] + " (°C)"}
	c.Curves = []picture.Curve{{Name: "runs", X: x, Y: y, Points: true}, Front(x, y)}
	c.Curves[1].Name = "Pareto front"
	c.Subtitle = fmt.Sprintf("%d runs; in %d of them no other run is colder in both", len(t.Rows),
		len(c.Curves[1].X))
	return c
}

// Front returns the points that no other point is below in both coordinates, in ascending x.
func Front(x, y []float64) (front picture.Curve) {
	least := math.Inf(1)
	for _, i := range ascending(x, y) {
		if y[i] < least {
			least = y[i]
			front.X, front.Y = append(front.X, x[i]), append(front.Y, y[i])
		}
	}
	return front
}

// ascending orders the points with two numbers by x, then y.
func ascending(x, y []float64) (order []int) {
	for i := range x {
		if !math.IsNaN(x[i]) && !math.IsNaN(y[i]) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(y[a], y[b])) })
	return order
}

// curve of a column over a parameter, in ascending order, of all runs or of those that are in.
func (t *Table) curve(parameter int, column, name string, in func(run int) bool) picture.Curve {
	x, y := t.parameter(parameter), t.Celsius(column)
	order := make([]int, 0, len(x))
	for i := range x {
		if in == nil || in(i) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	c := picture.Curve{Name: name}
	for _, i := range order {
		c.X, c.Y = append(c.X, x[i]), append(c.Y, y[i])
	}
	return c
}

// label of a parameter with its unit.
func (t *Table) label(i int) string {
	if t.Plan.Units[i] == "" {
		return t.Plan.Labels[i]
	}
	return t.Plan.Labels[i] + ", " + t.Plan.Units[i]
}

// parameter values as numbers, without their unit.
func (t *Table) parameter(i int) []float64 {
	list := make([]float64, len(t.Rows))
	for run := range t.Rows {
		x, err := strconv.ParseFloat(strings.Fields(t.Plan.Values(run)[i] + " ")[0], 64)
		if err != nil {
			x = math.NaN()
		}
		list[run] = x
	}
	return list
}

// spread reports whether a parameter needs a logarithmic axis: it is positive and spans more than a factor of 20.
func (t *Table) spread(i int) bool {
	x := t.parameter(i)
	return slices.Min(x) > 0 && slices.Max(x) > 20*slices.Min(x)
}

// axis of a parameter: its numbers, or its words in the order of first use.
func (t *Table) axis(i int) picture.Axis {
	a := picture.Axis{Name: t.label(i)}
	if t.Plan.Numbers[i] {
		a.Values, a.Log = t.parameter(i), t.spread(i)
		return a
	}
	for run := range t.Rows {
		word := t.Plan.Values(run)[i]
		n := slices.Index(a.Words, word)
		if n < 0 {
			n = len(a.Words)
			a.Words = append(a.Words, word)
		}
		a.Values = append(a.Values, float64(n))
	}
	return a
}
