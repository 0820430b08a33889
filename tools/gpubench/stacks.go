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

// row is a measured case, on one device or on ranks: medians of the runs.
type row struct {
	Case       string  `json:"case"`
	Cells      int     `json:"cells"`
	Method     string  `json:"method"`
	Rule       string  `json:"rule"`
	Ranks      int     `json:"ranks,omitempty"`
	Processes  int     `json:"processes,omitempty"`
	Transport  string  `json:"transport,omitempty"`
	Runs       int     `json:"runs"`
	Iterations int     `json:"iterations"`
	ResidualW  float64 `json:"residual_norm_W"`
	SetupMS    float64 `json:"setup_ms"`
	SolveMS    float64 `json:"solve_ms"`
	BytesCell  float64 `json:"device_bytes_per_cell"`
	PeakK      float64 `json:"max_K"`
	Converged  bool    `json:"converged"`
	// Speedup is the time of the solve on one GPU divided by this one, if one GPU has enough memory for the case.
	Speedup float64 `json:"speedup,omitempty"`
	// Apart is the largest difference from the field of one GPU.
	Apart *float64 `json:"apart_K,omitempty"`
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

// square is the stack of 10 layers with n x n cells each.
func square(n int) benchCase {
	return benchCase{fmt.Sprintf("%dx%[1]dx10", n), func() *stack.Stack {
		return cases.Stack10(cases.Options{NX: n, H: 1000})
	}, 0}
}

// regions is the same with chips on an interposer.
func regions(n int) benchCase {
	return benchCase{fmt.Sprintf("%dx%[1]dx10 2.5D", n), func() *stack.Stack {
		return cases.Interposer(cases.Stack10(cases.Options{NX: n}))
	}, 0}
}

// steps is square over time.
func steps(n, steps int) benchCase {
	c := square(n)
	return benchCase{fmt.Sprintf("%s, %d steps", c.name, steps), func() *stack.Stack {
		return cases.PowerSteps(c.stack())
	}, steps}
}

func benchCases() []benchCase {
	tiers := func(n int, model stack.CavityModel) func() *stack.Stack {
		return func() *stack.Stack { return cases.Tiers(n, 2, 2e-6, model) }
	}
	return []benchCase{square(512), square(714), square(1183), square(1871), regions(1871), steps(1871, 50),
		square(2048), square(10000),
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
			row, err := f.measure(&c, m, o)
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
func (f *stackFlags) measure(c *benchCase, m *mesh.Mesh, o gpusolve.Options) (row, error) {
	on, err := device.Open(f.device)
	if err != nil {
		return row{}, err
	}
	defer on.Release()
	o.Executor = on
	r, _, err := c.measure(m, o, f.runs, false)
	if err == nil && !r.Converged {
		err = fmt.Errorf("%s to %s does not converge: ||b - A x|| = %g W", r.Method, r.Rule, r.ResidualW)
	}
	return r, err
}

// measure runs a case after one warm-up. It returns the row with the median times and, if wanted, the field.
func (c *benchCase) measure(m *mesh.Mesh, o gpusolve.Options, runs int, wanted bool) (r row, field []float64,
	err error) {
	r = row{Case: c.name, Cells: m.Cells(), Runs: runs}
	var setups, solves []float64
	for n := range runs + 1 {
		s, err := c.solve(m, o)
		if err != nil {
			return r, nil, err
		}
		if n > 0 {
			setups = append(setups, s.Timing.Setup.Seconds()*1e3)
			solves = append(solves, s.Timing.Solve.Seconds()*1e3)
		}
		r.describe(s, o)
		if n == runs && wanted {
			field, err = m.ReadField(s.Field)
		}
		s.Close()
		if err != nil {
			return r, nil, err
		}
	}
	r.SetupMS, r.SolveMS = median(setups), median(solves)
	return r, field, nil
}

func (c *benchCase) solve(m *mesh.Mesh, o gpusolve.Options) (*solution.Solution, error) {
	if c.steps > 0 {
		return gpusolve.Transient(context.Background(), m, o, gpusolve.TransientOptions{Steps: c.steps, Dt: 1e-3})
	}
	return gpusolve.Steady(context.Background(), m, o)
}

// describe takes from a solution what is the same in all runs.
func (r *row) describe(s *solution.Solution, o gpusolve.Options) {
	r.Method, r.Transport = s.Status.Preconditioner, s.Device.Transport
	r.Iterations, r.ResidualW, r.Converged = s.Status.IterationsTotal, s.Status.ResidualW, s.Status.Converged
	r.BytesCell = float64(s.Memory.DeviceBytes) / float64(r.Cells)
	r.PeakK = s.PeakK
	switch {
	case r.Iterations == 0:
		r.Rule = directRule
	case o.ATol > 0:
		r.Rule = fmt.Sprintf("%g W", o.ATol)
	case o.RTol > 0:
		r.Rule = fmt.Sprintf("%g of ||b||", o.RTol)
	default:
		r.Rule = defaultRule
	}
}
