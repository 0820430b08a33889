package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse/netlist"
	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/report/summary"
	"thermsim/study/powergrid"
)

// readNetlist makes the system of a power grid, with .tran that of its time steps.
func readNetlist(p *terminal.Progress, o *solveOptions, start time.Time) (*system, error) {
	if o.source != "" {
		return nil, exit.Usagef("%s is a netlist, whose sources are its right-hand side; omit %s", o.matrix, o.source)
	}
	if o.grid.NX > 0 || o.laplacian {
		return nil, exit.Usagef("--grid and --laplacian are for matrices, and %s is a netlist", o.matrix)
	}
	grid, err := netlist.Open(o.matrix)
	if err != nil {
		return nil, err
	}
	s := &system{names: [2]string{o.matrix, o.matrix}, counts: grid.Counts()}
	s.read = time.Since(start)
	p.Enter("connecting")
	start = time.Now()
	if grid.Tran != nil {
		if s.run, err = powergrid.New(grid); err != nil {
			return nil, err
		}
		s.grid, s.a = s.run.DC, s.run.Matrix
	} else {
		if s.grid, err = netlist.NewSystem(grid); err != nil {
			return nil, err
		}
		if s.a, err = matrix.New(s.grid.CSR, matrix.Shape{}); err != nil {
			return nil, fmt.Errorf("%s: %w", o.matrix, err)
		}
	}
	s.b = [][]float64{s.grid.B}
	s.check = time.Since(start)
	return s, nil
}

// solveSteps integrates over time and returns the solution of the last step.
func (s *system) solveSteps(ctx context.Context, o gpusolve.Options) ([]*matrix.Solution, error) {
	err := s.run.Solve(ctx, o)
	if errors.Is(err, powergrid.ErrStep) {
		return nil, exit.With(exit.NotConverged, fmt.Errorf("%w; nothing was written; raise --max-iter, try another "+
			"--precond, or accept a larger --rtol", err))
	}
	if err != nil {
		return nil, err
	}
	s.b = [][]float64{s.run.B}
	return []*matrix.Solution{s.run.Last}, nil
}

// voltageFiles are voltages.csv and, of time steps with .print, waveforms.csv.
func (s *system) voltageFiles(x []float64, sum *summary.System) []staging.File {
	comment := ""
	if !sum.Solver.Converged {
		comment = "# NOT CONVERGED: " + sum.Solver.Reason + "\n"
	}
	if s.run == nil {
		return []staging.File{tableFile("voltages.csv", comment, []string{"node", "voltage_V"}, nodeRows(s.grid,
			s.grid.Voltages(x)))}
	}
	r := s.run
	files := []staging.File{tableFile("voltages.csv", comment,
		[]string{"node", "voltage_V", "drop_V", "worst_drop_V", "worst_time_s"},
		nodeRows(s.grid, r.Voltages, r.Drop, r.Worst, r.WorstTime))}
	if r.Waveforms == nil {
		return files
	}
	head := []string{"time_s"}
	for _, n := range r.Grid.Print {
		head = append(head, printable.Cell(r.Grid.Names[n]))
	}
	return append(files, tableFile("waveforms.csv", comment, head, func(write func([]string) error) error {
		for _, values := range r.Waveforms {
			if err := write(texts(nil, values...)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// nodeRows writes a row for each node, from columns of values.
func nodeRows(grid *netlist.System, columns ...[]float64) func(write func([]string) error) error {
	return func(write func([]string) error) error {
		var row []string
		for n := range columns[0] {
			row = append(row[:0], printable.Cell(grid.Node(n)))
			for _, c := range columns {
				row = texts(row, c[n])
			}
			if err := write(row); err != nil {
				return err
			}
		}
		return nil
	}
}

// texts appends values with 12 digits.
func texts(row []string, values ...float64) []string {
	for _, v := range values {
		row = append(row, strconv.FormatFloat(v, 'g', 12, 64))
	}
	return row
}

func tableFile(name, comment string, head []string, rows func(write func([]string) error) error) staging.File {
	return staging.File{Name: name, Write: func(w io.Writer) error {
		if _, err := io.WriteString(w, comment); err != nil {
			return err
		}
		out := csv.NewWriter(w)
		if err := out.Write(head); err != nil {
			return err
		}
		if err := rows(out.Write); err != nil {
			return err
		}
		out.Flush()
		return out.Error()
	}}
}

// netlistSummary counts the elements of the netlist and gives the voltage drops of its nets.
func (s *system) netlistSummary(x []float64) *summary.Netlist {
	c := s.counts
	sum := &summary.Netlist{Nodes: c.Nodes, Resistors: c.Resistors, Shorts: c.Shorts, Capacitors: c.Capacitors,
		Inductors: c.Inductors, VoltageSources: c.VoltageSources, CurrentSources: c.CurrentSources}
	if s.run != nil {
		for i := range s.run.Nets {
			n := &s.run.Nets[i]
			sum.Nets = append(sum.Nets, netSummary(&n.Net))
			net := &sum.Nets[i]
			net.WorstTimeS, net.EndV = n.Time, n.End
		}
		return sum
	}
	for _, n := range s.grid.Nets(s.grid.Voltages(x)) {
		sum.Nets = append(sum.Nets, netSummary(&n))
	}
	return sum
}

func netSummary(n *netlist.Net) summary.Net {
	return summary.Net{Nodes: n.Nodes, Sources: n.Sources, NominalV: n.Nominal, WorstV: n.Worst, WorstNode: n.Node}
}

// summariseSteps puts all steps in place of the last one.
func (s *system) summariseSteps(sum *summary.System) {
	r := s.run
	t := &summary.Steps{StepS: r.Grid.Tran.Step, Steps: r.Grid.Tran.Steps}
	if dc := r.Initial; dc != nil {
		t.InitialIterations = dc.Status.IterationsTotal
	}
	total := 0
	for _, n := range r.Iterations {
		total += n
		t.MostIterations = max(t.MostIterations, n)
	}
	t.MeanIterations = float64(total) / float64(t.Steps)
	sum.Steps, sum.Solver.Iterations, sum.Solver.RelativeResidual = t, total, r.Residual
	sum.Time.SolveS = r.Solving
}
