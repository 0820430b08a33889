package main

import (
	"context"
	"flag"
	"fmt"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/methods"
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

// defaultRule is the solver's default, directRule that of the direct solver, which is exact to rounding.
const defaultRule, directRule = "1e-4 K", "direct"

// stackFlags choose among the cases.
type stackFlags struct {
	*output
	runs, largest int
	only          string
	device        string
}

// stacks measures the cases, on one device or on ranks.
func stacks(o *output) func() error {
	f := stackFlags{output: o}
	flag.IntVar(&f.runs, "runs", 5, "runs per case, of which the median counts")
	flag.IntVar(&f.largest, "max-cells", 40e6, "omit cases with more cells")
	flag.StringVar(&f.only, "case", "", "run only the case of this name")
	flag.StringVar(&f.device, "device", "gpu", "device to measure: gpu, gpu:N or cpu")
	share := ranksFlags{stackFlags: &f}
	share.add()
	return func() error {
		if share.devices != "" {
			return share.run()
		}
		return f.run()
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

// runsOf are the rules of a case: the direct solver if it can solve the mesh, and multigrid.
func runsOf(m *mesh.Mesh) []gpusolve.Options {
	all := []gpusolve.Options{{Preconditioner: "multigrid"}, {Preconditioner: "multigrid", ATol: 1e-6}}
	if method, _ := methods.Choice(m, ""); method != "multigrid" {
		return append([]gpusolve.Options{{}}, all...)
	}
	return all
}

func (f *stackFlags) run() error {
	r := result[row]{header: f.header()}
	if err := r.describe(f.device); err != nil {
		return err
	}
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
		if m.Cells() > f.largest || f.only != "" && f.only != c.name {
			continue
		}
		for _, o := range runsOf(m) {
			row, err := c.measure(m, o, f.device, f.runs)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			fmt.Printf("%-24s %-10s %-8s %10d %4d %9.3f %9.3f %7.1f %9.2e %v\n", row.Case, row.Method, row.Rule,
				row.Cells, row.Iterations, row.SetupMS, row.SolveMS,
				row.BytesCell, row.ResidualW, row.Converged)
			r.Rows = append(r.Rows, row)
		}
	}
	return f.write(r)
}

// measure returns the row of a case. The device stays open, so that all runs after the first find their kernels loaded.
func (c *benchCase) measure(m *mesh.Mesh, o gpusolve.Options, on string, runs int) (row, error) {
	r := row{Case: c.name, Cells: m.Cells(), Runs: runs, Rule: defaultRule}
	shared, err := device.Open(on)
	if err != nil {
		return r, err
	}
	defer shared.Release()
	o.Executor = shared
	if o.ATol > 0 {
		r.Rule = fmt.Sprintf("%g W", o.ATol)
	}
	r.SetupMS, r.SolveMS, err = c.repeat(m, o, runs, func(_ int, s *solution.Solution) error {
		r.Method = s.Status.Preconditioner
		r.Iterations, r.ResidualW, r.Converged = s.Status.IterationsTotal, s.Status.ResidualW, s.Status.Converged
		r.BytesCell = float64(s.Memory.DeviceBytes) / float64(m.Cells())
		r.PeakK = s.PeakK
		return nil
	})
	if err != nil {
		return r, err
	}
	if !r.Converged {
		return r, fmt.Errorf("%s to %s does not converge: ||b - A x|| = %g W", r.Method, r.Rule, r.ResidualW)
	}
	if r.Iterations == 0 {
		r.Rule = directRule
	}
	return r, nil
}

// repeat runs a case after one warm-up, passes every solution to look, and returns the median times in ms.
func (c *benchCase) repeat(m *mesh.Mesh, o gpusolve.Options, runs int, look func(int, *solution.Solution) error) (
	setup, solve float64, err error) {
	var setups, solves []float64
	for n := range runs + 1 {
		var s *solution.Solution
		if c.steps > 0 {
			s, err = gpusolve.Transient(context.Background(), m, o, gpusolve.TransientOptions{Steps: c.steps, Dt: 1e-3})
		} else {
			s, err = gpusolve.Steady(context.Background(), m, o)
		}
		if err != nil {
			return 0, 0, err
		}
		if n > 0 {
			setups = append(setups, s.Timing.Setup.Seconds()*1e3)
			solves = append(solves, s.Timing.Solve.Seconds()*1e3)
		}
		err = look(n, s)
		s.Close()
		if err != nil {
			return 0, 0, err
		}
	}
	return median(setups), median(solves), nil
}
