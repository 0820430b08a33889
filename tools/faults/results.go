//go:build linux && amd64

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// results of a campaign.
type results struct {
	Commit  string     `json:"commit,omitempty"` // of the program
	Most    int        `json:"most"`             // flags
	Every   int        `json:"every"`
	Seed    uint64     `json:"seed"`
	Rows    []row      `json:"commands,omitempty"`
	Signals []row      `json:"signals,omitempty"`
	Pairs   []row      `json:"pairs,omitempty"`
	Wrong   []wrongRun `json:"wrong"`
	lock    sync.Mutex
}

// row is a command.
type row struct {
	Command    string         `json:"command"`
	Operations int            `json:"operations,omitempty"` // of an undisturbed run
	Faults     map[string]int `json:"faults"`               // that struck
	Missed     int            `json:"not_reached"`          // operations that the run did not do this time
	Done       int            `json:"done"`                 // runs that ended as if undisturbed
	Held       map[string]int `json:"folder"`               // number of runs that left it in a state
	Longest    float64        `json:"longest_s,omitempty"`  // from a signal to the end
}

// wrongRun is one that did not end as it should.
type wrongRun struct {
	Command string    `json:"command"`
	Fault   string    `json:"fault"`
	At      operation `json:"at"`
	Wrong   []string  `json:"wrong"`
}

func newRow(command string) row {
	return row{Command: command, Faults: map[string]int{}, Held: map[string]int{}}
}

// note counts a run in a row, and prints it if it went wrong or all are printed.
func (r *results) note(row *row, one *run, verbose bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if one.ended == nil {
		row.Missed++
		return
	}
	row.Faults[one.fault.name]++
	row.Held[one.state]++
	if one.Status == 0 {
		row.Done++
	}
	row.Longest = max(row.Longest, one.after.Seconds())
	outcome := one.state
	if len(one.wrong) > 0 {
		outcome = "wrong: " + strings.Join(one.wrong, "; ")
		r.Wrong = append(r.Wrong, wrongRun{one.name, one.fault.name, one.at, one.wrong})
	}
	if len(one.wrong) > 0 || verbose {
		fmt.Fprintf(os.Stderr, "%s: %s at %v: status %d, %s: %q\n", one.name, one.fault.name, one.at, one.Status,
			outcome, strings.TrimSpace(one.stderr))
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
		pairs, refused := 0, 0
		for _, row := range r.Pairs {
			pairs += row.Faults["pairs"]
			refused += row.Held[oneRefused]
		}
		fmt.Fprintf(w, "Of %d pairs started at once, one was refused in %d; in the others both ran, one after the "+
			"other.\n\n", pairs, refused)
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
	total := newRow("in all")
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
