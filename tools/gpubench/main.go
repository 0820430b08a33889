// Command gpubench measures thermsim, by default on a GPU, prints the measurements and writes them as JSON. Pages of
// docs show rows of these files. It is a single binary for GPU machines without Go; it needs libc and a CUDA driver.
// The first argument selects the measurement:
//
//	gpubench [stacks]  the 10-layer memory-on-logic stack: performance.md and ranks-gpu.md in docs/explanation.
//	gpubench networks  the methods that need no geometry: cmg.md and parac.md in docs/explanation.
//	gpubench factors   incomplete factors: docs/explanation/ilu.md, docs/explanation/ddilu.md.
//	gpubench process   whole runs of thermsim, from the start of the process to its end: docs/explanation/process.md.
//	gpubench join      nothing: it writes the rows of several files of measurements into one.
//	gpubench hold      nothing: it occupies the memory of a GPU, to test how thermsim reports it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"thermsim/gpusolve/cuda"
	"thermsim/gpusolve/cuda/cudriver"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/host"
	"thermsim/gpusolve/krylov"
	"thermsim/gpusolve/ops"
	"thermsim/tools/campaign"
)

// commands define their flags and return the function that runs after parsing.
var commands = map[string]func(*output) func() error{
	"stacks": stacks, "networks": networks, "factors": factors, "process": processes, "hold": hold,
	"join": join,
}

func main() {
	name, args := "stacks", os.Args[1:]
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	command := commands[name]
	if command == nil {
		fmt.Fprintf(os.Stderr, "gpubench: %q is not one of %s\n", name,
			strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
		os.Exit(2)
	}
	var o output
	flag.StringVar(&o.path, "json", "", "write the measurements to this file")
	flag.StringVar(&o.commit, "commit", commit(), "the measured commit, if Go did not record it")
	run := command(&o)
	_ = flag.CommandLine.Parse(args) // which ends the program if it fails
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "gpubench %s: %v\n", name, err)
		os.Exit(1)
	}
}

// output is the file of measurements, and the commit that they name.
type output struct{ path, commit string }

// write saves what was measured so far.
func (o *output) write(measured any) error { return campaign.Save(o.path, measured) }

// result is a file of measurements.
type result[row any] struct {
	header
	Rows []row `json:"rows"`
}

// header is at the beginning of the files in docs/measurements.
type header struct {
	Date    string `json:"date"`
	Commit  string `json:"commit,omitempty"` // that the program was built from, if known
	Command string `json:"command,omitempty"`
	// Commands are those of joined files.
	Commands []string `json:"commands,omitempty"`
	GPU      string   `json:"gpu,omitempty"`
	Driver   string   `json:"driver,omitempty"`
	Copy     float64  `json:"copy_TB_per_s,omitempty"` // of the GPU's memory, read and written
	CPU      string   `json:"cpu,omitempty"`
	Cores    int      `json:"cores,omitempty"`
}

func (o *output) header() header {
	return header{Date: time.Now().UTC().Format(time.DateOnly), Commit: o.commit,
		Command: strings.Join(append([]string{"gpubench"}, os.Args[1:]...), " ")}
}

// describe names a device, gpu, gpu:N or cpu, and prints it. It measures the copy bandwidth of a GPU.
func (h *header) describe(name string) error {
	if name == "cpu" {
		h.CPU, h.Cores = device.ProcessorName(), runtime.GOMAXPROCS(0)
		fmt.Printf("%s, %d cores\n", h.CPU, h.Cores)
		return nil
	}
	d, err := device.Open(name) // which refuses other names
	if err != nil {
		return err
	}
	defer d.Release()
	gpus, err := device.List()
	if err != nil {
		return err
	}
	ordinal := 0
	_, _ = fmt.Sscanf(name, "gpu:%d", &ordinal) // without a number the first one
	h.GPU, h.Driver = gpus[ordinal].Name, "CUDA "+gpus[ordinal].CUDA
	if release := gpus[ordinal].Driver; release != "" {
		h.Driver = release + ", " + h.Driver
	}
	rate, err := d.CopyBandwidth()
	h.Copy = rate / 1e12
	fmt.Printf("%s, driver %s\n", h.GPU, h.Driver)
	return err
}

// commit is the version that the program was built from; "" if Go did not record it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, changed := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case "vcs.modified":
			if s.Value == "true" {
				changed = " with changes"
			}
		}
	}
	if revision == "" {
		return ""
	}
	return revision + changed
}

// open opens a device: the first GPU by the kernels' own interface, or the processor with a number of threads.
func open(name string, threads int) (ops.Device, error) {
	if name == "cpu" {
		runtime.GOMAXPROCS(threads)
		return host.Open(), nil
	}
	drv, err := cudriver.Open()
	if err != nil {
		return nil, err
	}
	return cuda.Open(drv, 0)
}

// median sorts the values.
func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// timeRepeated returns the seconds that run takes: the best of three means over count runs. A GPU replays a recording,
// as in a solve.
func timeRepeated(a ops.Operator, run func(), count int) (float64, error) {
	if recorder, ok := a.(krylov.Recorder); ok {
		replay, forget, err := recorder.Record(run)
		if err != nil {
			return 0, err
		}
		defer forget()
		run = replay
	}
	work, err := a.NewWorkspace()
	if err != nil {
		return 0, err
	}
	best := math.Inf(1)
	for range 3 {
		run()
		work.Scalars() // waits
		start := time.Now()
		for range count {
			run()
		}
		work.Scalars()
		best = min(best, time.Since(start).Seconds()/float64(count))
	}
	return best, a.Err()
}

// listFlag defines a flag with several values.
func listFlag[T any](name, by, preset, usage string, parse func(string) (T, error)) *[]T {
	all := new([]T)
	set := func(text string) error {
		*all = nil
		for word := range strings.SplitSeq(text, by) {
			if word == "" {
				continue
			}
			v, err := parse(strings.TrimSpace(word))
			if err != nil {
				return err
			}
			*all = append(*all, v)
		}
		return nil
	}
	if err := set(preset); err != nil {
		panic(err)
	}
	flag.Func(name, fmt.Sprintf("%s (default %q)", usage, preset), set)
	return all
}

// word and positive parse values of lists.
func word(text string) (string, error) { return text, nil }

func positive(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && n < 1 {
		err = errors.New("expected a positive number")
	}
	return n, err
}

// wanted reports whether a name begins with one of these; an empty list accepts all.
func wanted(name string, beginnings []string) bool {
	return len(beginnings) == 0 ||
		slices.ContainsFunc(beginnings, func(s string) bool { return strings.HasPrefix(name, s) })
}
