package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/mpi"
	"thermsim/gpusolve/solution"
	"thermsim/gpusolve/testing/cases"
	"thermsim/internal/launcher"
	"thermsim/mesh"
	"thermsim/stack"
)

// ranksFlags choose the measurements of several ranks.
type ranksFlags struct {
	*stackFlags

	devices string // gpu:0,1: a rank for each
	direct  bool

	launcher.Plan
	groups []ranks.Group    // of the ranks in this process
	mine   []*device.Shared // their devices
}

func (f *ranksFlags) add() {
	flag.StringVar(&f.devices, "ranks", "", "measure ranks on these GPUs, as gpu:0,1, and the first of them alone; "+
		"the ranks are in one process, unless mpirun or srun starts one for each")
	flag.BoolVar(&f.direct, "direct", false, "with -ranks: stacks of layers by the direct solver and by "+
		"multigrid")
}

// ordinals are the GPUs of -ranks.
func (f *ranksFlags) ordinals() ([]string, error) {
	list, found := strings.CutPrefix(f.devices, "gpu:")
	if !found {
		return nil, fmt.Errorf("-ranks: got %q; expected GPUs, as in gpu:0,1", f.devices)
	}
	names := strings.Split(list, ",")
	for i := range names {
		names[i] = "gpu:" + names[i]
	}
	return names, nil
}

// rankRow is a case on one device and on ranks.
type rankRow struct {
	Case      string  `json:"case"`
	Cells     int     `json:"cells"`
	Rule      string  `json:"rule"`
	Ranks     int     `json:"ranks"`
	Processes int     `json:"processes"`
	Transport string  `json:"transport,omitempty"`
	Runs      int     `json:"runs"`
	Iter      int     `json:"iterations"`
	SetupMS   float64 `json:"setup_ms"`
	SolveMS   float64 `json:"solve_ms"`
	Residual  float64 `json:"residual_norm_W"`
	MaxK      float64 `json:"max_K"`
	// Speedup is the time of the solve on one GPU divided by this one, if one GPU has enough memory for the case.
	Speedup float64 `json:"speedup,omitempty"`
	// Apart is the largest difference from the field of one GPU.
	Apart *float64 `json:"apart_K,omitempty"`
}

// rankResult is the file of -ranks.
type rankResult struct {
	header
	Rows  []row     `json:"rows"`
	GPUs  string    `json:"gpus,omitempty"`
	Ranks []rankRow `json:"ranks,omitempty"`
}

// rankCase is a case of -ranks. Exact cases are solved to 1e-11 of the right-hand side, and the fields are compared.
type rankCase struct {
	benchCase
	rule  gpusolve.Options
	exact bool
	grid  string // the previous mesh is reused if this is the same and not empty
}

func rankCases() []rankCase {
	square := func(n int) func() *stack.Stack {
		return func() *stack.Stack { return cases.Stack10(cases.Options{NX: n, H: 1000}) }
	}
	regions := func(n int) func() *stack.Stack {
		return func() *stack.Stack { return cases.Interposer(cases.Stack10(cases.Options{NX: n})) }
	}
	steps := func(n int) func() *stack.Stack {
		return func() *stack.Stack { return cases.PowerSteps(square(n)()) }
	}
	toRounding := gpusolve.Options{Preconditioner: "multigrid", RTol: 1e-11}
	inWatts := gpusolve.Options{Preconditioner: "multigrid", ATol: 1e-6}
	return []rankCase{
		{benchCase{"1183x1183x10", square(1183), 0}, toRounding, true, ""},
		{benchCase{"1183x1183x10 2.5D", regions(1183), 0}, toRounding, true, ""},
		{benchCase{"1183x1183x10, 10 steps", steps(1183), 10}, toRounding, true, ""},
		{benchCase{"714x714x10", square(714), 0}, inWatts, false, ""},
		{benchCase{"1183x1183x10", square(1183), 0}, inWatts, false, ""},
		{benchCase{"1871x1871x10", square(1871), 0}, inWatts, false, ""},
		{benchCase{"2646x2646x10", square(2646), 0}, inWatts, false, ""},
		{benchCase{"3742x3742x10", square(3742), 0}, inWatts, false, ""},
		{benchCase{"1871x1871x10 2.5D", regions(1871), 0}, inWatts, false, ""},
		{benchCase{"2646x2646x10 2.5D", regions(2646), 0}, inWatts, false, ""},
		{benchCase{"3742x3742x10 2.5D", regions(3742), 0}, inWatts, false, ""},
		// borders of regions on lines of the grid, in this and the next
		{benchCase{"1880x1880x10 2.5D", regions(1880), 0}, inWatts, false, ""},
		{benchCase{"2640x2640x10 2.5D", regions(2640), 0}, inWatts, false, ""},
		{benchCase{"1871x1871x10, 50 steps", steps(1871), 50}, inWatts, false, ""},
		{benchCase{"10000x10000x10", square(10000), 0}, inWatts, false, ""},
		{benchCase{"15800x15800x10", square(15800), 0}, inWatts, false, ""},
	}
}

