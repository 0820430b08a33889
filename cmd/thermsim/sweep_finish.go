package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/staging"
	"thermsim/report/picture"
	"thermsim/study/sweep"
)

// merge makes one table of the parts.
func (v *sweeper) merge() error {
	set, err := v.plan.Set(0)
	if err != nil {
		return exit.With(exit.Input, err)
	}
	first, err := v.stack(set)
	if err != nil {
		return err
	}
	rows, err := sweep.Merge(v.o.out, v.identity(first))
	if err != nil {
		return err
	}
	path := filepath.Join(v.o.out, "sweep.csv")
	if err := replaceable(path, rows[0]); err != nil {
		return err
	}
	err = staging.Replace(path, func(w io.Writer) error {
		table := csv.NewWriter(w)
		return errors.Join(table.WriteAll(rows), table.Error())
	})
	if err != nil {
		return err
	}
	if err := v.finish(path); err != nil {
		return err
	}
	return unresolved(sweep.Faults(rows), len(rows)-1, path)
}

// replaceable says whether a table with its picture is of this sweep, or not there.
func replaceable(path string, header []string) error {
	mine := path
	rows, err := sweep.ReadTable(path)
	if errors.Is(err, fs.ErrNotExist) {
		mine = pictureOf(path)
		_, err = os.Lstat(mine)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	if err == nil && len(rows) > 0 && slices.Equal(rows[0], header) {
		return nil
	}
	return exit.Usagef("%s is not of this sweep; give another --out, or remove it", mine)
}

// pictureOf is that of a table.
func pictureOf(path string) string { return filepath.Join(filepath.Dir(path), "sweep.png") }

// finish draws a whole sweep and tells its best and worst runs.
func (v *sweeper) finish(path string) error {
	rows, err := sweep.ReadTable(path)
	if err != nil {
		return err
	}
	t := &sweepTable{plan: v.plan, rows: rows[1:], index: map[string]int{}}
	for i, name := range rows[0] {
		if _, ok := t.index[name]; !ok { // a layer called max has a max_K of its own, further behind
			t.index[name] = i
		}
	}
	image := pictureOf(path)
	if !slices.ContainsFunc(t.celsius("max_K"), func(c float64) bool { return !math.IsNaN(c) }) {
		if err := os.Remove(image); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a sweep that this one replaces
			return err
		}
		v.g.Note("the table is %s; there is no picture, as no run has a result", path)
		return nil
	}
	if err := staging.Replace(image, func(w io.Writer) error { return t.draw(w, v.title()) }); err != nil {
		return err
	}
	if !v.g.Quiet {
		t.write(v.g.Console)
		v.g.Note("the table is %s, the picture %s", path, image)
	}
	return nil
}

func (v *sweeper) title() string {
	s, err := v.stack(nil)
	if err != nil || s.Title == "" {
		return filepath.Base(v.file.Stack)
	}
	return s.Title
}

// sweepTable is the finished table.
type sweepTable struct {
	plan  *sweep.Plan
	rows  [][]string
	index map[string]int
}

// numbers of a column; NaN where there is none, and in runs that have no result: a runaway ends at a lower power, and
// looks cold.
func (t *sweepTable) numbers(column string) []float64 {
	list := make([]float64, len(t.rows))
	for i, row := range t.rows {
		x, err := strconv.ParseFloat(row[t.index[column]], 64)
		if err != nil || row[t.index["status"]] != sweep.Done {
			x = math.NaN()
		}
		list[i] = x
	}
	return list
}

// celsius of a column in K.
func (t *sweepTable) celsius(column string) []float64 {
	list := t.numbers(column)
	for i := range list {
		list[i] = terminal.Celsius(list[i])
	}
	return list
}

