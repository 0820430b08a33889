package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"thermsim/tools/campaign"
)

// processResult is the file of process.
type processResult struct {
	GPU      string       `json:"gpu"`
	Cores    int          `json:"cores"`
	Commit   string       `json:"commit"`
	Settings string       `json:"settings"`
	Rows     []processRow `json:"rows"`
}

// processes measures command lines of thermsim, which may be of another commit than this program.
func processes(o *output) func() error {
	program := flag.String("thermsim", "bin/thermsim", "the program to measure")
	gpu := flag.String("gpu", "", "name of the GPU")
	stack := flag.String("stack", "examples/mol10-ev6", "the stack")
	runs := flag.Int("runs", 5, "runs of each case after a warm-up")
	sweep := flag.String("sweep", "", "also measure this sweep file")
	return func() error {
		d := processResult{GPU: *gpu, Cores: runtime.NumCPU(), Commit: o.commit,
			Settings: fmt.Sprintf("the run of the median wall time of %d, after one that does not count; maps of the "+
				"two powered layers", *runs)}
		for _, c := range commandLines(*stack, *sweep) {
			var all []*processRow
			for n := range *runs + 1 {
				r, err := c.run(*program)
				if err != nil {
					return fmt.Errorf("%s: %w", c.row.Case, err)
				}
				if n > 0 {
					all = append(all, r)
				}
			}
			slices.SortFunc(all, func(a, b *processRow) int { return cmp.Compare(a.Wall, b.Wall) })
			r := all[len(all)/2]
			d.Rows = append(d.Rows, *r)
			fmt.Printf("%s on %s: %.3f s\n", r.Case, r.Device, r.Wall)
		}
		return o.write(d)
	}
}

// processRow is a run. Its six phases add up to the wall time, in s. Open ends when the GPU is open or, on the
// processor, the stack is meshed. Solve ends with the solve, Summary when the statistics are complete. Files ends when
// the files are written, Commit when they are on the disk under their names, and Exit with the process.
type processRow struct {
	Case    string  `json:"case"`
	Device  string  `json:"device"`
	Program string  `json:"program,omitempty"` // if several are compared
	Wall    float64 `json:"wall_s"`
	Open    float64 `json:"open_s"`
	Solve   float64 `json:"solve_s"`
	Summary float64 `json:"summary_s"`
	Files   float64 `json:"files_s"`
	Commit  float64 `json:"commit_s"`
	Exit    float64 `json:"exit_s"`
	Host    float64 `json:"host_GB"` // peak memory of the host
}

// commandLine is a command line.
type commandLine struct {
	row  processRow
	args []string
}

func commandLines(stack, sweep string) (all []commandLine) {
	add := func(name, device string, args ...string) {
		all = append(all, commandLine{processRow{Case: name, Device: device}, append(args, "--device", device)})
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

func (c *commandLine) run(program string) (*processRow, error) {
	dir, err := os.MkdirTemp("", "gpubench")
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
	r.Host = float64(campaign.PeakMemory(cmd.ProcessState)) / 1024e6
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

// split divides the wall time by the spans. Their log began the given number of seconds after the process.
func (r *processRow) split(spans []span, begun float64) {
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