// directCases are stacks of layers, steady and transient, by the direct solver and by multigrid to 1e-6 W.
func directCases() []rankCase {
	direct, multigrid := gpusolve.Options{Preconditioner: "fourier"},
		gpusolve.Options{Preconditioner: "multigrid", ATol: 1e-6}
	var all []rankCase
	for _, c := range []struct {
		n, steps int
		rule     gpusolve.Options
		exact    bool
	}{
		{1183, 0, direct, true}, {1183, 10, direct, true},
		{1871, 0, direct, false}, {1871, 0, multigrid, false}, {1871, 50, direct, false}, {1871, 50, multigrid, false},
		{2646, 0, direct, false}, {2646, 0, multigrid, false}, {2646, 50, direct, false}, {2646, 50, multigrid, false},
		{10000, 0, direct, false}, {10000, 50, direct, false}, {10000, 0, multigrid, false},
	} {
		grid := fmt.Sprintf("%dx%dx10", c.n, c.n)
		name := grid
		if c.steps > 0 {
			name = fmt.Sprintf("%s, %d steps", grid, c.steps)
		}
		stack := func() *stack.Stack { return cases.PowerSteps(cases.Stack10(cases.Options{NX: c.n, H: 1000})) }
		all = append(all, rankCase{benchCase{name, stack, c.steps}, c.rule, c.exact, grid})
	}
	return all
}

