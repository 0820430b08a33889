//go:build linux && amd64

package main

import (
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
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

// commit is the one that this program was built from.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	text := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text = s.Value + text
		case s.Key == "vcs.modified" && s.Value == "true":
			text += ", modified"
		}
	}
	return text
}

// print prints a table in Markdown.
func (r *results) print(w io.Writer) {
	for _, part := range [][]row{r.Rows, r.Signals} {
		if len(part) == 0 {
			continue
		}
		names := map[string]bool{}
		for _, row := range part {
			for name := range row.Faults {
				names[name] = true
			}
		}
		all := slices.Sorted(maps.Keys(names))
		fmt.Fprintf(w, "| command | operations | %s | done | old | new | partial |\n|---%s\n", strings.Join(all, " | "), strings.Repeat("|---", len(all)+5)+"|")
		for _, row := range part {
			fmt.Fprintf(w, "| %s | %d |", row.Command, row.Operations)
			for _, name := range all {
				fmt.Fprintf(w, " %d |", row.Faults[name])
			}
			fmt.Fprintf(w, " %d | %d | %d | %d |\n", row.Done, row.Held[isOld], row.Held[isNew], row.Held[isPartial])
		}
	}
	for _, row := range r.Pairs {
		fmt.Fprintf(w, "%s: %d pairs, %v\n", row.Command, row.Faults["pairs"], row.Held)
	}
	fmt.Fprintf(w, "\n%d runs did not end as they should\n", len(r.Wrong))
}
