//go:build unix

package main

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"thermsim/tools/campaign"
)

// row has the counts of a target.
type row struct {
	Package     string  `json:"package"`
	Target      string  `json:"target"`
	Executions  int64   `json:"executions"`
	Interesting int     `json:"interesting"` // inputs that added coverage
	CoreHours   float64 `json:"core_hours"`  // processor time of the fuzzer and its worker
	Crashers    int     `json:"crashers"`    // inputs that failed
}

// record is the file of results.
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

// readRecord reads the results of earlier campaigns, if there are any.
func readRecord(path string) (record, error) {
	r := record{About: "Go's fuzzer, one worker a process, inputs minimized five times; core hours are processor " +
		"time of the fuzzer and its worker, setup included. interesting counts inputs that added coverage in any " +
		"part, crashers those that failed before they were fixed."}
	if path == "" {
		return r, nil
	}
	err := campaign.Load(path, &r)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return r, err
}

// plus adds the rows of a campaign.
func (r record) plus(commit string, rows []row) record {
	sum := record{About: r.About, Commit: cmp.Or(commit, r.Commit)}
	all := map[[2]string]row{}
	for _, w := range slices.Concat(r.Rows, rows) {
		key := [2]string{w.Package, w.Target}
		had := all[key]
		w.Executions += had.Executions
		w.Interesting += had.Interesting
		w.CoreHours += had.CoreHours
		w.Crashers += had.Crashers
		all[key] = w
	}
	sum.Rows = slices.SortedFunc(maps.Values(all), func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Target, b.Target))
	})
	for _, w := range sum.Rows {
		sum.Total.Executions += w.Executions
		sum.Total.CoreHours += w.CoreHours
	}
	sum.Total.Targets = len(sum.Rows)
	return sum
}
