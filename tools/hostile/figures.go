//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
)

// row is an input of the file of figures. What an older build took stays as it is.
type row struct {
	What     string  `json:"what"`
	Large    bool    `json:"above_10_MB,omitempty"`
	Before   string  `json:"before,omitempty"`
	BeforeMB int     `json:"before_MB,omitempty"`
	WallS    float64 `json:"wall_s"`
	CPUS     float64 `json:"cpu_s"`
	MB       int     `json:"MB"`
	Status   string  `json:"status"`
	Says     string  `json:"says,omitempty"`
}

// table is the file.
type table struct {
	About   string  `json:"about"`
	Summary summary `json:"summary"`
	Rows    []row   `json:"rows"`
	Flags   []row   `json:"flags"` // command lines
}

// summary is of all rows of both lists.
type summary struct {
	Commit   string  `json:"commit"`
	Inputs   int     `json:"inputs"`
	Refused  int     `json:"refused"`
	MostCPUS float64 `json:"most_cpu_s"` // of those that are refused
	MostMB   int     `json:"most_MB"`
}

// list is where an input's row belongs.
func (t *table) list(in input) *[]row {
	if strings.HasPrefix(in.name, "flag-") || strings.HasPrefix(in.name, "set-") {
		return &t.Flags
	}
	return &t.Rows
}

// summarise counts what was refused, and what that cost at most.
func (t *table) summarise(commit string) {
	t.Summary = summary{Commit: commit}
	for _, r := range slices.Concat(t.Rows, t.Flags) {
		t.Summary.Inputs++
		if r.Status != "2" || r.Large {
			continue
		}
		t.Summary.Refused++
		t.Summary.MostCPUS = max(t.Summary.MostCPUS, r.CPUS)
		t.Summary.MostMB = max(t.Summary.MostMB, r.MB)
	}
}

func (m *measured) figures(in input) row {
	second := func(s float64) float64 { return math.Round(100*s) / 100 }
	return row{What: in.what, Large: m.Large, WallS: second(m.Wall.Seconds()), CPUS: second(m.CPU.Seconds()),
		MB: int(m.Memory / 1e6), Status: m.ending(), Says: shortened(m.Message, 90)}
}

// before puts what a row cost into the columns of what it cost once.
func (r row) before() row {
	old := row{What: r.What, Large: r.Large, Before: fmt.Sprintf("%.2f s", r.CPUS), BeforeMB: r.MB}
	switch r.Status {
	case "killed":
		old.Before = fmt.Sprintf("over %.0f s", r.WallS)
	case "2":
	default:
		old.Before += fmt.Sprintf(" (status %s)", r.Status)
	}
	return old
}

// renew puts rows in the place of those of the same inputs, and others behind the last. Measured as of before, rows
// that are there stay.
func renew(path, commit string, inputs []input, rows []row, asBefore bool) error {
	var t table
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &t)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for n, r := range rows {
		list := t.list(inputs[n])
		i := slices.IndexFunc(*list, func(old row) bool { return old.What == r.What })
		switch {
		case i >= 0 && asBefore:
		case i >= 0:
			r.Before, r.BeforeMB = (*list)[i].Before, (*list)[i].BeforeMB
			(*list)[i] = r
		case asBefore:
			*list = append(*list, r.before())
		default:
			*list = append(*list, r)
		}
	}
	t.summarise(commit)
	text, err = json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}
