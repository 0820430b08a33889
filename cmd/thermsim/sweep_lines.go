package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"thermsim/cmd/thermsim/exit"
	"thermsim/report/summary"
	"thermsim/stack/stackfile"
	"thermsim/study/sweep"
)

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
