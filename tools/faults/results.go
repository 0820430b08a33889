//go:build linux && amd64

package main

import (
	"fmt"
	"io"
	"strings"
)

// results are the figures of a campaign.
type results struct {
	Commit  string     `json:"commit,omitempty"` // of this program
	Most    int        `json:"most"`             // flags
	Every   int        `json:"every"`
	Seed    uint64     `json:"seed"`
	Rows    []row      `json:"commands,omitempty"`
	Signals []row      `json:"signals,omitempty"`
	Pairs   []row      `json:"pairs,omitempty"`
	Wrong   []wrongRun `json:"wrong"`
}

// row is a command.
type row struct {
	Command    string         `json:"command"`
	Operations int            `json:"operations,omitempty"` // of an undisturbed run
	Faults     map[string]int `json:"faults"`               // that struck
	Missed     int            `json:"not_reached"`          // operations that the run did not do this time
	Done       int            `json:"done"`                 // runs that ended as if undisturbed
	Held       map[string]int `json:"folder"`               // how often it held what
	Longest    float64        `json:"longest_s,omitempty"`  // from a signal to the end
}

// wrongRun is one that did not end as it should.
type wrongRun struct {
	Command string    `json:"command"`
	Fault   string    `json:"fault"`
	At      operation `json:"at"`
	Wrong   []string  `json:"wrong"`
}

func (r *row) count(fault string, struck bool, held string, done bool) {
	if !struck {
		r.Missed++
		return
	}
	r.Faults[fault]++
	r.Held[held]++
	if done {
		r.Done++
	}
}

// column is a group of faults in a table.
type column struct {
	title string
	of    []string // names of faults
}

var (
	ofFaults = []column{
		{"one error", []string{"input or output error", "permission denied", "too many open files", "no space left"}},
		{"disk full, read-only or lost", []string{"disk full from here on", "read-only from here on",
			"disk lost from here on"}},
		{"halves, interrupted calls", []string{"half of the bytes", "call interrupted"}},
		{"SIGTERM", []string{"SIGTERM"}},
		{"SIGKILL", []string{"SIGKILL"}},
	}
	ofSignals = []column{
		{"SIGINT", []string{"SIGINT"}}, {"SIGTERM", []string{"SIGTERM"}}, {"SIGHUP", []string{"SIGHUP"}},
		{"SIGPIPE", []string{"SIGPIPE"}},
		{"reader gone", []string{brokenPipe}}, {"SIGKILL", []string{"SIGKILL"}},
	}
)

// print prints tables in Markdown.
func (r *results) print(w io.Writer) {
	table(w, r.Rows, ofFaults)
	table(w, r.Signals, ofSignals)
	if len(r.Pairs) > 0 {
		fmt.Fprintf(w, "| two at once | pairs | %s | %s |\n|---|---|---|---|\n", oneRefused, bothDone)
		for _, row := range r.Pairs {
			fmt.Fprintf(w, "| %s | %d | %d | %d |\n", row.Command, row.Faults["pairs"], row.Held[oneRefused],
				row.Held[bothDone])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d runs did not end as they should.\n", len(r.Wrong))
}

func table(w io.Writer, rows []row, columns []column) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprint(w, "| command |")
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c.title)
	}
	fmt.Fprintf(w, " as if undisturbed | old run | new run | steps of it |\n|%s\n",
		strings.Repeat("---|", len(columns)+5))
	total := row{Command: "in all", Faults: map[string]int{}, Held: map[string]int{}}
	for _, r := range rows {
		total.add(&r)
		r.line(w, columns)
	}
	total.line(w, columns)
	fmt.Fprintln(w)
}

func (r *row) add(other *row) {
	r.Done += other.Done
	for name, n := range other.Faults {
		r.Faults[name] += n
	}
	for name, n := range other.Held {
		r.Held[name] += n
	}
}

func (r *row) line(w io.Writer, columns []column) {
	fmt.Fprintf(w, "| %s |", r.Command)
	for _, c := range columns {
		n := 0
		for _, name := range c.of {
			n += r.Faults[name]
		}
		fmt.Fprintf(w, " %d |", n)
	}
	fmt.Fprintf(w, " %d | %d | %d | %d |\n", r.Done, r.Held[isOld], r.Held[isNew], r.Held[isPartial])
}
