//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"thermsim/tools/campaign"
)

// mostVirtual limits the address space of the program, in KiB, to protect the machine.
const mostVirtual = 6_000_000

// measured is a run on an input. Inputs larger than mostBytes may exceed the limits.
type measured struct {
	campaign.Outcome
	large bool
}

// measure runs the program in dir, with its file stdin, if there is one, as standard input. The peak memory of a
// process includes that of its parent at the fork, so a small process starts the program.
func measure(program, dir string, args []string, limit time.Duration) (o campaign.Outcome, err error) {
	self, err := os.Executable()
	if err != nil {
		return o, err
	}
	cmd := exec.Command(self, append([]string{asMeter, limit.String(), program}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return o, err
	}
	return o, json.Unmarshal(out, &o)
}

// asMeter in place of flags makes this program the small process.
const asMeter = "-meter"

// meter runs the program in the working directory and prints the outcome.
func meter(limit, program string, args []string) error {
	most, err := time.ParseDuration(limit)
	if err != nil {
		return err
	}
	script := fmt.Sprintf(`ulimit -v %d 2> /dev/null; exec "$0" "$@"`, mostVirtual)
	cmd := exec.Command("sh", append([]string{"-c", script, program}, args...)...)
	if in, err := os.Open("stdin"); err == nil {
		defer in.Close()
		cmd.Stdin = in
	}
	o, err := campaign.Run(cmd, most)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(o)
}

// line is a row of the printed table.
func (m *measured) line(in input) string {
	first := shortened(m.Stderr, 240)
	if len(m.Stderr) > 4096 {
		first += fmt.Sprintf(" (%d bytes in all)", len(m.Stderr))
	}
	return fmt.Sprintf("| %s | %.2f s | %.2f s | %d MB | %s | %s |", in.what, m.Wall.Seconds(), m.CPU.Seconds(),
		m.Memory/1e6, m.ending(), strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(strconv.Quote(first)))
}

// ending is the exit status, or what ended the program.
func (m *measured) ending() string {
	switch {
	case m.Killed:
		return "killed"
	case m.Status < 0:
		return "crash"
	}
	return strconv.Itoa(m.Status)
}

// shortened is the beginning of the first line of a message.
func shortened(message string, most int) string {
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	if r := []rune(first); len(r) > most {
		first = string(r[:most]) + "..."
	}
	return first
}

// row is an input in the file of results.
type row struct {
	What   string  `json:"what"`
	Large  bool    `json:"above_10_MB,omitempty"`
	WallS  float64 `json:"wall_s"`
	CPUS   float64 `json:"cpu_s"`
	MB     int     `json:"MB"`
	Status string  `json:"status"`
	Says   string  `json:"says,omitempty"`
}

func (m *measured) row(in input) row {
	second := func(d time.Duration) float64 { return math.Round(100*d.Seconds()) / 100 }
	return row{What: in.what, Large: m.large, WallS: second(m.Wall), CPUS: second(m.CPU), MB: int(m.Memory / 1e6),
		Status: m.ending(), Says: shortened(m.Stderr, 90)}
}

// table is the file of results.
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
	MostCPUS float64 `json:"most_cpu_s"` // of refused inputs
	MostMB   int     `json:"most_MB"`
}

// update replaces the rows of the same inputs in a file of results, and appends the others.
func update(path, commit string, all []input, rows map[string]row) error {
	if path == "" {
		return nil
	}
	var t table
	if err := campaign.Load(path, &t); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, in := range all {
		r, found := rows[in.what]
		if !found {
			continue
		}
		list := &t.Rows
		if strings.HasPrefix(in.name, "flag-") || strings.HasPrefix(in.name, "set-") {
			list = &t.Flags
		}
		if i := slices.IndexFunc(*list, func(old row) bool { return old.What == r.What }); i >= 0 {
			(*list)[i] = r
		} else {
			*list = append(*list, r)
		}
	}
	t.Summary = summary{Commit: commit}
	for _, r := range slices.Concat(t.Rows, t.Flags) {
		t.Summary.Inputs++
		if r.Status == refused && !r.Large {
			t.Summary.Refused++
			t.Summary.MostCPUS = max(t.Summary.MostCPUS, r.CPUS)
			t.Summary.MostMB = max(t.Summary.MostMB, r.MB)
		}
	}
	return campaign.Save(path, t)
}
