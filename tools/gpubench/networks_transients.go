package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"

	"thermsim/gpusolve"
	"thermsim/gpusolve/sparse/netlist"
	"thermsim/internal/timeline/cputime"
	"thermsim/study/powergrid"
)

// transients integrates power grids over time on every device, by every method.
func (b *bench) transients() error {
	for _, nodes := range *b.nodes {
		var text bytes.Buffer
		if err := writeGrid(&text, tracksOf(nodes), b.steps, 1); err != nil {
			return err
		}
		grid, err := netlist.Read("grid.sp", &text)
		if err != nil {
			return err
		}
		for _, device := range *b.devices {
			for _, method := range *b.methods {
				if err := b.transient(grid, device, method); err != nil {
					return fmt.Errorf("%s on %s: %w", method, device, err)
				}
			}
		}
	}
	return nil
}

func (b *bench) transient(grid *netlist.Grid, device, method string) error {
	r, err := powergrid.New(grid)
	if err != nil {
		return err
	}
	const rtol = 1e-8
	before := cputime.Used().Seconds()
	if err := r.Solve(context.Background(), gpusolve.Options{Device: device, Preconditioner: method,
		RTol: rtol}); err != nil {
		return err
	}
	c := grid.Counts()
	row := networkRow{
		Table: "steps", Case: fmt.Sprintf("power grid of %d nodes", c.Nodes), Unknowns: len(r.B),
		Entries: int64(r.Entries()), Device: device, Threads: runtime.GOMAXPROCS(0), Method: method, RTol: rtol,
		Residual: r.Residual, Converged: true,
		times: times{SetupS: r.Last.Timing.Setup.Seconds(), SolveS: sum(r.Solving)},
		circuit: circuit{Resistors: c.Resistors, Shorts: c.Shorts, Nodes: c.Nodes, Capacitors: c.Capacitors,
			Inductors: c.Inductors},
		transient: transient{Steps: grid.Tran.Steps, StepS: grid.Tran.Step, Initial: r.Initial.Status.Iterations,
			Most: slices.Max(r.Iterations), StepWallS: median(r.Solving),
			StepCoreS: (cputime.Used().Seconds() - before) / float64(grid.Tran.Steps)},
	}
	for _, n := range r.Iterations {
		row.Iterations += n
	}
	row.PerStep = float64(row.Iterations) / float64(row.Steps)
	for _, n := range r.Nets {
		row.DropV = max(row.DropV, n.Worst)
	}
	return b.add(row)
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}
