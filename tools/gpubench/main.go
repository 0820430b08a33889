// Command gpubench measures the solver on a GPU: the 10-layer memory-on-logic stack at several sizes and rules, printed
// as a table and written as JSON, of which docs/performance.md shows the rows. It is a single binary that needs libc
// and a CUDA driver, for GPU machines without Go. With -device cpu it measures the processor instead.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"thermsim/gpusolve"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/mesh"
	"thermsim/stack"
)

// row is one measured case: medians of the runs.
type row struct {
	Case       string  `json:"case"`
	Cells      int     `json:"cells"`
	Method     string  `json:"method"`
	Rule       string  `json:"rule"`
	Runs       int     `json:"runs"`
	Iterations int     `json:"iterations"`
	ResidualW  float64 `json:"residual_norm_W"`
	SetupMS    float64 `json:"setup_ms"`
	SolveMS    float64 `json:"solve_ms"`
	BytesCell  float64 `json:"device_bytes_per_cell"`
	PeakK      float64 `json:"max_K"`
	Converged  bool    `json:"converged"`
}

// defaultRule is the solver's own, directRule that of the direct solver, which is exact to rounding.
const defaultRule, directRule = "1e-4 K", "direct"

// result is the file that docs/measurements keeps.
type result struct {
	Date   string  `json:"date"`
	Commit string  `json:"commit,omitempty"` // that the program was built from, where Go recorded it
	GPU    string  `json:"gpu,omitempty"`    // "" where the processor was measured
	Driver string  `json:"driver,omitempty"`
	Copy   float64 `json:"copy_TB_per_s,omitempty"`
	CPU    string  `json:"cpu,omitempty"` // "" where a GPU was measured
	Cores  int     `json:"cores,omitempty"`
	Rows   []row   `json:"rows"`
}

func main() {
	out := flag.String("json", "", "write the measurements to this file")
	runs := flag.Int("runs", 5, "runs per case, the median counts")
	largest := flag.Int("max-cells", 40e6, "leave out cases with more cells")
	only := flag.String("case", "", "run only the case of this name")
	device := flag.String("device", "gpu", "what to measure: gpu, gpu:N or cpu")
	var share ranksFlags
	share.add()
	flag.Parse()
	var err error
	switch {
	case share.devices != "":
		err = runRanks(&share, *out, *runs, *largest, *only)
	case share.table:
		err = writeRanks(os.Stdout, flag.Args())
	case share.slabs != "":
		err = runSlabs(&share, *out, *device, *largest, *only)
	default:
		err = run(*out, *device, *runs, *largest, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gpubench:", err)
		os.Exit(1)
	}
}

// benchCase is a stack, or a run of time steps of it.
type benchCase struct {
	name  string
	stack func() *stack.Stack
	steps int
}

func benchCases() []benchCase {
	square := func(n int) func() *stack.Stack {
		return func() *stack.Stack { return cases.Stack10(cases.Options{NX: n, H: 1000}) }
	}
	tiers := func(n int, model stack.CavityModel) func() *stack.Stack {
		return func() *stack.Stack { return cases.Tiers(n, 2, 2e-6, model) }
	}
	return []benchCase{
		{"512x512x10", square(512), 0},
		{"714x714x10", square(714), 0},
		{"1183x1183x10", square(1183), 0},
		{"1871x1871x10", square(1871), 0},
		{"1871x1871x10 2.5D", func() *stack.Stack {
			return cases.Interposer(cases.Stack10(cases.Options{NX: 1871}))
		}, 0},
		{"1871x1871x10, 50 steps", func() *stack.Stack { return cases.PowerSteps(square(1871)()) }, 50},
		{"2048x2048x10", square(2048), 0},
		{"10000x10000x10", square(10000), 0},
		{"1024x1024x13, 2 porous cavities", tiers(1024, stack.PorousCavity), 0},
		{"1025x1025x11, 2 cavities of channels", tiers(1025, stack.ResolvedChannels), 0},
	}
}

// runsOf are the rules of a case: the direct solver where the mesh is one for it, and multigrid.
func runsOf(m *mesh.Mesh) []gpusolve.Options {
	all := []gpusolve.Options{{Preconditioner: "multigrid"}, {Preconditioner: "multigrid", ATol: 1e-6}}
	if method, _ := gpusolve.Choice(m, ""); method != "multigrid" {
		return append([]gpusolve.Options{{}}, all...)
	}
	return all
}

func run(out, device string, runs, largest int, only string) error {
	r := result{Date: time.Now().UTC().Format(time.DateOnly), Commit: commit()}
	if err := r.describe(device); err != nil {
		return err
	}
	fmt.Println(r.heading())
	if r.Copy > 0 {
		fmt.Printf("copies its memory at %.2f TB/s, read and written\n", r.Copy)
	}
	fmt.Printf("%-24s %-10s %-8s %10s %4s %9s %9s %7s %9s\n", "case", "method", "rule", "cells", "it", "setup ms",
		"solve ms", "B/cell", "||r|| W")
	for _, c := range benchCases() {
		m, err := mesh.Build(c.stack())
		if err != nil {
			return err
		}
		if m.Cells() > largest || only != "" && only != c.name {
			continue
		}
		for _, o := range runsOf(m) {
			row, err := measure(m, device, c, o, runs)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			fmt.Printf("%-24s %-10s %-8s %10d %4d %9.3f %9.3f %7.1f %9.2e %v\n", row.Case, row.Method, row.Rule,
				row.Cells, row.Iterations, row.SetupMS, row.SolveMS,
				row.BytesCell, row.ResidualW, row.Converged)
			r.Rows = append(r.Rows, row)
		}
	}
	if out == "" {
		return nil
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(data, '\n'), 0o644)
}

// measure runs a case after one warm-up.
func measure(m *mesh.Mesh, device string, c benchCase, o gpusolve.Options, runs int) (row, error) {
	o.Device = device
	r := row{Case: c.name, Cells: m.Cells(), Runs: runs, Rule: defaultRule}
	if o.ATol > 0 {
		r.Rule = fmt.Sprintf("%g W", o.ATol)
	}
	var setup, solve []float64
	for n := range runs + 1 {
		var s *solution.Solution
		var err error
		if c.steps > 0 {
			s, err = gpusolve.Transient(context.Background(), m, o, gpusolve.TransientOptions{Steps: c.steps, Dt: 1e-3})
		} else {
			s, err = gpusolve.Steady(context.Background(), m, o)
		}
		if err != nil {
			return r, err
		}
		if n > 0 {
			setup = append(setup, s.Timing.Setup.Seconds()*1e3)
			solve = append(solve, s.Timing.Solve.Seconds()*1e3)
		}
		r.Method = s.Status.Preconditioner
		r.Iterations, r.ResidualW, r.Converged = s.Status.IterationsTotal, s.Status.ResidualW, s.Status.Converged
		r.BytesCell = float64(s.Memory.DeviceBytes) / float64(m.Cells())
		r.PeakK = s.PeakK
		s.Close()
	}
	if !r.Converged {
		return r, fmt.Errorf("%s to %s does not converge: ||b - A x|| = %g W", r.Method, r.Rule, r.ResidualW)
	}
	if r.Iterations == 0 {
		r.Rule = directRule
	}
	slices.Sort(setup)
	slices.Sort(solve)
	r.SetupMS, r.SolveMS = setup[len(setup)/2], solve[len(solve)/2]
	return r, nil
}
