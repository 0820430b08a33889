package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// row is a run, in s: until the GPU is open or, on the processor, the stack meshed; until it is solved; until the
// statistics are taken; until the files are written; until they are on the disk under their names; and until the
// process has gone. The six add up to the wall time.
type row struct {
	Case    string  `json:"case"`
	Device  string  `json:"device"`
	Program string  `json:"program,omitempty"` // where several are compared
	Wall    float64 `json:"wall_s"`
	Open    float64 `json:"open_s"`
	Solve   float64 `json:"solve_s"`
	Summary float64 `json:"summary_s"`
	Files   float64 `json:"files_s"`
	Commit  float64 `json:"commit_s"`
	Exit    float64 `json:"exit_s"`
	Host    float64 `json:"host_GB"` // the most memory of the host that was in use
}

// benchCase is a command line.
type benchCase struct {
	row  row
	args []string
}

func cases(stack, sweep string) (all []benchCase) {
	add := func(name, device string, args ...string) {
		all = append(all, benchCase{row{Case: name, Device: device}, append(args, "--device", device)})
	}
	for _, n := range []string{"512x512", "1871x1871", "10000x10000"} {
		if n == "512x512" {
			add("512x512, page", "auto", "steady", stack, "--grid", n)
		}
		add(n+", page", "gpu", "steady", stack, "--grid", n)
		add(n, "gpu", "steady", stack, "--grid", n, "--no-page")
	}
	if sweep != "" {
		add("sweep", "gpu", "sweep", sweep)
	}
	return all
}

// span is one of --timings, in microseconds.
type span struct {
	Name  string  `json:"name"`
	Start float64 `json:"ts"`
	Took  float64 `json:"dur"`
}

func (c *benchCase) run(program string) (*row, error) {
	dir, err := os.MkdirTemp("", "processbench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	timings := filepath.Join(dir, "timings.json")
	cmd := exec.Command(program, append(c.args, "--quiet", "--timings", timings, "--out", filepath.Join(dir, "out"))...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	r := c.row
	r.Wall = time.Since(start).Seconds()
	r.Host = hostGB(cmd.ProcessState)
	text, err := os.ReadFile(timings)
	if err != nil {
		return nil, err
	}
	var t struct {
		Events  []span  `json:"traceEvents"`
		Started float64 `json:"started_s"`
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("%s: %w", timings, err)
	}
	r.split(t.Events, t.Started-float64(start.UnixNano())/1e9)
	return &r, nil
}

// split divides the wall time by the spans, of which the log began so many seconds after the process.
func (r *row) split(spans []span, begun float64) {
	end := func(names ...string) (at float64) {
		for _, s := range spans {
			for _, name := range names {
				if strings.HasPrefix(s.Name, name) {
					at = max(at, begun+(s.Start+s.Took)/1e6)
				}
			}
		}
		return at
	}
	first := r.Wall
	for _, s := range spans {
		if strings.HasPrefix(s.Name, "show ") || strings.HasPrefix(s.Name, "write ") ||
			strings.HasPrefix(s.Name, "read the map") {
			first = min(first, begun+s.Start/1e6)
		}
	}
	marks := []float64{0, max(end("GPU: open", "GPU: kernels"), end("mesh")), end("solve"), first,
		end("write ", "finish "), end("commit"), r.Wall}
	for n, to := range []*float64{&r.Open, &r.Solve, &r.Summary, &r.Files, &r.Commit, &r.Exit} {
		marks[n+1] = max(marks[n+1], marks[n])
		*to = marks[n+1] - marks[n]
	}
}
