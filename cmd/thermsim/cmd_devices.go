package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/flags"
	"thermsim/cmd/thermsim/session"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/device"
	"thermsim/internal/machine"
	"thermsim/mesh/plausibility"
)

const devicesHelp = `List the devices of this machine by the names that --device takes.

These are the CPU and the GPUs that the CUDA driver finds. If no GPU can be used, the
reason is printed; the CPU can solve every stack.
`

const devicesExample = `  thermsim devices
  thermsim devices --json | jq '.gpus[].name'
  CUDA_VISIBLE_DEVICES=1 thermsim devices          # as the driver then sees it`

func newDevicesCommand(g *session.Session) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:               "devices",
		Short:             "List the compute devices on this machine",
		Long:              devicesHelp,
		Example:           devicesExample,
		Annotations:       exit.Statuses("0 done, with or without a GPU"),
		Args:              flags.NoArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			return runDevices(g.Console, thisProcessor(), device.List, asJSON)
		},
	}
	flags.AddJSON(cmd, &asJSON)
	return cmd
}

// processor describes the machine's processor.
type processor struct {
	Name   string `json:"name"`
	Cores  int    `json:"cores"` // that this process may use
	Memory int64  `json:"free_memory_bytes"`
}

func thisProcessor() processor {
	return processor{Name: device.ProcessorName(), Cores: runtime.GOMAXPROCS(0), Memory: int64(machine.FreeMemory())}
}

func runDevices(c *terminal.Console, p processor, list func() ([]device.GPU, error), asJSON bool) error {
	gpus, none := list()
	w := bufio.NewWriter(c.Stdout)
	if asJSON {
		if err := writeDevicesJSON(w, p, gpus, none); err != nil {
			return err
		}
	} else {
		writeDevices(c, w, p, gpus, none)
	}
	return w.Flush()
}

func writeDevices(c *terminal.Console, w io.Writer, p processor, gpus []device.GPU, none error) {
	free := ""
	if p.Memory > 0 {
		free = terminal.Bytes(float64(p.Memory)) + " free"
	}
	t := terminal.Table{Header: []string{"device", "name", ">memory", "details"}}
	t.Add("cpu", p.Name, free, fmt.Sprintf("%d cores", p.Cores))
	for _, g := range gpus {
		details := fmt.Sprintf("compute capability %s, %d multiprocessors", g.ComputeCapability, g.Multiprocessors)
		if !g.Usable {
			details = fmt.Sprintf("cannot be used: compute capability %s, the kernels need %s", g.ComputeCapability,
				device.LeastComputeCapability)
		}
		t.Add(fmt.Sprintf("gpu:%d", g.Ordinal), g.Name, terminal.Bytes(float64(g.MemoryBytes)), details)
	}
	t.Write(c, w)
	if none != nil {
		writeFolded(c, w, fmt.Sprintf("No GPU: %v.", none))
		fmt.Fprintln(w, "Everything is solved on the CPU.")
		return
	}
	release := ""
	if gpus[0].Driver != "" {
		release = " " + gpus[0].Driver
	}
	writeFolded(c, w, fmt.Sprintf("NVIDIA driver%s, CUDA %s. With --device auto, a GPU solves what would take the CPU "+
		"longer than initializing the GPU.", release, gpus[0].CUDA))
}

// writeFolded writes a paragraph after an empty line.
func writeFolded(c *terminal.Console, w io.Writer, text string) {
	fmt.Fprintf(w, "\n%s\n", strings.Join(plausibility.Fold(text, c.Style.Width), "\n"))
}

// gpuJSON is one GPU of devices --json.
type gpuJSON struct {
	Device            string `json:"device"`
	Name              string `json:"name"`
	ComputeCapability string `json:"compute_capability"`
	Multiprocessors   int    `json:"multiprocessors"`
	MemoryBytes       int64  `json:"memory_bytes"`
	Driver            string `json:"driver"` // "" where unknown
	CUDA              string `json:"cuda"`
	Usable            bool   `json:"usable"`
}

func writeDevicesJSON(w io.Writer, p processor, gpus []device.GPU, none error) error {
	out := struct {
		CPU   processor `json:"cpu"`
		GPUs  []gpuJSON `json:"gpus"`
		NoGPU string    `json:"no_gpu,omitempty"` // why gpus is empty
	}{CPU: p, GPUs: []gpuJSON{}}
	for _, g := range gpus {
		out.GPUs = append(out.GPUs, gpuJSON{fmt.Sprintf("gpu:%d", g.Ordinal), g.Name, g.ComputeCapability,
			g.Multiprocessors, g.MemoryBytes, g.Driver, g.CUDA, g.Usable})
	}
	if none != nil {
		out.NoGPU = none.Error()
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}
