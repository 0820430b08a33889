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

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/internal/staging"
	"thermsim/report/picture"
	"thermsim/study/sweep"
	"thermsim/study/sweep/display"
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

// replaceable says whether a table with its pictures is of this sweep, or not there.
func replaceable(path string, header []string) error {
	mine := path
	rows, err := sweep.ReadTable(path)
	for _, image := range sweep.Pictures(path) {
		if errors.Is(err, fs.ErrNotExist) {
			mine = image
			_, err = os.Lstat(mine)
		}
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(rows) > 0 && slices.Equal(rows[0], header) {
		return nil
	}
	return exit.Usagef("%s is not of this sweep; choose another --out, or remove it", mine)
}

// finish draws a complete sweep and prints its best and worst runs.
func (v *sweeper) finish(path string) error {
	rows, err := sweep.ReadTable(path)
	if err != nil {
		return err
	}
	t := display.New(v.plan, rows)
	images := sweep.Pictures(path)
	if !slices.ContainsFunc(t.Celsius("max_K"), func(c float64) bool { return !math.IsNaN(c) }) {
		for _, image := range images { // of a sweep that this one replaces
			if err := os.Remove(image); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		v.g.Note("the table is %s; there is no picture because no run has a result", path)
		return nil
	}
	if err := staging.Replace(images[0], func(w io.Writer) error { return t.Draw(w, v.title()) }); err != nil {
		return err
	}
	if outputs := v.file.Outputs; len(outputs) == 2 {
		front := t.Pareto(v.title(), [2]string(outputs))
		err := staging.Replace(images[1], func(w io.Writer) error { return front.Write(w, picture.PNG) })
		if err != nil {
			return err
		}
	}
	if !v.g.Quiet {
		writeExtremes(v.g.Console, t)
		v.g.Note("the table is %s, the picture %s", path, images[0])
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

// writeExtremes prints the coldest runs and the hottest.
func writeExtremes(c *terminal.Console, t *display.Table) {
	const most = 5
	hottest := t.Numbers("max_K")
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
	for _, label := range t.Plan.Labels {
		header = append(header, ">"+label)
	}
	out := terminal.Table{Header: append(header, ">max degC", "layer", "block", ">margin K")}
	add := func(i int) {
		row := t.Rows[i]
		cells := append([]string{row[0]}, row[1:1+len(t.Plan.Labels)]...)
		margin := row[t.Index["margin_K"]]
		if x, err := strconv.ParseFloat(margin, 64); err == nil {
			margin = fmt.Sprintf("%+.2f", x)
		}
		out.Add(append(cells, fmt.Sprintf("%.2f", terminal.Celsius(hottest[i])), row[t.Index["layer"]],
			row[t.Index["block"]], margin)...)
	}
	for n, i := range order {
		if n < most || n >= len(order)-most {
			add(i)
		}
	}
	out.Titled(c, "Coldest and hottest", fmt.Sprintf("of %d runs", len(t.Rows)))
}
