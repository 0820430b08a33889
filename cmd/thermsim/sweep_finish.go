package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
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
	"thermsim/report/summary"
	"thermsim/stack/stackfile"
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
	if err := v.finished(path); err != nil {
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

// question is a run that is asked for as a line of JSON.
type question struct {
	ID  json.RawMessage            `json:"id"` // comes back with the answer; any JSON
	Set map[string]json.RawMessage `json:"set"`
}

// answerLine is its outcome, SI units.
type answerLine struct {
	ID      json.RawMessage    `json:"id,omitempty"`
	Status  string             `json:"status"` // done, not-converged, runaway, invalid or failed, as in the table
	Message string             `json:"message,omitempty"`
	MaxK    *float64           `json:"max_K,omitempty"`
	MaxAt   *summary.Place     `json:"max_at,omitempty"`
	PowerW  *float64           `json:"power_W,omitempty"`
	MarginK *float64           `json:"margin_K,omitempty"`
	Outputs map[string]float64 `json:"outputs,omitempty"`
}

// longestQuestion is in bytes.
const longestQuestion = 1 << 20

// answer solves a run for each line on stdin until it ends.
func (v *sweeper) answer(ctx context.Context, stdin io.Reader) error {
	lines, failed := make(chan []byte), make(chan error, 1)
	go func() {
		defer close(lines)
		in := bufio.NewScanner(stdin)
		in.Buffer(make([]byte, 0, 4096), longestQuestion)
		for in.Scan() {
			select {
			case lines <- bytes.Clone(in.Bytes()):
			case <-ctx.Done():
				return
			}
		}
		failed <- in.Err()
	}()
	out := json.NewEncoder(v.g.Stdout)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, ok := <-lines:
			if !ok {
				if err := <-failed; err != nil {
					return exit.Usagef("stdin: %v; a line has up to %d bytes", err, longestQuestion)
				}
				return nil
			}
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			reply, err := v.reply(ctx, line)
			if err != nil {
				return err
			}
			if err := out.Encode(reply); err != nil {
				return err
			}
		}
	}
}

// reply to one line. What is wrong with the line is an answer too.
func (v *sweeper) reply(ctx context.Context, line []byte) (*answerLine, error) {
	var q question
	in := json.NewDecoder(bytes.NewReader(line))
	in.DisallowUnknownFields()
	err := in.Decode(&q)
	if err == nil && in.More() {
		err = errors.New("there is more than one value in the line")
	}
	if err != nil {
		return &answerLine{Status: sweep.Invalid,
			Message: fmt.Sprintf(`%v; write {"id": 1, "set": {"boundary.top.h": 2000}}`, err)}, nil
	}
	set, err := q.overrides()
	if err != nil {
		return &answerLine{ID: q.ID, Status: sweep.Invalid, Message: err.Error()}, nil
	}
	summary, status, err := v.outcome(ctx, set)
	switch {
	case status != "":
		return &answerLine{ID: q.ID, Status: status, Message: err.Error()}, nil
	case err != nil:
		return nil, err
	}
	if v.columns == nil {
		if v.columns, err = sweep.NewColumns(v.plan, v.file.Outputs, summary); err != nil {
			return nil, exit.With(exit.Input, fmt.Errorf("%s: %w", v.o.file, err))
		}
	}
	row := v.columns.Row(0, nil, summary)
	a := &answerLine{ID: q.ID, Status: row.Status, Message: row.Message, Outputs: v.columns.Outputs(summary)}
	t, power := &summary.Temperature, summary.Power.MappedW+summary.Power.LeakageW
	if a.MaxK = finite(t.MaxK); a.MaxK != nil {
		a.MaxAt = &t.MaxAt
	}
	a.PowerW = finite(power)
	if len(summary.Limits) > 0 {
		a.MarginK = finite(summary.Limits[0].MarginK)
	}
	return a, nil
}

// overrides of a line, in the order of their keys.
func (q *question) overrides() (set []stackfile.Override, err error) {
	var keys []string
	for key := range q.Set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		text := string(q.Set[key])
		var word string
		if json.Unmarshal(q.Set[key], &word) == nil {
			text = word
		}
		o, err := stackfile.NewOverride(key, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		set = append(set, o)
	}
	return set, nil
}

// finite is a number that JSON has, nil where it is none.
func finite(x float64) *float64 {
	if x-x != 0 {
		return nil
	}
	return &x
}
