package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"thermsim/cmd/thermsim/exit"
	"thermsim/cmd/thermsim/terminal"
	"thermsim/gpusolve/matrix"
	"thermsim/gpusolve/sparse/matrixmarket"
	"thermsim/gpusolve/sparse/netlist"
	"thermsim/internal/printable"
	"thermsim/internal/staging"
	"thermsim/report/summary"
)

// readNetlist makes the system of a power grid.
func readNetlist(p *terminal.Progress, o *solveOptions, start time.Time) (*system, error) {
	if o.source != "" {
		return nil, exit.Usagef("%s is a netlist, whose sources are its right side; leave %s out", o.matrix, o.source)
	}
	if o.grid.NX > 0 {
		return nil, exit.Usagef("--grid is of matrices, and %s is a netlist", o.matrix)
	}
	grid, err := netlist.Open(o.matrix)
	if err != nil {
		return nil, err
	}
	s := &system{names: [2]string{o.matrix, o.matrix}, counts: grid.Counts()}
	s.read = time.Since(start)
	p.Enter("connecting")
	start = time.Now()
	if s.grid, err = netlist.NewSystem(grid); err != nil {
		return nil, err
	}
	if s.a, err = matrix.New(s.grid.CSR, matrix.Shape{}); err != nil {
		return nil, fmt.Errorf("%s: %w", o.matrix, err)
	}
	s.b = s.grid.B
	s.check = time.Since(start)
	return s, nil
}

// solutionFile is the vector of a matrix, and the voltages of a netlist.
func (s *system) solutionFile(x []float64, sum *summary.System) staging.File {
	name := solutionName(sum)
	if s.grid == nil {
		return staging.File{Name: name, Write: func(w io.Writer) error {
			return matrixmarket.WriteVector(w, x, s.comment(sum))
		}}
	}
	return staging.File{Name: name, Write: func(w io.Writer) error {
		if !sum.Solver.Converged {
			if _, err := fmt.Fprintf(w, "# NOT CONVERGED: %s\n", sum.Solver.Reason); err != nil {
				return err
			}
		}
		out := csv.NewWriter(w)
		row := []string{"node", "voltage_V"}
		if err := out.Write(row); err != nil {
			return err
		}
		for n, v := range s.grid.Voltages(x) {
			row[0], row[1] = printable.Cell(s.grid.Node(n)), strconv.FormatFloat(v, 'g', 12, 64)
			if err := out.Write(row); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	}}
}

func solutionName(sum *summary.System) string {
	if sum.Netlist != nil {
		return "voltages.csv"
	}
	return "x.mtx"
}

// netlistSummary tells what the netlist holds and how far its nets are off their sources.
func (s *system) netlistSummary(x []float64) *summary.Netlist {
	c := s.counts
	sum := &summary.Netlist{Nodes: c.Nodes, Resistors: c.Resistors, Shorts: c.Shorts,
		VoltageSources: c.VoltageSources, CurrentSources: c.CurrentSources}
	for _, n := range s.grid.Nets(s.grid.Voltages(x)) {
		sum.Nets = append(sum.Nets, summary.Net{Nodes: n.Nodes, Sources: n.Sources, NominalV: n.Nominal,
			WorstV: n.Worst, WorstNode: n.Node})
	}
	return sum
}