// draw shows the maximum over one parameter as curves, and over several on parallel axes.
func (t *sweepTable) draw(w io.Writer, title string) error {
	subtitle := fmt.Sprintf("%d runs, maximum of the stack", len(t.rows))
	if t.plan.Numbers[0] && len(t.plan.Labels) == 1 {
		c := picture.Chart{Title: title, Subtitle: subtitle, X: t.label(0), Y: "°C",
			Curves: []picture.Curve{t.curve("max_K", "maximum")}, LogX: t.spread(0)}
		for name := range t.index {
			if strings.HasPrefix(name, "probe/") {
				c.Curves = append(c.Curves, t.curve(name, strings.TrimSuffix(name, "_K")))
			}
		}
		slices.SortFunc(c.Curves[1:], func(a, b picture.Curve) int { return strings.Compare(a.Name, b.Name) })
		return c.Write(w, picture.PNG)
	}
	p := picture.Parallel{Title: title, Subtitle: subtitle + "; a line for each run"}
	for i := range t.plan.Labels {
		p.Axes = append(p.Axes, t.axis(i))
	}
	p.Axes = append(p.Axes, picture.Axis{Name: "maximum °C", Values: t.celsius("max_K")})
	return p.Write(w, picture.PNG)
}

// curve of a column over the only parameter, in its order.
func (t *sweepTable) curve(column, name string) picture.Curve {
	x, y := t.parameter(0), t.celsius(column)
	c := picture.Curve{Name: name}
	for _, i := range sorted(len(x), func(a, b int) int { return int(math.Copysign(1, x[a]-x[b])) }) {
		c.X, c.Y = append(c.X, x[i]), append(c.Y, y[i])
	}
	return c
}

// label of a parameter with its unit.
func (t *sweepTable) label(i int) string {
	if t.plan.Units[i] == "" {
		return t.plan.Labels[i]
	}
	return t.plan.Labels[i] + ", " + t.plan.Units[i]
}

// parameter values as numbers, without their unit.
func (t *sweepTable) parameter(i int) []float64 {
	list := make([]float64, len(t.rows))
	for run := range t.rows {
		x, err := strconv.ParseFloat(strings.Fields(t.plan.Values(run)[i] + " ")[0], 64)
		if err != nil {
			x = math.NaN()
		}
		list[run] = x
	}
	return list
}

// spread says whether a parameter wants a logarithmic axis: positive and over more than a factor of 20.
func (t *sweepTable) spread(i int) bool {
	x := t.parameter(i)
	return slices.Min(x) > 0 && slices.Max(x) > 20*slices.Min(x)
}

// axis of a parameter: its numbers, or the words in the order in which they come.
func (t *sweepTable) axis(i int) picture.Axis {
	a := picture.Axis{Name: t.label(i)}
	if t.plan.Numbers[i] {
		a.Values, a.Log = t.parameter(i), t.spread(i)
		return a
	}
	for run := range t.rows {
		word := t.plan.Values(run)[i]
		n := slices.Index(a.Words, word)
		if n < 0 {
			n = len(a.Words)
			a.Words = append(a.Words, word)
		}
		a.Values = append(a.Values, float64(n))
	}
	return a
}

// write tells the coldest runs and the hottest.
func (t *sweepTable) write(c *terminal.Console) {
	const most = 5
	hottest := t.numbers("max_K")
	var order []int
	for i, x := range hottest {
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, hottest[a]-hottest[b])) })
	header := []string{">run"}
	for _, label := range t.plan.Labels {
		header = append(header, ">"+label)
	}
	out := terminal.Table{Header: append(header, ">max degC", "layer", "block", ">margin K")}
	add := func(i int) {
		row := t.rows[i]
		cells := append([]string{row[0]}, row[1:1+len(t.plan.Labels)]...)
		margin := row[t.index["margin_K"]]
		if x, err := strconv.ParseFloat(margin, 64); err == nil {
			margin = fmt.Sprintf("%+.2f", x)
		}
		out.Add(append(cells, fmt.Sprintf("%.2f", terminal.Celsius(hottest[i])), row[t.index["layer"]],
			row[t.index["block"]], margin)...)
	}
	fmt.Fprintf(c.Stdout, "%s  %s\n", c.Bold("Coldest and hottest"), c.Dim(fmt.Sprintf("of %d runs", len(t.rows))))
	for n, i := range order {
		if n < most || n >= len(order)-most {
			add(i)
		}
	}
	out.Write(c, c.Stdout)
}
