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
	before := flag.String("before", "", "an earlier build to compare with")
	gpu := flag.String("gpu", "", "name of the GPU")
	stack := flag.String("stack", "examples/mol10-ev6", "the stack")
	runs := flag.Int("runs", 5, "runs of each case after a warm-up; of an earlier build 2 of those that take over 9 s")
	sweep := flag.String("sweep", "", "also measure this sweep file")
	return func() error {
		d := processResult{GPU: *gpu, Cores: runtime.NumCPU(), Commit: o.commit,
			Settings: fmt.Sprintf("the run of the median wall time of %d, after one that does not count; maps of the "+
				"two powered layers", *runs)}
		builds := []build{{"now", *program}}
		if *before != "" {
			builds = append(builds, build{"before", *before})
		}
		for _, c := range commandLines(*stack, *sweep) {
			rows, err := c.measure(builds, *runs)
			if err != nil {
				return fmt.Errorf("%s: %w", c.row.Case, err)
			}
			for _, r := range rows {
				fmt.Printf("%s on %s, %s: %.3f s\n", r.Case, r.Device, r.Program, r.Wall)
			}
			d.Rows = append(d.Rows, rows...)
			if err := o.write(d); err != nil { // an error keeps the earlier cases
				return err
			}
		}
		return nil
	}
}

// build is a program to measure and its name in the results.
type build struct{ name, path string }

// measure runs the builds in turn and returns the run of the median wall time of each that can run the command.
func (c *commandLine) measure(builds []build, runs int) (rows []processRow, err error) {
	const long = 9 // s
	all := make([][]*processRow, len(builds))
	for n := range runs + 1 {
		for i, b := range builds {
			if k := len(all[i]); n > k || n > 1 && i > 0 && all[i][0].Wall > long {
				continue // it failed, or takes long
			}
			r, err := c.run(b.path)
			if err != nil {
				if i == 0 {
					return nil, err
				}
				fmt.Printf("%s: %s: %v\n", c.row.Case, b.name, err)
				continue
			}
			r.Program = b.name
			all[i] = append(all[i], r)
		}
	}
	for _, of := range all {
		if len(of) == 0 {
			continue
		}
		counted := of[1:]
		slices.SortFunc(counted, func(a, b *processRow) int { return cmp.Compare(a.Wall, b.Wall) })
		rows = append(rows, *counted[len(counted)/2])
	}
	return rows, nil
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
	row     processRow
	args    []string
	untimed bool // the command has no --timings
	first   bool // the driver has compiled no kernels yet
}

// commandLines are runs of a stack, of the examples that take longest, and of first runs on a machine.
func commandLines(stack, sweep string) (all []commandLine) {
	add := func(name, device string, args ...string) *commandLine {
		row := processRow{Case: name, Device: device}
		all = append(all, commandLine{row: row, args: append(args, "--device", device)})
		return &all[len(all)-1]
	}
	for _, n := range []string{"512x512", "1871x1871", "10000x10000"} {
		if n == "512x512" {
			add(n+", page, auto", "auto", "steady", stack, "--grid", n)
		}
		add(n+", page", "gpu", "steady", stack, "--grid", n)
		add(n, "gpu", "steady", stack, "--grid", n, "--no-page")
	}
	for _, c := range []struct{ example, grid string }{{"hbm-package", "1800x1800"}, {"fcbga", "1800x1800"},
		{"interposer-2.5d", "1024x1024"}, {"interposer-2.5d", "8000x8000"}, {"interposer-2.5d", "10000x10000"}} {
		add(c.example+" "+c.grid, "gpu", "steady", "examples/"+c.example, "--grid", c.grid)
	}
	add("sensitivity interposer-2.5d 1024x1024", "gpu", "sensitivity", "examples/interposer-2.5d", "--grid",
		"1024x1024").untimed = true
	for _, example := range []string{"mol10-ev6", "hbm-package", "interposer-2.5d"} {
		add(example, "gpu", "steady", "examples/"+example)
		add(example+", first run", "gpu", "steady", "examples/"+example).first = true
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
	args := append(slices.Clip(c.args), "--quiet", "--out", filepath.Join(dir, "out"))
	if !c.untimed {
		args = append(args, "--timings", timings)
	}
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	if c.first {
		cmd.Env = append(os.Environ(), "CUDA_CACHE_PATH="+filepath.Join(dir, "compiled"))
	}
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, err
	}
	r := c.row
	r.Wall = time.Since(start).Seconds()
	r.Host = float64(campaign.PeakMemory(cmd.ProcessState)) / 1024e6
	if c.untimed {
		return &r, nil
	}
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
