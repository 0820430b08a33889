// Package display draws the results of a sweep.
package display

import (
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

// Draw shows the maximum as curves over a single parameter, or on parallel axes.
func (t *Table) Draw(w io.Writer, title string) error {
	subtitle := fmt.Sprintf("%d runs, maximum of the stack", len(t.Rows))
	if t.Plan.Numbers[0] && len(t.Plan.Labels) == 1 {
		c := picture.Chart{Title: title, Subtitle: subtitle, X: t.label(0), Y: "°C",
			Curves: []picture.Curve{t.curve("max_K", "maximum")}, LogX: t.spread(0)}
		for name := range t.Index {
			if strings.HasPrefix(name, "probe/") {
				c.Curves = append(c.Curves, t.curve(name, strings.TrimSuffix(name, "_K")))
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

// curve of a column over the single parameter, in ascending order.
func (t *Table) curve(column, name string) picture.Curve {
	x, y := t.parameter(0), t.Celsius(column)
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, x[a]-x[b])) })
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
