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

	"gonum.org/v1/gonum/floats"

	"thermsim/gpusolve"
	"thermsim/gpusolve/device"
	"thermsim/gpusolve/ranks"
	"thermsim/gpusolve/ranks/mpi"
	"thermsim/internal/launcher"
	"thermsim/mesh"
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

// rankResult is the file of -ranks.
type rankResult struct {
	header
	GPUs  string `json:"gpus,omitempty"`
	Ranks []row  `json:"ranks,omitempty"`
}

// rankCase is a case of -ranks. Exact cases run once, and the fields are compared.
type rankCase struct {
	benchCase
	rule  gpusolve.Options
	exact bool
}

// rankCases are solved to 1e-11 of the right-hand side if they are exact, else to 1e-6 W.
func rankCases() (all []rankCase) {
	for _, c := range []benchCase{square(1183), regions(1183), steps(1183, 10)} {
		all = append(all, rankCase{c, gpusolve.Options{Preconditioner: "multigrid", RTol: 1e-11}, true})
	}
	for _, c := range []benchCase{square(714), square(1183), square(1871), square(2646), square(3742), regions(1871),
		regions(2646), regions(3742), regions(1880), regions(2640), // borders of the last two on lines of the grid
		steps(1871, 50), square(10000), square(15800)} {
		all = append(all, rankCase{c, gpusolve.Options{Preconditioner: "multigrid", ATol: 1e-6}, false})
	}
	return all
}

// directCases are stacks of layers, steady and transient, by the direct solver and by multigrid to 1e-6 W. All cases of
// a grid have one mesh.
func directCases() (all []rankCase) {
	direct, multigrid := gpusolve.Options{Preconditioner: "fourier"},
		gpusolve.Options{Preconditioner: "multigrid", ATol: 1e-6}
	add := func(n, count int, exact bool, rules ...gpusolve.Options) {
		c := steps(n, count)
		if count == 0 {
			c.name = square(n).name
		}
		for _, rule := range rules {
			all = append(all, rankCase{c, rule, exact})
		}
	}
	add(1183, 0, true, direct)
	add(1183, 10, true, direct)
	for _, n := range []int{1871, 2646} {
		add(n, 0, false, direct, multigrid)
		add(n, 50, false, direct, multigrid)
	}
	add(10000, 0, false, direct)
	add(10000, 50, false, direct)
	add(10000, 0, false, multigrid)
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
		if size, _, _ := strings.Cut(c.name, ","); !f.direct || size != grid {
			m, grid = nil, size // frees the previous one first
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
			row.printRanks()
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

func (row *row) printRanks() {
	difference := ""
	if row.Apart != nil {
		difference = fmt.Sprintf("  %.2g K difference", *row.Apart)
	}
	fmt.Printf("%-24s %-13s %10d  %d ranks, %d processes  %4d it  %9.3f ms setup  %9.3f ms  x %.2f%s  %s\n", row.Case,
		row.Rule, row.Cells, row.Ranks, row.Processes,
		row.Iterations, row.SetupMS, row.SolveMS, row.Speedup, difference, row.Transport)
}

// compare measures a case on one GPU, in the process of rank 0, and on all ranks.
func (f *ranksFlags) compare(m *mesh.Mesh, c rankCase) ([]row, error) {
	runs := f.runs
	if c.exact {
		runs = 1
	}
	var rows []row
	var alone row
	var want []float64
	if f.Rank == 0 {
		var err error
		if alone, want, err = c.measureRank(m, f.mine[0], nil, runs); err != nil {
			if !errors.Is(err, gpusolve.ErrDevice) {
				return nil, err
			}
			fmt.Printf("%s does not fit one GPU: %v\n", c.name, err)
		} else {
			alone.Ranks, alone.Processes, alone.Speedup = 1, 1, 1
			rows = append(rows, alone)
		}
	}
	all, got, err := f.together(m, c, runs)
	if err != nil || f.Rank > 0 {
		return nil, err
	}
	all.Ranks = f.groups[0].Size()
	if alone.SolveMS > 0 {
		all.Speedup = alone.SolveMS / all.SolveMS
	}
	if c.exact && want != nil {
		far := floats.Distance(want, got, math.Inf(1))
		all.Apart = &far
	}
	return append(rows, all), nil
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
func (f *ranksFlags) together(m *mesh.Mesh, c rankCase, runs int) (row, []float64, error) {
	n := len(f.groups)
	rows, fields, errs := make([]row, n), make([][]float64, n), make([]error, n)
	var wait sync.WaitGroup
	for i, g := range f.groups {
		wait.Go(func() {
			if rows[i], fields[i], errs[i] = c.measureRank(m, f.mine[i], g, runs); errs[i] != nil {
				g.Fail(errs[i])
			}
		})
	}
	wait.Wait()
	rows[0].Processes = f.groups[0].Size() / n
	return rows[0], fields[0], errors.Join(errs...)
}

// measureRank solves on one device, or as one rank. The field is that of exact cases on rank 0.
func (c *rankCase) measureRank(m *mesh.Mesh, on *device.Shared, g ranks.Group, runs int) (row, []float64, error) {
	o := c.rule
	o.Executor, o.Ranks = on, g
	return c.measure(m, o, runs, c.exact && (g == nil || g.Rank() == 0))
}