// run measures the cases on the first GPU and on all.
func (f *ranksFlags) run() error {
	devices, err := f.ordinals()
	if err != nil {
		return err
	}
	if f.Plan, err = launcher.NewPlan(0, os.Getenv); err != nil {
		return err
	}
	if !f.Together() && f.Ranks != len(devices) {
		return fmt.Errorf("-ranks: %d GPUs for %d processes; name one for each", len(devices), f.Ranks)
	}
	r := rankResult{header: f.header(), GPUs: f.devices}
	if f.Rank == 0 {
		if err := r.describe(devices[0]); err != nil {
			return err
		}
	}
	leave, err := f.open(devices)
	if err != nil {
		return err
	}
	defer leave()
	all := rankCases()
	if f.direct {
		all = directCases()
	}
	var m *mesh.Mesh
	grid := ""
	for _, c := range all {
		if f.only != "" && f.only != c.name {
			continue
		}
		if m == nil || c.grid == "" || c.grid != grid {
			m, grid = nil, c.grid // frees the previous one first
			if m, err = mesh.Build(c.stack()); err != nil {
				return err
			}
		}
		if m.Cells() > f.largest {
			continue
		}
		rows, err := f.compare(m, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		for _, row := range rows {
			row.print()
		}
		r.Ranks = append(r.Ranks, rows...)
		if f.Rank == 0 { // an error keeps the earlier cases
			if err := f.write(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (row *rankRow) print() {
	difference := ""
	if row.Apart != nil {
		difference = fmt.Sprintf("  %.2g K difference", *row.Apart)
	}
	fmt.Printf("%-24s %-13s %10d  %d ranks, %d processes  %4d it  %9.3f ms setup  %9.3f ms  x %.2f%s  %s\n", row.Case,
		row.Rule, row.Cells, row.Ranks, row.Processes,
		row.Iter, row.SetupMS, row.SolveMS, row.Speedup, difference, row.Transport)
}

// compare measures a case on one GPU, in the process of rank 0, and on all ranks.
func (f *ranksFlags) compare(m *mesh.Mesh, c rankCase) ([]rankRow, error) {
	runs := f.runs
	if c.exact {
		runs = 1
	}
	var rows []rankRow
	var alone rankRow
	var want []float64
	if f.Rank == 0 {
		var err error
		if alone, want, err = c.measure(m, f.mine[0], nil, runs); err != nil {
			if !errors.Is(err, gpusolve.ErrDevice) {
				return nil, err
			}
			fmt.Printf("%s does not fit one GPU: %v\n", c.name, err)
		} else {
			alone.Ranks, alone.Processes, alone.Speedup = 1, 1, 1
			rows = append(rows, alone)
		}
	}
	row, got, err := f.together(m, c, runs)
	if err != nil || f.Rank > 0 {
		return nil, err
	}
	row.Ranks = f.groups[0].Size()
	if alone.SolveMS > 0 {
		row.Speedup = alone.SolveMS / row.SolveMS
	}
	if c.exact && want != nil {
		far := 0.0
		for i := range want {
			far = math.Max(far, math.Abs(want[i]-got[i]))
		}
		row.Apart = &far
	}
	return append(rows, row), nil
}

// open opens the devices of this process and joins its ranks, for all cases.
func (f *ranksFlags) open(devices []string) (leave func(), err error) {
	if !f.Together() {
		g, err := mpi.Join(context.Background(), f.Rank, f.Ranks)
		if err != nil {
			return nil, err
		}
		f.groups, devices = []ranks.Group{g}, devices[f.Rank:f.Rank+1]
	} else {
		f.groups = ranks.Local(len(devices))
	}
	for _, name := range devices {
		d, err := device.Open(name)
		if err != nil {
			return nil, err
		}
		f.mine = append(f.mine, d)
	}
	return func() {
		var wait sync.WaitGroup // ranks leave together
		for n, g := range f.groups {
			wait.Go(func() { _ = errors.Join(f.mine[n].Release(), g.Close()) }) // the measurements are complete
		}
		wait.Wait()
	}, nil
}

// together measures the ranks: all in this process, or this process's.
func (f *ranksFlags) together(m *mesh.Mesh, c rankCase, runs int) (rankRow, []float64, error) {
	n := len(f.groups)
	rows, fields, errs := make([]rankRow, n), make([][]float64, n), make([]error, n)
	var wait sync.WaitGroup
	for i, g := range f.groups {
		wait.Go(func() {
			if rows[i], fields[i], errs[i] = c.measure(m, f.mine[i], g, runs); errs[i] != nil {
				g.Fail(errs[i])
			}
		})
	}
	wait.Wait()
	rows[0].Processes = f.groups[0].Size() / n
	return rows[0], fields[0], errors.Join(errs...)
}

// measure solves on one device, or as one rank. It returns the medians and, on rank 0 of exact cases, the field.
func (c *rankCase) measure(m *mesh.Mesh, device *device.Shared, g ranks.Group, runs int) (rankRow, []float64,
	error) {
	r := rankRow{Case: c.name, Cells: m.Cells(), Runs: runs, Rule: fmt.Sprintf("%g W", c.rule.ATol)}
	switch {
	case c.rule.Preconditioner == "fourier":
		r.Rule = "direct"
	case c.exact:
		r.Rule = fmt.Sprintf("%g of ||b||", c.rule.RTol)
	}
	var field []float64
	o := c.rule
	o.Executor, o.Ranks = device, g
	var err error
	r.SetupMS, r.SolveMS, err = c.repeat(m, o, runs, func(n int, s *solution.Solution) (err error) {
		r.Iter, r.Residual, r.MaxK, r.Transport = s.Status.IterationsTotal, s.Status.ResidualW, s.PeakK,
			s.Device.Transport
		if c.exact && n == runs && (g == nil || g.Rank() == 0) {
			field, err = fieldOf(m, s)
		}
		return err
	})
	return r, field, err
}

func fieldOf(m *mesh.Mesh, s *solution.Solution) ([]float64, error) {
	sheet := m.NX() * m.NY()
	field := make([]float64, m.Cells())
	for k := range m.NZ() {
		if err := s.Field.Plane(k, field[k*sheet:(k+1)*sheet]); err != nil {
			return nil, err
		}
	}
	return field, nil
}
