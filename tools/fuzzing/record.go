//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// row is what became of a target.
type row struct {
	Package     string  `json:"package"`
	Target      string  `json:"target"`
	Executions  int64   `json:"executions"`
	Interesting int     `json:"interesting"` // inputs that added coverage
	CoreHours   float64 `json:"core_hours"`  // processor time of the fuzzer and its worker
	Crashers    int     `json:"crashers"`    // inputs that failed
}

// record is the file of figures.
type record struct {
	About  string `json:"about"`
	Commit string `json:"commit"`
	Total  struct {
		Executions int64   `json:"executions"`
		CoreHours  float64 `json:"core_hours"`
		Targets    int     `json:"targets"`
	} `json:"total"`
	Rows []row `json:"rows"`
}

func newRecord(commit string) *record {
	return &record{Commit: commit, About: "Go's fuzzer, one worker a process, inputs minimised five times; core " +
		"hours are processor time of the fuzzer and its worker, " +
		"set-up included. interesting counts inputs that added coverage in any part, crashers those that failed " +
		"before they were mended."}
}

func (r *record) sum() {
	slices.SortFunc(r.Rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Target, b.Target))
	})
	for _, w := range r.Rows {
		r.Total.Executions += w.Executions
		r.Total.CoreHours += w.CoreHours
	}
	r.Total.Targets = len(r.Rows)
}

func (r *record) crashers() int {
	n := 0
	for _, w := range r.Rows {
		n += w.Crashers
	}
	return n
}

// write replaces the file as a whole, so that one who is killed leaves the last one.
func (r *record) write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	part := fmt.Sprintf("%s.%d", path, os.Getpid())
	if err := os.WriteFile(part, append(text, '\n'), 0o666); err != nil {
		return err
	}
	return os.Rename(part, path)
}

func read(name string) (*record, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := new(record)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// mergeFiles adds up files of figures.
func mergeFiles(path, commit string, from []string) error {
	if path == "" || len(from) == 0 {
		return fmt.Errorf("-merge needs -json and the files to add up")
	}
	sum := newRecord(commit)
	rows := map[[2]string]row{}
	for _, name := range from {
		r, err := read(name)
		if err != nil {
			return err
		}
		sum.Commit = cmp.Or(commit, r.Commit)
		for _, w := range r.Rows {
			key := [2]string{w.Package, w.Target}
			had := rows[key]
			w.Executions += had.Executions
			w.Interesting += had.Interesting
			w.CoreHours += had.CoreHours
			w.Crashers += had.Crashers
			rows[key] = w
		}
	}
	for _, w := range rows {
		sum.Rows = append(sum.Rows, w)
	}
	sum.sum()
	return sum.write(path)
}
